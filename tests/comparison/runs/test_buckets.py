from __future__ import annotations

import numpy as np
import pytest

from lit_roberta.comparison.runs.buckets import (
    PIECES,
    class_of_piece,
    frequency_bucket,
    position_bucket,
)
from lit_roberta.comparison.runs.held_out import score_test
from lit_roberta.comparison.runs.run import HeldOut
from lit_roberta.comparison.runs.scoring import DocumentSums
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.tokens.tokenizer import TokenizerConfig, TokenizerKind
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from tests.comparison.texts import write_text

KINDS: tuple[TokenizerKind, ...] = ("word", "wordpiece", "bytelevel-bpe")


@pytest.fixture(scope="module", params=KINDS)
def data(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> PretrainingDataModule:
    path = write_text(tmp_path_factory.mktemp("text"))
    text = path.read_text("utf-8").replace("her sister", "her sister's 12 sons")
    path.write_text(text, "utf-8")
    sizes = {"word": None, "wordpiece": 80, "bytelevel-bpe": 280}  # too small for whole words
    tokenizer = TokenizerConfig(kind=request.param, vocab_size=sizes[request.param])
    return PretrainingDataModule(str(path), tokenizer=tokenizer, max_length=32)


def score(data: PretrainingDataModule, format: Format) -> tuple[HeldOut, DocumentSums]:
    encoder = EncoderConfig(
        vocab_size=data.vocab_size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        initializer_range=0.5,
    )
    return score_test(BertModel(encoder), data, format)


@pytest.mark.parametrize("format", ["doc-sentences", "sentence-pair"])
def test_buckets_of_each_kind_add_up_to_the_whole(
    data: PretrainingDataModule, format: Format
) -> None:
    scores, sums = score(data, format)
    assert set(scores.buckets) == {"frequency", "position", "piece", "mask"}
    for buckets in scores.buckets.values():
        assert sum(each.count for each in buckets.values()) == sums.counts.sum()
        assert sum(each.right for each in buckets.values()) == sums.num_correct
        total = sum(each.nats for each in buckets.values())
        assert total == pytest.approx(sums.nats.sum(), abs=1e-5)
        assert all(each.count for each in buckets.values())
    losses = {kind: each.loss for kind, each in scores.buckets["mask"].items()}
    assert losses == pytest.approx(scores.loss_by_kind, abs=1e-5)


def test_buckets_count_what_is_there(data: PretrainingDataModule) -> None:
    scores, _ = score(data, "doc-sentences")
    test, maskable = data.parts.test, data.vocabulary.maskable
    predicted = maskable[test.tokens]
    often = data.token_counts[test.tokens[predicted]]
    frequencies = {name: each.count for name, each in scores.buckets["frequency"].items()}
    expected = {
        "0": (often == 0).sum(),
        "1-9": ((often >= 1) & (often < 10)).sum(),
        "10-99": ((often >= 10) & (often < 100)).sum(),
        "100-999": ((often >= 100) & (often < 1000)).sum(),
    }
    assert frequencies == {name: count for name, count in expected.items() if count}
    numbers = sum(piece.strip() == "12" for piece in pieces(data))
    marks = sum(piece.strip() in {".", "'"} for piece in pieces(data))
    by_piece = scores.buckets["piece"]
    assert set(by_piece) <= set(PIECES)
    assert by_piece["punctuation"].count == marks
    if numbers:  # a byte-level vocabulary may know the digits alone
        assert by_piece["number"].count >= numbers
    parts = by_piece.keys() & {"first piece", "continuation"}
    assert bool(parts) is (data.text.tokenizer.kind != "word")


def pieces(data: PretrainingDataModule) -> list[str]:
    return [data.tokenizer.decode([token]) for token in data.parts.test.tokens.tolist()]


def test_what_is_longer_on_its_way_falls_into_a_later_bucket() -> None:
    assert frequency_bucket(np.array([0, 1, 9, 10, 99, 100])).tolist() == [0, 1, 1, 2, 2, 3]
    assert position_bucket(np.array([1, 7, 8, 15, 16, 511])).tolist() == [0, 0, 1, 1, 2, 6]


@pytest.mark.parametrize(
    ("piece", "name"),
    [
        ("1984", "number"),
        (" 3.5", "number"),
        ("##7", "number"),
        ("\u0663", "number"),
        ("...", "punctuation"),
        ("##", "punctuation"),
        ("\u20ac", "punctuation"),
        ("##ing", None),
        ("\u093f", None),
        ("\ufffd", None),
        ("7th", None),
        ("", None),
    ],
)
def test_letters_tell_numbers_and_punctuation(piece: str, name: str | None) -> None:
    place = class_of_piece(piece)
    assert (None if place is None else PIECES[place]) == name
