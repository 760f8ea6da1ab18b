"""Whether a score is more than what is said without reading."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

CLOSE = 0.005
"""Of a score: as near to the baseline as that counts as no better."""


def is_better(score: float, baseline: float, *, higher_is_better: bool) -> bool:
    """Tell whether a score is better than the one without reading; NaN never is."""
    gain = score - baseline if higher_is_better else baseline - score
    return gain > CLOSE


def has_learned(
    scores: Sequence[float], baseline: float | None, *, higher_is_better: bool
) -> bool:
    """Tell whether the median of some runs is better than what is said without reading.

    Args:
        scores: One a run.
        baseline: Without reading. None: nobody knows it, and it is taken for passed.
        higher_is_better: Which way is better.
    """
    if baseline is None:
        return True
    return bool(scores) and is_better(median(scores), baseline, higher_is_better=higher_is_better)
