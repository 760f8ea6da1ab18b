"""Intervals and corrections: how far numbers from a few runs and a few documents can be trusted.

In: plain arrays. Out: intervals. Nothing here knows what a recipe is. The units that vary are the
run and the held-out document; tokens, masks and batches are not independent and never appear.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64
from scipy.special import stdtr, stdtrit

CONFIDENCE = 0.95
"""Nominal coverage of every interval."""

_POWER = 0.8
"""Chance to see a difference of the size seen, at the number of runs that is said to be needed."""

_MOST_RUNS = 10_000
"""Beyond this, no number of runs is named."""


@dataclass(frozen=True)
class Interval:
    """A mean difference (or a mean) with its 95% interval."""

    estimate: float
    low: float
    high: float
    p_value: float
    """Two-sided, for a true value of zero."""
    error: float
    """Standard error of the estimate."""
    degrees: float
    """Degrees of freedom of the error."""

    @property
    def half_width(self) -> float:
        """Distance from the estimate to either end."""
        return (self.high - self.low) / 2

    @property
    def excludes_zero(self) -> bool:
        """Whether zero lies outside."""
        return self.low > 0 or self.high < 0


def t_quantile(probability: float, degrees: float | int) -> float:
    """Give the value below which Student's t falls with a probability.

    Example:
        >>> round(t_quantile(0.975, 4), 6)
        2.776445
    """
    return float(stdtrit(degrees, probability))


def t_interval(estimate: float, *, error: float, degrees: float | int) -> Interval:
    """Build the interval of an estimate from its standard error and degrees of freedom."""
    if error == 0:
        p_value = 0.0 if estimate else 1.0
        return Interval(estimate, estimate, estimate, p_value, 0.0, float(degrees))
    reach = t_quantile(0.5 + CONFIDENCE / 2, degrees) * error
    p_value = 2 * float(stdtr(degrees, -abs(estimate) / error))
    return Interval(
        estimate, estimate - reach, estimate + reach, p_value, float(error), float(degrees)
    )


def mean_interval(values: Float64[np.ndarray, " units"]) -> Interval | None:
    """Give the mean of independent values. None: fewer than two."""
    count = len(values)
    if count < 2:
        return None
    error = float(values.std(ddof=1)) / math.sqrt(count)
    return t_interval(float(values.mean()), error=error, degrees=count - 1)


def welch_interval(
    first: Float64[np.ndarray, " runs"], second: Float64[np.ndarray, " other_runs"]
) -> Interval | None:
    """Give the difference of two means, first minus second, whose spreads may differ.

    Returns:
        The difference with its interval. None: fewer than two values on a side.

    Source: Welch 1947, with the degrees of freedom of Welch and Satterthwaite.
    """
    if min(len(first), len(second)) < 2:
        return None
    parts = [float(values.var(ddof=1)) / len(values) for values in (first, second)]
    variance = sum(parts)
    degrees = 1.0
    if variance > 0:
        shares = [part / variance for part in parts]
        degrees = 1 / (shares[0] ** 2 / (len(first) - 1) + shares[1] ** 2 / (len(second) - 1))
    return t_interval(
        float(first.mean() - second.mean()), error=math.sqrt(variance), degrees=degrees
    )


def ratio_interval(
    sums: Float64[np.ndarray, " documents"], counts: Int64[np.ndarray, " documents"]
) -> Interval | None:
    """Give a mean per token over documents of different lengths: all sums over all counts.

    The interval is around the token-weighted mean that is shown everywhere else; documents are the
    units that vary.

    Args:
        sums: A sum over the tokens of each document, or a difference of two such sums.
        counts: Tokens in each document; documents without tokens are left out.

    Returns:
        The ratio with its interval. None: fewer than two documents.

    Source: Cochran 1977, "Sampling techniques", section 6.4, the linearised variance of a ratio.
    """
    sums, counts = sums[counts > 0], counts[counts > 0]
    documents = len(counts)
    if documents < 2:
        return None
    ratio = float(sums.sum() / counts.sum())
    residuals = (sums - ratio * counts) / counts.mean()
    variance = float((residuals**2).sum()) / (documents * (documents - 1))
    return t_interval(ratio, error=math.sqrt(variance), degrees=documents - 1)


def combined_interval(over_runs: Interval, over_documents: Interval) -> Interval:
    """Widen the interval over runs by what the choice of documents adds, or the other way round.

    Either interval alone takes the other unit as fixed. Where both matter alike, a difference that
    is none is outside of both in up to one case of six; outside of this one, in one of twenty.

    Args:
        over_runs: A difference with runs as the units that vary.
        over_documents: The same difference with documents as the units that vary.

    Returns:
        The difference where both vary, with the degrees of freedom of Satterthwaite. What varies
        by run and document together is counted twice, so it is wide rather than narrow.
    """
    variances = [over_runs.error**2, over_documents.error**2]
    degrees = float("inf")
    if sum(variances) > 0:
        shares = [variance / sum(variances) for variance in variances]
        degrees = 1 / (
            shares[0] ** 2 / over_runs.degrees + shares[1] ** 2 / over_documents.degrees
        )
    return t_interval(over_runs.estimate, error=math.sqrt(sum(variances)), degrees=degrees)


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p values for how many of them there are.

    Returns:
        Adjusted p values, in the order given, to be held against the level for all together.

    Source: Holm 1979.

    Example:
        >>> [round(p, 3) for p in holm([0.04, 0.01, 0.03])]
        [0.06, 0.03, 0.06]
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = largest
    return adjusted


def runs_needed(*, difference: float, deviation: float) -> int | None:
    """Say about how many runs a side would show a difference of this size, four times in five.

    Args:
        difference: The difference of means, in any unit.
        deviation: Standard deviation between runs of one recipe, in the same unit.

    Returns:
        Runs of each of two recipes, at least 3. None: more than anyone would make.

    Example:
        >>> runs_needed(difference=1.0, deviation=1.0)
        17
    """

    def visible(runs: int) -> bool:
        degrees = 2 * runs - 2
        reach = t_quantile(0.5 + CONFIDENCE / 2, degrees) + t_quantile(_POWER, degrees)
        return reach * deviation * math.sqrt(2 / runs) <= abs(difference)

    if difference == 0 or not visible(_MOST_RUNS):
        return None
    return 3 + bisect_left(range(3, _MOST_RUNS), True, key=visible)
