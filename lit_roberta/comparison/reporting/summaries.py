"""A number of several runs, as one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import Run
from lit_roberta.statistics import mean_interval


def mean_and_reach(
    values: Sequence[float] | np.ndarray, written: Callable[[float], str] = nats
) -> str:
    """Write a mean with the half-width of its 95% interval, if there is one.

    Args:
        values: One a run.
        written: How a number of their unit is written.

    Example:
        >>> mean_and_reach([3.0]), mean_and_reach([3.0, 3.1])
        ('3.00', '3.05 +/- 0.64')
    """
    array = np.asarray(values, dtype=np.float64)
    interval = mean_interval(array)
    text = written(float(array.mean()))
    return text if interval is None else f"{text} +/- {written(interval.half_width)}"


def mean(runs: Sequence[Run], read: Callable[[Run], float]) -> float:
    """Give the mean over runs of something that is read of each."""
    return float(np.mean([read(run) for run in runs]))


def by_end(results: Results) -> list[str]:
    """Name the recipes by their validation loss at the end, the lowest first."""
    ends = {
        recipe.name: mean(results.runs_of(recipe.name), lambda run: run.validation_loss)
        for recipe in results.finished()
    }
    return sorted(ends, key=ends.__getitem__)
