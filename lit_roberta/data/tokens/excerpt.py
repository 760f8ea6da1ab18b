"""A part of a tokenized corpus: whole documents, drawn by hash, in their order.

A smaller share is part of a larger one, so that what a study of more text adds is text and nothing
else.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64, Integer

from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.randomness import Purpose, random_bits

_CONSTANT = 0
"""In place of a seed: all runs of a study take the same documents."""


def excerpt(corpus: TokenizedCorpus, share: float) -> TokenizedCorpus:
    """Take documents until they hold a share of the tokens, at least one.

    Args:
        corpus: Documents.
        share: Above 0 and below 1.

    Returns:
        The documents in their order, in memory.
    """
    numbers = np.arange(corpus.num_documents)
    ranked = np.argsort(random_bits(_CONSTANT, Purpose.EXCERPT, numbers), kind="stable")
    lengths = np.diff(corpus.document_token_offsets)
    held = np.cumsum(lengths[ranked])
    count = 1 + int(np.searchsorted(held, share * corpus.num_tokens))
    return _take(corpus, np.sort(ranked[:count]))


def _take(corpus: TokenizedCorpus, documents: Int64[np.ndarray, " documents"]) -> TokenizedCorpus:
    sentences = _spans(corpus.document_offsets, documents)
    tokens = _spans(corpus.sentence_offsets, sentences)
    return TokenizedCorpus(
        tokens=corpus.tokens[tokens],
        word_starts=corpus.word_starts[tokens],
        sentence_offsets=_offsets(corpus.sentence_offsets, sentences),
        document_offsets=_offsets(corpus.document_offsets, documents),
        sources=None if corpus.sources is None else corpus.sources[documents],
    )


def _spans(
    offsets: Int64[np.ndarray, " offsets"], chosen: Integer[np.ndarray, " chosen"]
) -> Int64[np.ndarray, " items"]:
    """List the items of the chosen spans, one after another."""
    starts, lengths = offsets[chosen], np.diff(offsets)[chosen]
    moved = starts - _starts(lengths)[:-1]
    return np.arange(int(lengths.sum())) + np.repeat(moved, lengths)


def _offsets(
    offsets: Int64[np.ndarray, " offsets"], chosen: Integer[np.ndarray, " chosen"]
) -> Int64[np.ndarray, " new_offsets"]:
    return _starts(np.diff(offsets)[chosen])


def _starts(lengths: Int64[np.ndarray, " spans"]) -> Int64[np.ndarray, " offsets"]:
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
