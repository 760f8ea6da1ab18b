from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.preparation.sampling import spread_sample
from lit_roberta.data.tokens.store import TokenizedCorpus
from tests.data.corpora import numbered, shapes

quick = settings(max_examples=20, deadline=None)


def documents_of(corpus: TokenizedCorpus) -> list[list[int]]:
    bounds = corpus.document_token_offsets.tolist()
    return [corpus.tokens[start:stop].tolist() for start, stop in pairwise(bounds)]


@quick
@given(shape=shapes(), at_most=st.integers(1, 400))
def test_a_sample_is_text_of_the_corpus_each_token_once(
    shape: list[list[int]], at_most: int
) -> None:
    corpus = numbered(shape)
    sample = spread_sample(corpus, at_most=at_most)
    if corpus.num_tokens <= at_most:
        assert sample is corpus
        return
    tokens = sample.tokens.tolist()
    assert tokens == sorted(set(tokens))
    assert set(tokens) <= set(corpus.tokens.tolist())
    assert np.diff(sample.sentence_offsets).min(initial=1) > 0
    assert np.diff(sample.document_offsets).min(initial=1) > 0
    assert sample.sentence_offsets[-1] == sample.num_tokens == len(sample.word_starts)
    assert sample.document_offsets[-1] == sample.num_sentences
    # Every document of the sample is one of the corpus, or a part of one.
    borders = corpus.document_token_offsets
    for document in documents_of(sample):
        first, last = document[0] - 5, document[-1] - 5
        assert document == list(range(document[0], document[-1] + 1))
        assert np.searchsorted(borders, first, "right") == np.searchsorted(borders, last, "right")


def test_a_sample_has_whole_documents_as_often_as_the_corpus_has_them() -> None:
    generator = np.random.default_rng(0)
    shape = [[6] * int(count) for count in generator.choice([1, 2, 20], size=20_000)]
    corpus = numbered(shape)
    sample = spread_sample(corpus, at_most=100_000)
    assert 90_000 <= sample.num_tokens <= 200_000
    whole = {tuple(document) for document in documents_of(corpus)}
    assert all(tuple(document) in whole for document in documents_of(sample))
    sizes = np.diff(sample.document_offsets)
    for size in (1, 2, 20):
        assert np.mean(sizes == size) == pytest.approx(1 / 3, abs=0.03)


def test_one_long_document_is_taken_in_parts_from_all_over_it() -> None:
    corpus = numbered([[10] * 10_000])
    sample = spread_sample(corpus, at_most=6_400)
    assert 6_000 <= sample.num_tokens <= 7_000
    assert sample.num_documents == 64
    starts = sample.tokens[sample.document_token_offsets[:-1]]
    assert np.diff(starts).max() < 2 * 100_000 / 64
