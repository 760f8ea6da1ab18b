"""Words and the tokens that they became: which token stands for which word, and where to cut.

In: words, and the tokens of those words with a space between any two. Out: the word of each token,
and windows of whole words. It knows no labels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64

from lit_roberta.data.tokens.located import Located


class Window(NamedTuple):
    """A part of the tokens of a sentence that fits into a row."""

    start: int
    stop: int
    is_cut: bool
    """Whether it is the beginning of a word that alone is longer than a row."""


class WordPlaces(NamedTuple):
    """Where the words of a row stand: each at its first token."""

    words: tuple[str, ...]
    """Of the whole sentence."""
    numbers: Int64[np.ndarray, " firsts"]
    """Of the words that this row has tokens of."""
    places: Int64[np.ndarray, " firsts"]
    """In the row, control tokens included."""


def words_of_tokens(
    words: Sequence[str], tokens: Sequence[Located]
) -> tuple[Int64[np.ndarray, " tokens"], Bool[np.ndarray, " tokens"]]:
    """Say which word each token belongs to: the one that holds its last character.

    Args:
        words: Of a sentence.
        tokens: Of `" ".join(words)`. A word may have none: a control character has no token in
            most vocabularies.

    Returns:
        The number of each token's word; of a space that is a token alone, the word behind it. And
        whether the token is the first one that stands for characters of its word.

    Example:
        >>> tokens = [Located(7, 0, 1), Located(8, 1, 4), Located(9, 4, 5)]
        >>> [part.tolist() for part in words_of_tokens(["a", "", "bc"], tokens)]
        [[0, 2, 2], [True, True, False]]
    """
    lengths = np.array([len(word) for word in words], dtype=np.int64)
    ends = np.cumsum(lengths + 1) - 1
    last = np.array([token.stop - 1 for token in tokens], dtype=np.int64)
    numbers = np.searchsorted(ends, last, side="right").astype(np.int64)
    is_first = np.zeros(len(tokens), dtype=np.bool_)
    inside = np.flatnonzero(last >= (ends - lengths)[numbers]) if len(tokens) else last
    is_first[inside] = np.diff(numbers[inside], prepend=-1) != 0
    return numbers, is_first


def windows(numbers: Int64[np.ndarray, " tokens"], room: int) -> Iterator[Window]:
    """Cut the tokens of a sentence between words into parts, each as full as it can be.

    Args:
        numbers: Of each token's word.
        room: The most tokens of a part, at least 1.

    Yields:
        At least one. Together they hold every token, but for what a word has more than a row.

    Example:
        >>> [window[:2] for window in windows(np.array([0, 0, 1, 2, 2, 2, 2, 2, 3]), 4)]
        [(0, 3), (3, 7), (8, 9)]
    """
    start = 0
    while start < len(numbers) or start == 0:
        stop = min(start + room, len(numbers))
        if stop == len(numbers) or numbers[stop] != numbers[stop - 1]:
            yield Window(start, stop, is_cut=False)
            start = stop or 1
            continue
        word = int(np.searchsorted(numbers, numbers[stop]))
        if word > start:
            yield Window(start, word, is_cut=False)
            start = word
        else:
            yield Window(start, stop, is_cut=True)
            start = int(np.searchsorted(numbers, numbers[stop], side="right"))
