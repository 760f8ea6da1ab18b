from __future__ import annotations

import tracemalloc
from unittest import mock

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.evaluation import sampling
from lit_roberta.data.evaluation.heldout_masks import HELD_OUT_SEED
from lit_roberta.data.evaluation.sampling import (
    first_by_hash,
    sample_documents,
    select_documents,
)
from lit_roberta.randomness import Purpose, random_bits
from tests.data.corpora import numbered, shapes


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 300), st.integers(1, 40), st.integers(1, 50))
def test_the_first_by_hash_are_those_of_all_in_order(count: int, at_most: int, block: int) -> None:
    with mock.patch.object(sampling, "_BLOCK", block):
        found = first_by_hash(count, at_most=at_most)
    hashes = random_bits(HELD_OUT_SEED, Purpose.SAMPLE, np.arange(count))
    assert found.tolist() == np.argsort(hashes, kind="stable")[:at_most].tolist()


@settings(max_examples=25, deadline=None)
@given(shapes(), st.data())
def test_a_selection_holds_the_documents_as_they_were(
    shape: list[list[int]], data: st.DataObject
) -> None:
    corpus = numbered(shape)
    chosen = data.draw(st.sets(st.integers(0, len(shape) - 1)).map(sorted))
    some = select_documents(corpus, np.array(chosen, dtype=np.int64))
    alone = numbered([shape[document] for document in chosen])
    assert some.sentence_offsets.tolist() == alone.sentence_offsets.tolist()
    assert some.document_offsets.tolist() == alone.document_offsets.tolist()
    borders = corpus.document_token_offsets.tolist()
    tokens = [n for document in chosen for n in range(borders[document], borders[document + 1])]
    assert some.tokens.tolist() == corpus.tokens[tokens].tolist()
    assert len(some.word_starts) == len(tokens)


def test_what_is_taken_is_found_in_little_memory() -> None:
    corpus = numbered([[3, 4]] * 40_000)
    with mock.patch.object(sampling, "_BLOCK", 1000):
        tracemalloc.start()
        some = select_documents(corpus, sample_documents(corpus, max_tokens=700))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert some.num_documents == 100
    assert peak < 120_000  # a number for each document alone would be 320,000
