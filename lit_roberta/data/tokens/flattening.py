"""From lengths of sentences and documents to the arrays that packing and masking read."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64, Integer

from lit_roberta.data.tokens.store import TokenizedCorpus


def flatten(
    tokens: Integer[np.ndarray, " tokens"],
    *,
    words: Integer[np.ndarray, " tokens"],
    sentence_lengths: Int64[np.ndarray, " sentences"],
    document_lengths: Int64[np.ndarray, " documents"],
) -> TokenizedCorpus:
    """Lay out a corpus, without sentences that have no token and documents that have no sentence.

    Args:
        tokens: All tokens, in order.
        words: Which word of its sentence each token belongs to; -1 for a word of its own.
        sentence_lengths: Tokens of each sentence.
        document_lengths: Sentences of each document, empty ones included.

    Returns:
        The corpus; a word starts at its first token and never reaches into the next sentence.

    Example:
        >>> corpus = flatten(
        ...     np.array([7, 8, 9]),
        ...     words=np.array([0, 0, 0]),
        ...     sentence_lengths=np.array([2, 0, 1]),
        ...     document_lengths=np.array([2, 1]),
        ... )
        >>> corpus.sentence_offsets.tolist(), corpus.document_offsets.tolist()
        ([0, 2, 3], [0, 1, 2])
        >>> corpus.word_starts.tolist()
        [True, False, True]
    """
    document = np.repeat(np.arange(len(document_lengths)), document_lengths)
    filled = sentence_lengths > 0
    sentences = np.bincount(document[filled], minlength=len(document_lengths))
    sentence_offsets = _offsets(sentence_lengths[filled])
    word_starts = np.ones(len(tokens), dtype=bool)
    word_starts[1:] = (words[1:] != words[:-1]) | (words[1:] < 0)
    word_starts[sentence_offsets[:-1]] = True
    return TokenizedCorpus(
        tokens=tokens,
        word_starts=word_starts,
        sentence_offsets=sentence_offsets,
        document_offsets=_offsets(sentences[sentences > 0]),
    )


def _offsets(lengths: Int64[np.ndarray, " items"]) -> Int64[np.ndarray, " items+1"]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
