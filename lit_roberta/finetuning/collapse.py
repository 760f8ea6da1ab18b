"""Whether a score is more than what is said without reading."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

_CLOSE = 0.005
"""Of a score from 0 to 1, or of an error's baseline: a gain no larger than that is none."""


def is_better(score: float, baseline: float, *, higher_is_better: bool) -> bool:
    """Tell whether a score is better than the one without reading; NaN never is.

    Args:
        score: Of a run.
        baseline: Without reading.
        higher_is_better: Whether it is a score from 0 to 1, or an error, in any unit.

    Example:
        >>> is_better(0.504, 0.5, higher_is_better=True)
        False
        >>> is_better(0.0002, 0.0004, higher_is_better=False)
        True
    """
    if higher_is_better:
        return score - baseline > _CLOSE
    return baseline - score > _CLOSE * baseline


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
