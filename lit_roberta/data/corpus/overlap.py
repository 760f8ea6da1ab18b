"""How much of the held-out text the training text has already seen.

Documents that are equal never stand on both sides of a split. Documents that are nearly equal can:
a quotation, a form letter, an edited copy. Held-out loss is then partly a memory, so they are
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import repeat

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.data.text.reading import Document
from lit_roberta.data.work import ordered_map
from lit_roberta.randomness import mix

GRAM = 5
"""Words in a row that are compared, lower-cased, over the ends of sentences."""

NEAR_DUPLICATE_SHARE = 0.5
"""A held-out document is a near-duplicate if the training text holds this share of its 5-grams."""


@dataclass(frozen=True)
class Overlap:
    """What held-out documents share with the training text."""

    documents: int
    """Held-out documents."""
    near_duplicates: int
    """Those with at least half of their different 5-grams in the training text."""
    shared: float
    """Share of the different held-out 5-grams that the training text holds."""

    def __str__(self) -> str:
        return (
            f"{self.near_duplicates:,} of {self.documents:,} held-out documents are "
            f"near-duplicates of training text (it holds at least half of their {GRAM}-grams); "
            f"it holds {self.shared:.1%} of all held-out {GRAM}-grams"
        )


@dataclass(frozen=True)
class _HeldOut:
    """The held-out text, as what is looked for."""

    numbers: dict[str, int]
    """Of words, from 1; every other word, of which a large text has millions, is 0."""
    grams: UInt64[np.ndarray, " grams"]
    """Ascending; one more at the end, so that a place to search for is always there."""


def measure_overlap(
    train: Iterable[Sequence[Document]], held_out: Sequence[Document], *, workers: int = 0
) -> Overlap:
    """Count near-duplicates between the training part and the held-out parts.

    The count is exact (up to collisions of a 64-bit hash), reads the training text once, and holds
    the 5-grams of the held-out text in memory, which the split caps.

    Args:
        train: Training documents, some at a time.
        held_out: Documents of validation, test, or both.
        workers: Processes that look through the training text; 0 for none beside this one.

    Returns:
        The overlap.
    """
    numbers: dict[str, int] = {}
    for document in held_out:
        for word in _words(document):
            numbers.setdefault(word, len(numbers) + 1)
    grams = [np.unique(_grams([document], numbers)) for document in held_out]
    known = np.unique(np.concatenate([*grams, np.array([2**64 - 1], np.uint64)]))
    seen = np.zeros(len(known), dtype=bool)
    look = partial(_find, _HeldOut(numbers, known))
    for places in ordered_map(look, train, workers=workers):
        seen[places] = True
    shares = [float(seen[np.searchsorted(known, gram)].mean()) for gram in grams if len(gram)]
    return Overlap(
        documents=len(grams),
        near_duplicates=sum(share >= NEAR_DUPLICATE_SHARE for share in shares),
        shared=float(seen.sum() / max(1, len(seen) - 1)),
    )


def _find(held_out: _HeldOut, documents: Sequence[Document]) -> Int64[np.ndarray, " places"]:
    """Find which held-out 5-grams stand in some documents."""
    found = np.unique(_grams(documents, held_out.numbers))
    places = np.searchsorted(held_out.grams, found)
    return places[held_out.grams[places] == found]


def _words(document: Document) -> list[str]:
    return " ".join(document).lower().split()


def _grams(documents: Sequence[Document], numbers: dict[str, int]) -> UInt64[np.ndarray, " grams"]:
    """Hash the 5-grams of known words, none of which reaches into the next document."""
    ids: list[int] = []
    for document in documents:
        ids += map(numbers.get, _words(document), repeat(0))
        ids.append(0)
    if len(ids) <= GRAM:
        return np.zeros(0, dtype=np.uint64)
    windows = np.lib.stride_tricks.sliding_window_view(np.array(ids, np.int64), GRAM)
    windows = windows[windows.all(axis=1)]
    state = np.zeros(len(windows), dtype=np.uint64)
    for column in windows.T:
        state = mix(state ^ column.astype(np.uint64))
    return state
