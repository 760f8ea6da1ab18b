from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.tokens.encoding import join_pieces
from lit_roberta.data.tokens.flattening import flatten


def test_nothing_at_all_is_an_empty_corpus() -> None:
    none = np.zeros(0, np.int64)
    starts = none.astype(bool)
    corpus = flatten(none, word_starts=starts, sentence_lengths=none, document_lengths=none)
    assert (corpus.num_tokens, corpus.num_sentences, corpus.num_documents) == (0, 0, 0)


def test_a_token_without_a_word_is_a_word() -> None:
    encoded = join_pieces([([5, 6, 7, 8], [0, -1, -1, 0]), ([], []), ([9], [0])], np.uint16)
    assert encoded.tokens.tolist() == [5, 6, 7, 8, 9]
    assert encoded.word_starts.tolist() == [True] * 5
    assert encoded.lengths.tolist() == [4, 0, 1]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=3), max_size=5))
def test_what_is_empty_is_left_out_and_nothing_else(documents: list[list[list[int]]]) -> None:
    sentences = [sentence for document in documents for sentence in document]
    tokens = np.array([token for sentence in sentences for token in sentence], np.int64)
    corpus = flatten(
        tokens,
        word_starts=np.ones(len(tokens), bool),
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
