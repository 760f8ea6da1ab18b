"""Sentences cut to fit: what every input format is built from.

In: a tokenized corpus and the room for one sentence. Out: offsets, in tokens. It knows nothing of
special tokens or of formats.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.tokens.store import TokenizedCorpus


@dataclass(frozen=True, kw_only=True)
class Pieces:
    """Sentences, those that were too long for the format cut into nearly equal pieces.

    From here on a piece is a sentence: nothing behind this point ever has to truncate.
    """

    offsets: Int64[np.ndarray, " piece_offsets"]
    """Where each piece starts, in tokens; the last entry is where the last one ends."""
    document_offsets: Int64[np.ndarray, " document_offsets"]
    """Where each document starts, in pieces; the last entry is the number of pieces."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def documents(self) -> Int64[np.ndarray, " pieces"]:
        """The document of each piece."""
        sizes = np.diff(self.document_offsets)
        return np.repeat(np.arange(len(sizes)), sizes)

    @cached_property
    def document_stops(self) -> Int64[np.ndarray, " pieces"]:
        """The piece behind the last one of each piece's document."""
        return self.document_offsets[self.documents + 1]


def cut_sentences(corpus: TokenizedCorpus, *, room: int) -> Pieces:
    """Cut every sentence that is longer than the room into as few, nearly equal pieces as fit.

    Args:
        corpus: The tokenized corpus, which fits into memory.
        room: The most tokens that a sentence may have, at least 1.

    Returns:
        The pieces, in corpus order; together they hold every token once.
    """
    cuts, first_pieces = cut_offsets(corpus.sentence_offsets, room=room)
    return Pieces(offsets=cuts, document_offsets=first_pieces[corpus.document_offsets])


def cut_offsets(
    offsets: Int64[np.ndarray, " sentence_offsets"], *, room: int
) -> tuple[Int64[np.ndarray, " piece_offsets"], Int64[np.ndarray, " sentence_offsets"]]:
    """Cut sentences that follow each other.

    Args:
        offsets: Where each starts, in tokens, and where the last one ends.
        room: The most tokens of a piece.

    Returns:
        Where each piece starts, likewise, and the first piece of each sentence; the last entry is
        the number of pieces.
    """
    sizes = np.diff(offsets)
    counts = -(-sizes // room)
    sentences = np.repeat(np.arange(len(sizes)), counts)
    places = ragged_range(np.zeros_like(counts), counts)
    cuts = offsets[sentences] + sizes[sentences] * places // counts[sentences]
    return np.append(cuts, offsets[-1]), np.append(0, np.cumsum(counts))


def ragged_range(
    firsts: Int64[np.ndarray, " ranges"], counts: Int64[np.ndarray, " ranges"]
) -> Int64[np.ndarray, " total"]:
    """Join ranges of whole numbers, each given by its first number and its count.

    Example:
        >>> ragged_range(np.array([5, 0, 9]), np.array([2, 0, 3])).tolist()
        [5, 6, 9, 10, 11]
    """
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) + np.repeat(firsts - ends + counts, counts)
