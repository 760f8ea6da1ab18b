"""From lengths of sentences and documents to the arrays that packing and masking read."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Int64, Integer

from lit_roberta.data.tokens.store import TokenizedCorpus


def flatten(
    tokens: Integer[np.ndarray, " tokens"],
    *,
    word_starts: Bool[np.ndarray, " tokens"],
    sentence_lengths: Int64[np.ndarray, " sentences"],
    document_lengths: Int64[np.ndarray, " documents"],
) -> TokenizedCorpus:
    """Lay out a corpus, without sentences that have no token and documents that have no sentence.

    Args:
        tokens: All tokens, in order.
        word_starts: True at the first piece of each word; the first of a sentence is one.
        sentence_lengths: Tokens of each sentence.
        document_lengths: Sentences of each document, empty ones included.

    Example:
        >>> corpus = flatten(
        ...     np.array([7, 8, 9]),
        ...     word_starts=np.array([True, False, True]),
        ...     sentence_lengths=np.array([2, 0, 1]),
        ...     document_lengths=np.array([2, 1]),
        ... )
        >>> corpus.sentence_offsets.tolist(), corpus.document_offsets.tolist()
        ([0, 2, 3], [0, 1, 2])
    """
    sentences = filled_sentences(sentence_lengths, document_lengths)
    return TokenizedCorpus(
        tokens=tokens,
        word_starts=word_starts,
        sentence_offsets=_offsets(sentence_lengths[sentence_lengths > 0]),
        document_offsets=_offsets(sentences[sentences > 0]),
    )


def filled_sentences(
    sentence_lengths: Int64[np.ndarray, " sentences"],
    document_lengths: Int64[np.ndarray, " documents"],
) -> Int64[np.ndarray, " documents"]:
    """Count the sentences of each document that have a token."""
    document = np.repeat(np.arange(len(document_lengths)), document_lengths)
    return np.bincount(document[sentence_lengths > 0], minlength=len(document_lengths))


def _offsets(lengths: Int64[np.ndarray, " items"]) -> Int64[np.ndarray, " items+1"]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
