from __future__ import annotations

import math
from pathlib import Path

import pytest

from lit_roberta.comparison.runs.run import WordScores
from lit_roberta.comparison.runs.words import score_words
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.examples.packing import Format
from lit_roberta.data.tokens.tokenizer import TokenizerConfig, TokenizerKind
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from tests.comparison.texts import write_text

SIZES: dict[TokenizerKind, int | None] = {"word": None, "wordpiece": 80, "bytelevel-bpe": 280}
FORMATS: tuple[Format, ...] = ("doc-sentences", "sentence-pair")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = write_text(tmp_path_factory.mktemp("text"))
    rare = path.read_text("utf-8").replace("the key", "the Qu\u00e9bec", 3)
    path.write_text(rare, "utf-8")
    return path


def data_of(text: Path, kind: TokenizerKind) -> PretrainingDataModule:
    tokenizer = TokenizerConfig(kind=kind, vocab_size=SIZES[kind])
    return PretrainingDataModule(str(text), tokenizer=tokenizer, max_length=32)


def scores_of_uniform(data: PretrainingDataModule) -> WordScores:
    """Score a model to which all tokens are equally likely."""
    encoder = EncoderConfig(
        vocab_size=data.vocab_size,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=8,
        initializer_range=1e-9,
    )
    scores = score_words(BertModel(encoder), data, FORMATS)
    assert scores is not None
    return scores


def test_the_same_words_are_scored_whatever_the_tokenizer(text: Path) -> None:
    scores = [scores_of_uniform(data_of(text, kind)) for kind in SIZES]
    assert len({tuple(each.spans) for each in scores}) == 1
    assert len({each.sampled_of for each in scores}) == 1
    assert all(len(each.spans) == -(-each.sampled_of // 2) for each in scores)
    assert len(set(scores[0].spans)) == len(scores[0].spans)


@pytest.mark.parametrize("kind", SIZES)
def test_a_word_costs_the_sum_of_its_pieces(text: Path, kind: TokenizerKind) -> None:
    data = data_of(text, kind)
    scores = scores_of_uniform(data)
    sample = data.prepared.words
    assert sample is not None
    words = [each.text[a:b] for each in sample.sentences for a, b in each.words]
    a_piece = math.log(data.vocab_size)
    assert scores.nats.keys() == set(FORMATS)
    for nats in scores.nats.values():
        for word, found, floor in zip(words, nats, scores.unigram_nats, strict=True):
            ids = data.tokenizer.encode(f" {word}")
            if data.vocabulary.unk_id in ids:
                assert (found, floor) == (None, None)
            elif found is not None:
                assert round(found / a_piece, 3) == round(found / a_piece)
                assert floor is not None
    left_out = sum(each is None for each in scores.unigram_nats)
    assert left_out >= scores.unknown
    assert scores.nats["doc-sentences"].count(None) <= len(words) // 4


def test_a_text_without_a_sample_has_no_scores(text: Path) -> None:
    data = data_of(text, "word")
    data.__dict__["prepared"] = type(data.prepared)(
        **{**vars(data.prepared), "words": None}  # as an older version prepared it
    )
    encoder = EncoderConfig(vocab_size=data.vocab_size, hidden_size=8, num_attention_heads=1)
    assert score_words(BertModel(encoder), data, FORMATS) is None
