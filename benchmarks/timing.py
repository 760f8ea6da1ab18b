"""Timing of rivals in turns, so that whatever else the machine does hits all of them."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

_COLD_ROUNDS = 2
"""Rounds that are not counted: they find the caches cold."""


def seconds(*rivals: Callable[[], object], rounds: int, calls: int = 1) -> list[float]:
    """Time functions in turns.

    Args:
        rivals: What is timed.
        rounds: Counted turns of each.
        calls: Calls in a turn, for functions so short that a turn of one would find the memory
            as another left it.

    Returns:
        The median call of each.
    """
    times: list[list[float]] = [[] for _ in rivals]
    for _ in range(_COLD_ROUNDS + rounds):
        for rival, series in zip(rivals, times, strict=True):
            for _ in range(calls):
                start = time.perf_counter()
                rival()
                series.append(time.perf_counter() - start)
    return [statistics.median(series[_COLD_ROUNDS * calls :]) for series in times]
