from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Regex, models, normalizers, pre_tokenizers

from lit_roberta.data.tokens import encoding
from lit_roberta.data.tokens.chunks import split_chunks, works_by_chunk
from lit_roberta.data.tokens.loading import SpecialTokens
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from tests.data.tokens.nasty import SETTINGS, sentences, train

SHARED = Path(__file__).parents[3] / "../shared/data/vocab"
READY = ("bert-base-uncased", "gpt2", "roberta")


def pieces_of(tokenizer: Tokenizer, texts: list[str]) -> list[tuple[list[int], list[bool]]]:
    """Ask the library for whole sentences: ids, and where words start."""
    found = []
    for text in texts:
        ids, words = tokenizer._pieces(
            tokenizer._backend.encode_batch([text], add_special_tokens=False)[0]
        )
        starts = [n == 0 or word != words[n - 1] or word < 0 for n, word in enumerate(words)]
        found.append((ids, starts))
    return found


def assert_same_as_the_library(tokenizer: Tokenizer, texts: list[str]) -> None:
    encoded = tokenizer.encode_sentences(texts)
    pieces = pieces_of(tokenizer, texts)
    assert encoded.lengths.tolist() == [len(ids) for ids, _ in pieces]
    assert encoded.tokens.tolist() == [number for ids, _ in pieces for number in ids]
    assert encoded.word_starts.tolist() == [start for _, starts in pieces for start in starts]


@settings(max_examples=150, deadline=None)
@given(config=st.sampled_from(SETTINGS), texts=sentences)
def test_chunks_give_what_whole_sentences_give(config: TokenizerConfig, texts: list[str]) -> None:
    assert_same_as_the_library(train(config), texts)


@pytest.mark.slow
@settings(max_examples=5000, deadline=None)
@given(config=st.sampled_from(SETTINGS), texts=sentences)
def test_chunks_give_what_whole_sentences_give_at_length(
    config: TokenizerConfig, texts: list[str]
) -> None:
    assert_same_as_the_library(train(config), texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["a\t \tb"],
        ["a\u00a0 \u00a0b"],
        [" a", "b  c"],
        ["a\t b", "c  d"],
        ["a \u0301 \u0301 b"],
        ["", " ", "", "a"],
        [],
    ],
)
@pytest.mark.parametrize("kind", ["word", "wordpiece", "bytelevel-bpe"])
def test_white_space_in_runs_and_at_the_front_misplaces_nothing(
    kind: str, texts: list[str]
) -> None:
    for config in SETTINGS:
        if config.kind == kind:
            assert_same_as_the_library(train(config), texts)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no shared vocabularies here")
@pytest.mark.parametrize("name", READY)
def test_ready_vocabularies_work_by_chunk_to_the_same_pieces(name: str) -> None:
    tokenizer = ready(name)
    assert works_by_chunk(tokenizer._backend)

    @settings(max_examples=40, deadline=None)
    @given(texts=sentences)
    def check(texts: list[str]) -> None:
        assert_same_as_the_library(tokenizer, texts)

    check()


def ready(name: str) -> Tokenizer:
    if name != "gpt2":
        return Tokenizer.from_path(str(SHARED / name))
    # It has no control tokens; masking needs some.
    backend = tokenizers.Tokenizer(
        models.BPE.from_file(str(SHARED / name / "encoder.json"), str(SHARED / name / "vocab.bpe"))
    )
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return Tokenizer(backend, special_tokens=SpecialTokens(unk_token=None))


def test_a_table_that_is_full_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoding, "_MOST_CHUNKS", 3)
    tokenizer = Tokenizer.from_json(train(SETTINGS[-1]).to_json())
    for number in range(5):
        assert_same_as_the_library(tokenizer, [f"the {number} ship", "a  b c", "the ship"])
        assert len(tokenizer._chunk_table._numbers) < 10


@settings(max_examples=60, deadline=None)
@given(texts=sentences)
def test_chunks_together_are_the_sentences(texts: list[str]) -> None:
    chunks, counts = split_chunks(texts)
    assert len(counts) == len(texts)
    rest = iter(chunks)
    assert ["".join(next(rest) for _ in range(count)) for count in counts] == texts
    assert not list(rest)


def _with(change: Callable[[tokenizers.Tokenizer], Any]) -> tokenizers.Tokenizer:
    backend = tokenizers.Tokenizer(models.BPE({"a": 0, "[UNK]": 1}, [], unk_token="[UNK]"))
    backend.normalizer = normalizers.Sequence([normalizers.NFC()])
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    change(backend)
    return backend


def _set(name: str, value: Any) -> Callable[[tokenizers.Tokenizer], Any]:
    return lambda backend: setattr(backend, name, value)


LOOKS_FURTHER = {
    "a space before the first word": _set(
        "pre_tokenizer", pre_tokenizers.ByteLevel(add_prefix_space=True)
    ),
    "bytes without words": _set(
        "pre_tokenizer", pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    ),
    "no words": _set("pre_tokenizer", None),
    "punctuation alone": _set("pre_tokenizer", pre_tokenizers.Punctuation()),
    "spaces as letters": _set("pre_tokenizer", pre_tokenizers.Metaspace()),
    "a pattern over spaces": _set(
        "pre_tokenizer",
        pre_tokenizers.Sequence(
            [pre_tokenizers.Split(Regex("b c"), "isolated"), pre_tokenizers.Whitespace()]
        ),
    ),
    "a split inside of a split": _set(
        "pre_tokenizer",
        pre_tokenizers.Sequence(
            [
                pre_tokenizers.Sequence([pre_tokenizers.Metaspace()]),
                pre_tokenizers.Whitespace(),
            ]
        ),
    ),
    "replacing": _set("normalizer", normalizers.Replace("b c", "d")),
    "stripping": _set("normalizer", normalizers.Strip()),
    "accents taken off where white space is kept": _set(
        "normalizer", normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])
    ),
    "control characters taken out where white space is kept": _set(
        "normalizer", normalizers.BertNormalizer()
    ),
    "pieces that are drawn": _set("model", models.BPE({"a": 0}, [], dropout=0.1)),
    "unigram": _set("model", models.Unigram([("a", -1.0)], None)),
    "a word of the user's": lambda backend: backend.add_tokens(["b c"]),
}


def test_what_stays_inside_of_words_works_by_chunk() -> None:
    assert works_by_chunk(_with(lambda backend: None))


@pytest.mark.parametrize("change", LOOKS_FURTHER.values(), ids=list(LOOKS_FURTHER))
def test_what_may_look_beyond_a_space_does_not(
    change: Callable[[tokenizers.Tokenizer], Any],
) -> None:
    assert not works_by_chunk(_with(change))


def test_most_settings_work_by_chunk() -> None:
    others = [config for config in SETTINGS if not works_by_chunk(train(config)._backend)]
    assert {(config.kind, config.strip_accents) for config in others} == {("bytelevel-bpe", True)}
