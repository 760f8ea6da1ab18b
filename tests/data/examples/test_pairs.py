from __future__ import annotations

import math
from itertools import chain

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jaxtyping import Int64, UInt64

from lit_roberta.data.examples.keys import visit_keys
from lit_roberta.data.examples.packing import Examples, Format, PackingConfig, pack
from lit_roberta.data.examples.pairs import Pairs, draw_pairs
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import UserError
from tests.data.corpora import PAIRS, THREE_DOCUMENTS, corpus_of, even_corpus, numbered, shapes


def pack_pairs(
    corpus: TokenizedCorpus,
    format: Format = "sentence-pair",
    *,
    max_length: int = 30,
    first_sentences: bool = False,
) -> Examples:
    config = PackingConfig(
        format=format, max_length=max_length, nsp_first_sentences=first_sentences
    )
    return pack(corpus, config, seed=0)


def draw(examples: Examples, *, visits: int = 1, seed: int = 0) -> Pairs:
    """Draw every example at several visits."""
    numbers = np.tile(np.arange(len(examples)), visits)
    return draw_pairs(examples, numbers, keys(numbers, len(examples), seed))


def keys(
    numbers: Int64[np.ndarray, " n"], num_examples: int, seed: int
) -> UInt64[np.ndarray, " n"]:
    return visit_keys(numbers, np.arange(len(numbers)) // num_examples, seed=seed)


def document_of(
    corpus: TokenizedCorpus, tokens: Int64[np.ndarray, " n"]
) -> Int64[np.ndarray, " n"]:
    return np.searchsorted(corpus.document_token_offsets, tokens, side="right")


@pytest.mark.parametrize("format", PAIRS)
def test_half_of_the_pairs_follow(format: Format) -> None:
    labels = draw(pack_pairs(even_corpus(40), format), visits=50).labels
    assert len(labels) > 3000
    assert abs(labels.mean() - 0.5) < 5 * 0.5 / math.sqrt(len(labels))


@pytest.mark.parametrize("format", PAIRS)
@settings(max_examples=25, deadline=None)
@given(shape=shapes(min_documents=3, min_sentences=2), max_length=st.integers(7, 30))
def test_true_b_follows_and_random_b_comes_from_another_document(
    format: Format, shape: list[list[int]], max_length: int
) -> None:
    corpus = numbered(shape)
    examples = pack_pairs(corpus, format, max_length=max_length)
    pairs = draw(examples, visits=4)
    true = pairs.labels == 1
    assert examples.next_stops is not None
    packed = np.tile(np.stack([examples.starts, examples.stops, examples.next_stops]), 4)
    drawn = np.stack([pairs.starts, pairs.stops, pairs.next_stops])
    assert (drawn[:, true] == packed[:, true]).all()
    assert (pairs.next_starts[true] == pairs.stops[true]).all()
    a, b = document_of(corpus, pairs.starts), document_of(corpus, pairs.next_starts)
    assert (a[~true] != b[~true]).all()
    assert (document_of(corpus, pairs.next_stops - 1) == b).all()
    sizes = pairs.stops - pairs.starts + pairs.next_stops - pairs.next_starts
    assert (sizes <= max_length - 3).all()
    assert (pairs.stops > pairs.starts).all()
    assert (pairs.next_stops > pairs.next_starts).all()


def test_a_random_b_never_opens_a_document_unless_asked() -> None:
    corpus = even_corpus(10)
    first = set(corpus.document_token_offsets.tolist())
    pairs = draw(pack_pairs(corpus), visits=40)
    assert not first & set(pairs.next_starts.tolist())
    google = draw(pack_pairs(corpus, first_sentences=True), visits=40)
    random = google.next_starts[google.labels == 0]
    assert abs(np.mean([start in first for start in random.tolist()]) - 0.25) < 0.08


def test_every_sentence_is_as_often_a_random_b_as_a_true_one() -> None:
    corpus = even_corpus(6)
    pairs = draw(pack_pairs(corpus), visits=2000)
    counts = np.zeros((2, corpus.num_tokens))
    np.add.at(counts, (pairs.labels, pairs.next_starts), 1)
    true = counts[1] > 0
    assert true.sum() == 18
    assert counts[0].sum() == counts[0][true].sum()
    expected = counts[0].sum() / 18
    assert np.abs(counts[0][true] - expected).max() < 5 * math.sqrt(expected)


def test_a_random_b_is_uniform_over_the_other_documents() -> None:
    corpus = numbered([[4] * 2, [4] * 3, [4] * 9])
    pairs = draw(pack_pairs(corpus), visits=4000)
    of_the_first = (pairs.starts == 0) & (pairs.labels == 0)
    counts = np.unique(pairs.next_starts[of_the_first], return_counts=True)[1]
    assert len(counts) == 10
    assert np.abs(counts - counts.mean()).max() < 5 * math.sqrt(counts.mean())


@pytest.mark.parametrize(
    ("first_sentences", "accuracy"), [(False, 0.5), (True, 0.625)], ids=["ours", "google"]
)
def test_what_b_alone_tells_about_the_label(first_sentences: bool, accuracy: float) -> None:
    # The first sentence of a document is of another length, so its place shows in B alone.
    corpus = numbered([[3, 5, 5, 5]] * 50)
    pairs = draw(pack_pairs(corpus, first_sentences=first_sentences), visits=40)
    lengths = pairs.next_stops - pairs.next_starts
    best = sum(
        max(np.sum(pairs.labels[lengths == length] == label) for label in (0, 1))
        for length in np.unique(lengths)
    )
    assert abs(best / len(lengths) - accuracy) < 5 * 0.5 / math.sqrt(len(lengths))


def test_segments_leave_b_alone_without_information() -> None:
    generator = np.random.default_rng(0)
    corpus = numbered([generator.integers(1, 12, 20).tolist() for _ in range(40)])
    pairs = draw(pack_pairs(corpus, "segment-pair", max_length=40), visits=40)
    sentence = np.searchsorted(corpus.sentence_offsets, pairs.next_starts)
    first_length = np.diff(corpus.sentence_offsets)[sentence]
    best = sum(
        max(np.sum(pairs.labels[first_length == length] == label) for label in (0, 1))
        for length in np.unique(first_length)
    )
    assert abs(best / len(first_length) - 0.5) < 0.015


def test_a_random_b_is_drawn_anew_at_each_visit() -> None:
    pairs = draw(pack_pairs(even_corpus(30)), visits=2)
    starts = pairs.next_starts.reshape(2, -1)
    assert (starts[0] != starts[1]).mean() > 0.6
    again = draw(pack_pairs(even_corpus(30)), visits=2)
    assert (again.next_starts == pairs.next_starts).all()


@pytest.mark.parametrize("format", PAIRS)
def test_a_random_b_never_reads_like_the_true_one(format: Format) -> None:
    refrain = [9, 9, 9]
    verses = [[[10 * n + k] * 3 for k in range(2)] for n in range(1, 7)]
    corpus = corpus_of(
        [list(chain.from_iterable((v, refrain) for v in verse)) for verse in verses]
    )
    examples = pack_pairs(corpus, format, max_length=9)
    pairs = draw(examples, visits=200)
    numbers = np.tile(np.arange(len(examples)), 200)
    random = pairs.labels == 0
    true_next = corpus.tokens[examples.stops[numbers[random]]]
    assert (corpus.tokens[pairs.next_starts[random]] != true_next).all()
    assert (true_next == 9).any()


def test_the_last_resort_finds_the_one_partner_there_is() -> None:
    same = [[[7], [8]] for _ in range(300)]
    corpus = corpus_of([*same, [[7], [9]]])
    pairs = draw(pack_pairs(corpus), visits=3)
    of_the_many = (pairs.labels == 0) & (pairs.starts < 600)
    assert set(corpus.tokens[pairs.next_starts[of_the_many]].tolist()) == {9}


@pytest.mark.parametrize("format", PAIRS)
@pytest.mark.parametrize(
    "documents",
    [
        [[[10, 11], [12], [13]]],
        [[[10], [11]], [[10], [11]]],
        [[[10], [11]], [[12], [11]], [[13], [11]]],
        [[[10], [11]], [[12]]],
    ],
    ids=["one", "two equal", "one refrain", "one pair"],
)
def test_a_corpus_without_random_partners_is_refused(
    format: Format, documents: list[list[list[int]]]
) -> None:
    with pytest.raises(
        UserError, match=r"data\.corpus must offer each pair a sentence of another"
    ):
        pack_pairs(corpus_of(documents), format)


def test_two_documents_are_enough_if_they_differ() -> None:
    corpus = corpus_of(THREE_DOCUMENTS)
    pairs = draw(pack_pairs(corpus), visits=50)
    a, b = document_of(corpus, pairs.starts), document_of(corpus, pairs.next_starts)
    assert ((a == b) == (pairs.labels == 1)).all()
