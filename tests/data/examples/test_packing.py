from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.examples.packing import Format, PackingConfig, pack
from lit_roberta.data.examples.pieces import cut_sentences
from lit_roberta.errors import UserError
from tests.data.corpora import (
    CLS,
    FORMATS,
    PAIRS,
    SEP,
    SINGLE_FORMATS,
    THREE_DOCUMENTS,
    all_rows,
    builder_of,
    corpus_of,
    even_corpus,
    numbered,
    shapes,
)

quick = settings(max_examples=30, deadline=None)


def test_a_sentence_is_an_example() -> None:
    assert all_rows(builder_of(corpus_of(THREE_DOCUMENTS), "sentence", 8)) == [
        [CLS, 10, 11, 12, SEP],
        [CLS, 13, 14, SEP],
        [CLS, 15, SEP],
        [CLS, 20, 21, SEP],
        [CLS, 22, 23, 24, 25, SEP],
        [CLS, 30, SEP],
    ]


def test_doc_sentences_fill_the_length_within_a_document() -> None:
    assert all_rows(builder_of(corpus_of(THREE_DOCUMENTS), "doc-sentences", 7)) == [
        [CLS, 10, 11, 12, 13, 14, SEP],
        [CLS, 15, SEP],
        [CLS, 20, 21, SEP],
        [CLS, 22, 23, 24, 25, SEP],
        [CLS, 30, SEP],
    ]


def test_full_sentences_cross_documents_with_one_separator_each() -> None:
    assert all_rows(builder_of(corpus_of(THREE_DOCUMENTS), "full-sentences", 11)) == [
        [CLS, 10, 11, 12, 13, 14, 15, SEP, 20, 21, SEP],
        [CLS, 22, 23, 24, 25, SEP, 30, SEP],
    ]


def test_the_separator_between_documents_takes_its_place() -> None:
    ten = all_rows(builder_of(corpus_of(THREE_DOCUMENTS), "full-sentences", 10))
    assert ten[0] == [CLS, 10, 11, 12, 13, 14, 15, SEP]


def test_every_sentence_but_the_last_of_a_document_is_once_a() -> None:
    examples = pack(
        corpus_of(THREE_DOCUMENTS), PackingConfig(format="sentence-pair", max_length=11), seed=0
    )
    assert examples.next_stops is not None
    assert examples.starts.tolist() == [0, 3, 6]
    assert examples.stops.tolist() == [3, 5, 8]
    assert examples.next_stops.tolist() == [5, 6, 12]
    assert (examples.kept_tokens, examples.dropped_tokens) == (12, 1)


def test_segments_tile_a_document_and_b_follows_a() -> None:
    corpus = even_corpus(4, sentences=10, length=3)
    examples = pack(corpus, PackingConfig(format="segment-pair", max_length=24), seed=0)
    assert examples.next_stops is not None
    borders = corpus.document_token_offsets
    for document in range(4):
        first, last = borders[document], borders[document + 1]
        inside = (examples.starts >= first) & (examples.starts < last)
        starts, stops = examples.starts[inside], examples.stops[inside]
        assert starts[0] == first
        assert (starts[1:] == stops[:-1]).all()
        assert stops[-1] == last - 3
        full = np.minimum(starts + 21, last)
        assert (examples.next_stops[inside] == full).all()
    lengths = np.diff(np.stack([examples.starts, examples.stops]), axis=0)
    assert len(np.unique(lengths)) > 2


def test_long_sentences_are_cut_into_nearly_equal_pieces() -> None:
    pieces = cut_sentences(numbered([[10, 3], [7]]), room=4)
    assert pieces.offsets.tolist() == [0, 3, 6, 10, 13, 16, 20]
    assert pieces.document_offsets.tolist() == [0, 4, 6]


@pytest.mark.parametrize("format", SINGLE_FORMATS)
@quick
@given(shape=shapes(longest=40), max_length=st.integers(3, 24))
def test_single_formats_hold_every_token_once(
    format: Format, shape: list[list[int]], max_length: int
) -> None:
    corpus = numbered(shape)
    rows = all_rows(builder_of(corpus, format, max_length))
    text = [token for row in rows for token in row if token not in (CLS, SEP)]
    assert text == corpus.tokens.tolist()
    assert all(len(row) <= max_length for row in rows)
    assert all(row[0] == CLS and row[-1] == SEP and SEP not in (row[1], row[-2]) for row in rows)


@pytest.mark.parametrize("format", PAIRS)
@quick
@given(shape=shapes(min_documents=2, min_sentences=2, longest=30), max_length=st.integers(5, 24))
def test_pairs_fit_and_lose_only_documents_of_one_sentence(
    format: Format, shape: list[list[int]], max_length: int
) -> None:
    corpus = numbered([*shape, [1]])
    builder = builder_of(corpus, format, max_length)
    examples = builder.examples
    assert examples.next_stops is not None
    held = np.zeros(corpus.num_tokens, dtype=bool)
    for start, stop in zip(examples.starts, examples.next_stops, strict=True):
        held[start:stop] = True
    assert held.sum() == examples.kept_tokens == corpus.num_tokens - 1
    assert examples.kept_tokens + examples.dropped_tokens == corpus.num_tokens
    for row in all_rows(builder):
        first, second = np.flatnonzero(np.array(row) == SEP)
        assert len(row) <= max_length
        assert row[0] == CLS
        assert second == len(row) - 1
        assert first > 1
        assert second > first + 1


@quick
@given(shape=shapes(), max_length=st.integers(5, 24))
def test_full_sentences_have_one_extra_separator_at_each_boundary(
    shape: list[list[int]], max_length: int
) -> None:
    corpus = numbered(shape)
    ends = set(corpus.tokens[corpus.document_token_offsets[1:] - 1].tolist())
    for row in all_rows(builder_of(corpus, "full-sentences", max_length)):
        for token, behind in pairwise(row[1:-1]):
            assert (behind == SEP) == (token in ends)


@pytest.mark.parametrize("format", FORMATS)
def test_the_lengths_are_those_of_the_rows(format: Format) -> None:
    builder = builder_of(corpus_of([*THREE_DOCUMENTS, *THREE_DOCUMENTS]), format, 13)
    if format not in PAIRS:  # a random B has another length
        assert builder.examples.lengths.tolist() == [len(row) for row in all_rows(builder)]
    assert builder.examples.lengths.max() <= 13


def test_short_sequences_come_as_often_as_asked() -> None:
    corpus = numbered([[1] * 40_000])
    config = PackingConfig(format="doc-sentences", max_length=42, short_sequence_probability=0.1)
    lengths = pack(corpus, config, seed=3).lengths[:-1] - 2
    share = np.mean(lengths < 40)
    assert abs(share - 0.1 * 38 / 39) < 5 * np.sqrt(0.09 / len(lengths))
    assert lengths.min() >= 2
    always = PackingConfig(format="doc-sentences", max_length=42, short_sequence_probability=1.0)
    assert abs(pack(corpus, always, seed=3).lengths[:-1].mean() - 2 - 21) < 1.5


@pytest.mark.parametrize("format", ["segment-pair", "full-sentences"])
def test_short_sequences_reach_every_format_that_fills_the_length(format: Format) -> None:
    corpus = even_corpus(6, sentences=30, length=1)
    plain = PackingConfig(format=format, max_length=20)
    short = PackingConfig(format=format, max_length=20, short_sequence_probability=0.5)
    assert len(pack(corpus, short, seed=0)) > len(pack(corpus, plain, seed=0))


@pytest.mark.parametrize(
    ("settings_", "words"),
    [
        (
            {"format": "sentence", "max_length": 2},
            "data.max_length must lie between 3 and 65535 for sentence",
        ),
        (
            {"format": "sentence", "max_length": 2**16},
            "data.max_length must lie between 3 and 65535",
        ),
        (
            {"format": "segment-pair", "max_length": 4},
            "data.max_length must lie between 5 and 65535",
        ),
        (
            {"format": "sentence", "max_length": 9, "short_sequence_probability": 0.1},
            "data.short_sequence_probability must be 0 for sentence",
        ),
        (
            {"format": "sentence-pair", "max_length": 9, "short_sequence_probability": 0.1},
            "data.short_sequence_probability must be 0 for sentence-pair",
        ),
        (
            {"format": "doc-sentences", "max_length": 9, "short_sequence_probability": 1.5},
            "data.short_sequence_probability must lie between 0 and 1, got 1.5",
        ),
        (
            {"format": "doc-sentences", "max_length": 9, "nsp_first_sentences": True},
            "data.nsp_first_sentences must be off for doc-sentences",
        ),
    ],
)
def test_settings_that_cannot_act_are_refused(settings_: dict[str, object], words: str) -> None:
    with pytest.raises(UserError, match=words):
        PackingConfig(**settings_)  # type: ignore[arg-type]


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_corpus_is_refused(format: Format) -> None:
    with pytest.raises(UserError, match=r"data\.corpus must hold at least one sentence"):
        pack(corpus_of([]), PackingConfig(format=format, max_length=9), seed=0)


@pytest.mark.parametrize("format", PAIRS)
def test_documents_of_one_sentence_give_no_pairs(format: Format) -> None:
    with pytest.raises(UserError, match=r"data\.corpus must hold a document of two sentences"):
        pack(even_corpus(5, sentences=1), PackingConfig(format=format, max_length=20), seed=0)
