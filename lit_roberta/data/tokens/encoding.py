"""Sentences to arrays of tokens, as fast as most of their words are known.

In: sentences. Out: tokens, where words start, and how long each sentence is. The pieces of each
chunk come from the tokenizer's library, once; a table gives them from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64, Integer

from lit_roberta.data.tokens.chunks import split_chunks

Pieces = tuple[list[int], list[int]]
"""Ids, and the word of each: -1 for a word of its own."""

_BATCH = 4096
"""Sentences."""
_MOST_CHUNKS = 1 << 18
"""Chunks that are remembered: some 60 MB. Then the table begins anew."""


class Encoded(NamedTuple):
    """Sentences as tokens, one after the other."""

    tokens: Integer[np.ndarray, " tokens"]
    word_starts: Bool[np.ndarray, " tokens"]
    lengths: Int64[np.ndarray, " sentences"]
    """Tokens of each sentence; none for one of which nothing is left."""


class _Numbers(dict[str, int]):
    """Give each chunk a number at its first sight, and note the new ones."""

    def __init__(self) -> None:
        super().__init__()
        self.new: list[str] = []

    def __missing__(self, chunk: str) -> int:
        self.new.append(chunk)
        self[chunk] = number = len(self)
        return number


class ChunkTable:
    """The pieces of all chunks that were seen.

    Args:
        encode: Gives the pieces of texts.
        dtype: Of tokens.
    """

    def __init__(
        self, encode: Callable[[list[str]], list[Pieces]], dtype: type[np.integer]
    ) -> None:
        self._encode = encode
        self._dtype = dtype
        self._clear()

    def _clear(self) -> None:
        self._numbers = _Numbers()
        self._tokens = np.zeros(0, self._dtype)
        self._starts = np.zeros(0, bool)
        self._offsets = np.zeros(1, np.int64)

    def encode(self, sentences: Sequence[str]) -> Encoded:
        """Encode sentences, none of which holds a newline."""
        if len(self._numbers) > _MOST_CHUNKS:
            self._clear()
        chunks, counts = split_chunks(sentences)
        numbers = np.fromiter(map(self._numbers.__getitem__, chunks), np.int64, len(chunks))
        self._learn()
        sizes = np.diff(self._offsets)[numbers]
        ends = np.cumsum(sizes)
        places = np.arange(ends[-1] if len(ends) else 0)
        places += np.repeat(self._offsets[numbers] - ends + sizes, sizes)
        firsts = np.cumsum([0, *counts[:-1]])
        lengths = np.add.reduceat(sizes, firsts) if len(sizes) else sizes
        return Encoded(self._tokens[places], self._starts[places], lengths)

    def _learn(self) -> None:
        """Look the new chunks up."""
        new = self._numbers.new
        if not new:
            return
        encoded = join_pieces(self._encode(new), self._dtype)
        self._tokens = np.append(self._tokens, encoded.tokens)
        self._starts = np.append(self._starts, encoded.word_starts)
        more = self._offsets[-1] + np.cumsum(encoded.lengths)
        self._offsets = np.append(self._offsets, more)
        self._numbers.new = []


def join_pieces(pieces: Sequence[Pieces], dtype: type[np.integer]) -> Encoded:
    """Lay out the pieces of texts one after the other; a text starts a word."""
    lengths = np.fromiter((len(ids) for ids, _ in pieces), np.int64, len(pieces))
    total = int(lengths.sum())
    tokens = np.fromiter(chain.from_iterable(ids for ids, _ in pieces), dtype, total)
    words = np.fromiter(chain.from_iterable(word for _, word in pieces), np.int64, total)
    starts = np.ones(total, dtype=bool)
    starts[1:] = (words[1:] != words[:-1]) | (words[1:] < 0)
    starts[(np.cumsum(lengths) - lengths)[lengths > 0]] = True
    return Encoded(tokens, starts, lengths)


def batches(sentences: Iterator[str]) -> Iterator[list[str]]:
    """Take some thousand sentences at a time."""
    while batch := list(islice(sentences, _BATCH)):
        yield batch


def concatenate(parts: Sequence[Encoded], dtype: type[np.integer]) -> Encoded:
    """Put encoded sentences one behind the other."""
    nothing = Encoded(np.zeros(0, dtype), np.zeros(0, bool), np.zeros(0, np.int64))
    return Encoded(*map(np.concatenate, zip(nothing, *parts, strict=True)))
