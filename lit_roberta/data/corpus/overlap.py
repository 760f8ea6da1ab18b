"""How much of the held-out text the training text has already seen.

Documents that are equal never stand on both sides of a split. Documents that are nearly equal can:
a quotation, a form letter, an edited copy. Held-out loss is then partly a memory, so they are
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.data.work import ordered_map
from lit_roberta.randomness import mix

GRAM = 5
"""Words in a row that are compared, lower-cased, over the ends of sentences."""

NEAR_DUPLICATE_SHARE = 0.5
"""A held-out document is a near-duplicate if the training text holds this share of its 5-grams."""


_MOST_GRAMS = 5 << 18
"""5-grams that are held at the most: 10 MB. The split caps held-out text below that, except where
single documents are large."""


class Passage(NamedTuple):
    """Documents that follow one another, or a part of one."""

    texts: list[bytes]
    """Each in UTF-8, with white space between its words."""
    begins: bool = True
    """Whether the first begins here, and does not go on from the passage before."""


@dataclass(frozen=True)
class Overlap:
    """What held-out documents share with the training text."""

    documents: int
    """Held-out documents."""
    near_duplicates: int
    """Those with at least half of their different 5-grams in the training text."""
    shared: float
    """Share of the different held-out 5-grams that the training text holds."""
    one_in: int = 1
    """Of how many 5-grams one was looked at, drawn by its hash; 1 unless held-out documents are
    very large."""

    def __str__(self) -> str:
        some = f" (judged by one {GRAM}-gram in {self.one_in})" if self.one_in > 1 else ""
        return (
            f"{self.near_duplicates:,} of {self.documents:,} held-out documents are "
            f"near-duplicates of training text (it holds at least half of their {GRAM}-grams); "
            f"it holds {self.shared:.1%} of all held-out {GRAM}-grams{some}"
        )


class _Numbers(dict[str, int]):
    """Give each word a number at its first sight, from 1."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self) + 1
        return number


@dataclass(frozen=True)
class _HeldOut:
    """The held-out text, as what is looked for."""

    numbers: _Numbers
    """Of words; every other word, of which a large text has millions, is 0."""
    grams: UInt64[np.ndarray, " grams"]
    """Ascending; one more at the end, so that a place to search for is always there."""
    largest: np.uint64
    """What is above it is not looked for."""


def measure_overlap(
    train: Iterable[Passage], held_out: Iterable[Passage], *, workers: int = 0
) -> Overlap:
    """Count near-duplicates between the training part and the held-out parts.

    The count is exact (up to collisions of a 64-bit hash) where the held-out text has no more than
    1.3 million 5-grams. Of more, only those are looked for whose hash is small enough, which is as
    good as drawing them; no text is held in memory. Both texts are read once.

    Args:
        train: The training documents.
        held_out: The documents of validation, test, or both.
        workers: Processes that look through the training text; 0 for none beside this one.

    Returns:
        The overlap.
    """
    numbers = _Numbers()
    grams, one_in = _held_out_grams(held_out, numbers)
    known = np.unique(np.concatenate([*grams, np.array([2**64 - 1], np.uint64)]))
    seen = np.zeros(len(known), dtype=bool)
    look = partial(_find, _HeldOut(numbers, known, _largest(one_in)))
    for places in ordered_map(look, _with_tails(train), workers=workers):
        seen[places] = True
    shares = [float(seen[np.searchsorted(known, gram)].mean()) for gram in grams if len(gram)]
    return Overlap(
        documents=len(grams),
        near_duplicates=sum(share >= NEAR_DUPLICATE_SHARE for share in shares),
        shared=float(seen.sum() / max(1, len(seen) - 1)),
        one_in=one_in,
    )


def _held_out_grams(
    held_out: Iterable[Passage], numbers: _Numbers
) -> tuple[list[UInt64[np.ndarray, " grams"]], int]:
    """Hash the different 5-grams of each document, or of one in so many that memory holds them."""
    grams: list[UInt64[np.ndarray, " grams"]] = []
    count, one_in = 0, 1
    for passage in _with_tails(held_out):
        for number, text in enumerate(passage.texts):
            found = _grams(list(map(numbers.__getitem__, _words(text))))
            found = found[found <= _largest(one_in)]
            if number or passage.begins:
                grams.append(np.unique(found))
            else:
                count -= len(grams[-1])
                grams[-1] = np.union1d(grams[-1], found)
            count += len(grams[-1])
        while count > _MOST_GRAMS:
            one_in *= 2
            grams = [each[each <= _largest(one_in)] for each in grams]
            count = sum(map(len, grams))
    return grams, one_in


def _largest(one_in: int) -> np.uint64:
    return np.uint64((2**64 - 1) // one_in)


def _with_tails(passages: Iterable[Passage]) -> Iterator[Passage]:
    """Put the last words of a document's part before the next part: no 5-gram is lost."""
    tail = b""
    for passage in passages:
        texts = list(passage.texts)
        if not passage.begins:
            texts[0] = tail + texts[0]
        yield Passage(texts, passage.begins)
        tail = b"".join(word + b" " for text in texts[-1:] for word in _last_words(text))


def _last_words(text: bytes) -> list[bytes]:
    """Give the words that a 5-gram may begin with that ends behind the text."""
    return text.rsplit(None, GRAM - 1)[1 - GRAM :]


def _find(held_out: _HeldOut, passage: Passage) -> Int64[np.ndarray, " places"]:
    """Find which held-out 5-grams stand in some documents."""
    ids: list[int] = []
    for text in passage.texts:
        ids += map(held_out.numbers.get, _words(text), repeat(0))
        ids.append(0)  # so that none reaches into the next document
    found = _grams(ids)
    found = np.unique(found[found <= held_out.largest])
    places = np.searchsorted(held_out.grams, found)
    return places[held_out.grams[places] == found]


def _words(text: bytes) -> list[str]:
    return text.decode().lower().split()


def _grams(ids: list[int]) -> UInt64[np.ndarray, " grams"]:
    """Hash the 5-grams of words that have numbers other than 0."""
    if len(ids) < GRAM:
        return np.zeros(0, dtype=np.uint64)
    windows = np.lib.stride_tricks.sliding_window_view(np.array(ids, np.int64), GRAM)
    windows = windows[windows.all(axis=1)]
    state = np.zeros(len(windows), dtype=np.uint64)
    for column in windows.T:
        state = mix(state ^ column.astype(np.uint64))
    return state
