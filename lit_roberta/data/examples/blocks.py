"""A corpus as blocks of pieces, so that packing takes as much memory however large the corpus is.

In: a tokenized corpus. Out: pieces, a block at a time, in corpus order. Blocks end anywhere, also
in the middle of a document; each shows as much of what lies behind it as an example can reach
into. It knows nothing of formats.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from lit_roberta.data.examples.pieces import Pieces, cut_offsets, cut_sentences
from lit_roberta.data.tokens.store import TokenizedCorpus

SENTENCES = 1 << 18
"""Sentences of a block; packing takes some 100 bytes for each."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Some pieces of a corpus, and those behind them that an example can reach into."""

    pieces: Pieces
    """Numbered from 0; a document that reaches beyond them counts as far as they go."""
    size: int
    """Pieces of its own, from the first; those behind are the next block's."""
    first: int
    """The number of its first piece in the corpus."""

    @classmethod
    def whole(cls, corpus: TokenizedCorpus, *, room: int) -> Block:
        """Make one block of a corpus that fits into memory.

        Args:
            corpus: The tokenized corpus.
            room: The most tokens of a piece.
        """
        pieces = cut_sentences(corpus, room=room)
        return cls(pieces=pieces, size=len(pieces), first=0)


def blocks_of(
    corpus: TokenizedCorpus, *, room: int, reach: int, sentences: int = SENTENCES
) -> Iterator[Block]:
    """Cut a corpus into blocks of pieces.

    Args:
        corpus: The tokenized corpus.
        room: The most tokens of a piece.
        reach: The most tokens that an example has: what lies this far behind a block is shown.
        sentences: The most sentences of a block; those that are cut into many pieces make it
            shorter.
    """
    offsets, total = corpus.sentence_offsets, corpus.num_sentences
    start, first = 0, 0
    while start < total:
        most = int(np.searchsorted(offsets, offsets[start] + room * sentences, side="right")) - 1
        stop = min(start + sentences, max(most, start + 1), total)
        shown = min(int(np.searchsorted(offsets, offsets[stop] + reach)), total)
        block = _block(corpus, start, stop, shown, room=room, first=first)
        yield block
        start, first = stop, first + block.size


def _block(
    corpus: TokenizedCorpus, start: int, stop: int, shown: int, *, room: int, first: int
) -> Block:
    """Cut the sentences from `start` to `shown`, of which those before `stop` are the block's."""
    cuts, first_pieces = cut_offsets(corpus.sentence_offsets[start : shown + 1], room=room)
    borders = corpus.document_offsets
    begin = int(np.searchsorted(borders, start, side="right")) - 1
    end = int(np.searchsorted(borders, shown))
    inside = np.clip(borders[begin : end + 1], start, shown) - start
    pieces = Pieces(offsets=cuts, document_offsets=first_pieces[inside])
    return Block(pieces=pieces, size=int(first_pieces[stop - start]), first=first)
