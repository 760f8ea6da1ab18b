from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.tokens.flattening import flatten


def test_nothing_at_all_is_an_empty_corpus() -> None:
    none = np.zeros(0, np.int64)
    corpus = flatten(none, words=none, sentence_lengths=none, document_lengths=none)
    assert (corpus.num_tokens, corpus.num_sentences, corpus.num_documents) == (0, 0, 0)


def test_a_token_without_a_word_is_a_word() -> None:
    corpus = flatten(
        np.array([5, 6, 7, 8]),
        words=np.array([0, -1, -1, 0]),
        sentence_lengths=np.array([4]),
        document_lengths=np.array([1]),
    )
    assert corpus.word_starts.tolist() == [True, True, True, True]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=3), max_size=5))
def test_what_is_empty_is_left_out_and_nothing_else(documents: list[list[list[int]]]) -> None:
    sentences = [sentence for document in documents for sentence in document]
    tokens = np.array([token for sentence in sentences for token in sentence], np.int64)
    corpus = flatten(
        tokens,
        words=np.zeros(len(tokens), np.int64),
        sentence_lengths=np.array([len(sentence) for sentence in sentences], np.int64),
        document_lengths=np.array([len(document) for document in documents], np.int64),
    )
    read = [
        [
            corpus.tokens[corpus.sentence_offsets[s] : corpus.sentence_offsets[s + 1]].tolist()
            for s in range(corpus.document_offsets[d], corpus.document_offsets[d + 1])
        ]
        for d in range(corpus.num_documents)
    ]
    kept = [[sentence for sentence in document if sentence] for document in documents]
    assert read == [document for document in kept if document]
    assert np.flatnonzero(corpus.word_starts).tolist() == corpus.sentence_offsets[:-1].tolist()
