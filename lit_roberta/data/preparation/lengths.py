"""How long things are, counted in a table whose size does not depend on how many there are."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Int64, Integer

_EXACT = 1024
"""Lengths below it are counted each for itself."""
_BINS_PER_DOUBLING = 64
"""Above it; a length is then known to 1.1%."""
_DOUBLINGS = 38

_EDGES = np.append(
    np.arange(_EXACT),
    np.ceil(_EXACT * 2 ** (np.arange(_BINS_PER_DOUBLING * _DOUBLINGS) / _BINS_PER_DOUBLING)),
).astype(np.int64)
"""The least length of each bin."""

_SMALL = 16
"""Lengths below it are too few for narrow bars."""
_NARROW = (4, 8, 16, 32)
"""Bars a doubling, where lengths are large enough; each divides `_BINS_PER_DOUBLING`."""
_ENOUGH_BARS = 8
"""From so many on, a shape is seen."""

QUANTILES = (0, 5, 25, 50, 75, 95, 100)
"""Per cent of things that are no longer."""


class Lengths:
    """Counts of lengths: exact below 1,024 and to 1.1% above."""

    def __init__(self) -> None:
        self._counts = np.zeros(len(_EDGES), dtype=np.int64)
        self._least, self._most = np.iinfo(np.int64).max, 0
        self.total = 0
        """The sum of all lengths."""

    def __len__(self) -> int:
        return int(self._counts.sum())

    def add(self, lengths: Integer[np.ndarray, " things"]) -> None:
        """Count some more."""
        if not len(lengths):
            return
        self._counts += np.bincount(_bins_of(lengths), minlength=len(_EDGES))
        self._least = min(self._least, int(lengths.min()))
        self._most = max(self._most, int(lengths.max()))
        self.total += int(lengths.sum())

    def below(self, length: int) -> int:
        """Count the things that are shorter, exactly for lengths up to 1,024."""
        return int(self._counts[: np.searchsorted(_EDGES, length)].sum())

    def quantiles(self) -> dict[str, int]:
        """Give the length that a share of all does not exceed; 0% is the shortest of all.

        Example:
            >>> lengths = Lengths()
            >>> lengths.add(np.array([3, 1, 2, 9, 4]))
            >>> lengths.quantiles()["50%"], lengths.quantiles()["100%"]
            (3, 9)
        """
        behind = np.cumsum(self._counts)
        if not behind[-1]:
            return {}
        places = [round((int(behind[-1]) - 1) * quantile / 100) for quantile in QUANTILES]
        found = _EDGES[np.searchsorted(behind, places, side="right")]
        found[0], found[-1] = self._least, self._most
        lengths = np.clip(found, self._least, self._most).tolist()
        return {f"{quantile}%": each for quantile, each in zip(QUANTILES, lengths, strict=True)}

    def bars(self) -> dict[str, list[int]]:
        """Give what a picture needs: where each bar begins, the end of the last, and its count."""
        least = _bars(self._bars_per_doubling())
        counts = np.add.reduceat(self._counts, np.searchsorted(_EDGES, least))
        filled = np.flatnonzero(counts)
        if not len(filled):
            return {"edges": [], "counts": []}
        first, stop = int(filled[0]), int(filled[-1]) + 1
        return {"edges": least[first : stop + 1].tolist(), "counts": counts[first:stop].tolist()}

    def _bars_per_doubling(self) -> int:
        """Let bars be as wide as lengths lie apart: some hide the shape of what is all alike."""
        if self._least < _SMALL:
            return 2
        doublings = math.log2(max(self._most, self._least) / self._least)
        return next((many for many in _NARROW if many * doublings >= _ENOUGH_BARS), _NARROW[-1])


def _bars(per_doubling: int) -> Int64[np.ndarray, " bars"]:
    """Give the least length of each bar."""
    powers = np.arange(per_doubling * (_DOUBLINGS + 10)) / per_doubling
    return np.append(0, np.unique(np.ceil(2**powers))).astype(np.int64)


def _bins_of(lengths: Integer[np.ndarray, " things"]) -> Int64[np.ndarray, " things"]:
    return np.searchsorted(_EDGES, lengths, side="right") - 1
