"""Some of a text to judge by: the first ones by a hash, which are the same for every run.

What is taken is found in memory that grows with what is taken, not with the text.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.evaluation.heldout_masks import HELD_OUT_SEED
from lit_roberta.data.examples.pieces import ragged_range
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.randomness import Purpose, random_bits

_BLOCK = 1 << 18
"""Things that are hashed together."""


def first_by_hash(count: int, *, at_most: int) -> Int64[np.ndarray, " first_ones"]:
    """Name the first of some things in hash order.

    Args:
        count: The things, numbered from 0.
        at_most: How many of them.

    Returns:
        Their numbers, in hash order.
    """
    hashes, numbers = np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.int64)
    for first in range(0, count, _BLOCK):
        some = np.arange(first, min(first + _BLOCK, count))
        found = random_bits(HELD_OUT_SEED, Purpose.SAMPLE, some)
        # Of equal hashes the lower number stays in front.
        better = found < hashes[-1] if len(hashes) == at_most else np.full(len(some), True)
        hashes, numbers = np.append(hashes, found[better]), np.append(numbers, some[better])
        order = np.argsort(hashes, kind="stable")[:at_most]
        hashes, numbers = hashes[order], numbers[order]
    return numbers


def sample_documents(
    corpus: TokenizedCorpus, *, max_tokens: int | None
) -> Int64[np.ndarray, " documents"]:
    """Take whole documents in hash order, as many as hold `max_tokens`, and at least one.

    Returns:
        Their numbers, ascending.
    """
    if max_tokens is None:
        return np.arange(corpus.num_documents)
    # No document is empty, so more of them can't fit.
    order = first_by_hash(corpus.num_documents, at_most=max(1, max_tokens))
    offsets = corpus.document_offsets
    starts, stops = corpus.sentence_offsets[offsets[order]], offsets[order + 1]
    totals = np.cumsum(corpus.sentence_offsets[stops] - starts)
    taken = max(1, int(np.searchsorted(totals, max_tokens, side="right")))
    return np.sort(order[:taken])


def select_documents(
    corpus: TokenizedCorpus, documents: Int64[np.ndarray, " documents"]
) -> TokenizedCorpus:
    """Make a corpus of some documents of another, given in ascending order."""
    if len(documents) == corpus.num_documents:
        return corpus
    sentences, document_offsets = _inside(corpus.document_offsets, documents)
    tokens, sentence_offsets = _inside(corpus.sentence_offsets, sentences)
    return TokenizedCorpus(
        tokens=np.asarray(corpus.tokens[tokens]),
        word_starts=np.asarray(corpus.word_starts[tokens]),
        sentence_offsets=sentence_offsets,
        document_offsets=document_offsets,
    )


def _inside(
    offsets: Int64[np.ndarray, " offsets"], chosen: Int64[np.ndarray, " chosen"]
) -> tuple[Int64[np.ndarray, " items"], Int64[np.ndarray, " chosen_offsets"]]:
    """Name what lies inside of chosen things, and where each of them starts in that."""
    sizes = offsets[chosen + 1] - offsets[chosen]
    return ragged_range(offsets[chosen], sizes), np.append(0, np.cumsum(sizes))
