"""Timing of rivals in turns, so that whatever else the machine does hits all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

_COLD_ROUNDS = 2
"""Rounds that are not counted: they find the caches cold."""


def seconds(*rivals: Callable[[], object], rounds: int) -> list[float]:
    """Time functions in turns.

    Args:
        rivals: What is timed, one call a round.
        rounds: Counted rounds.

    Returns:
        The median of each.
    """
    times: list[list[float]] = [[] for _ in rivals]
    for _ in range(_COLD_ROUNDS + rounds):
        for rival, series in zip(rivals, times, strict=True):
            start = time.perf_counter()
            rival()
            series.append(time.perf_counter() - start)
    return [statistics.median(series[_COLD_ROUNDS:]) for series in times]
