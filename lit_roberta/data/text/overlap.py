"""How much of the held-out text the training text has already seen.

Documents that are equal never stand on both sides of a split. Documents that are nearly equal can:
a quotation, a form letter, an edited copy. Held-out loss is then partly a memory, so they are
counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.data.text.reading import Document
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


def measure_overlap(train: Iterable[Document], held_out: Sequence[Document]) -> Overlap:
    """Count near-duplicates between the training part and the held-out parts.

    The count is exact (up to collisions of a 64-bit hash), reads the training text once, and holds
    the 5-grams of the held-out text in memory, which the split caps.

    Args:
        train: Training documents.
        held_out: Documents of validation, test, or both.

    Returns:
        The overlap.
    """
    numbers: defaultdict[str, int] = defaultdict(count().__next__)
    grams = [_grams(document, numbers) for document in held_out]
    # One more at the end, so that a place to search for is always there.
    known = np.unique(np.concatenate([*grams, np.array([2**64 - 1], np.uint64)]))
    seen = np.zeros(len(known), dtype=bool)
    for document in train:
        found = _grams(document, numbers)
        places = np.searchsorted(known, found)
        seen[places[known[places] == found]] = True
    shares = [float(seen[np.searchsorted(known, gram)].mean()) for gram in grams if len(gram)]
    return Overlap(
        documents=len(grams),
        near_duplicates=sum(share >= NEAR_DUPLICATE_SHARE for share in shares),
        shared=float(seen.sum() / max(1, len(seen) - 1)),
    )


def _grams(document: Document, numbers: defaultdict[str, int]) -> UInt64[np.ndarray, " grams"]:
    """Hash the different 5-grams of a document, given a number for each word."""
    words = " ".join(document).lower().split()
    ids: Int64[np.ndarray, " words"] = np.asarray([numbers[word] for word in words], np.int64)
    if len(ids) < GRAM:
        return np.zeros(0, dtype=np.uint64)
    state = np.zeros(len(ids) - GRAM + 1, dtype=np.uint64)
    for window in np.lib.stride_tricks.sliding_window_view(ids, GRAM).T:
        state = mix(state ^ window.astype(np.uint64))
    return np.unique(state)
