"""An interval of a difference where runs and documents vary at once, by drawing both again.

In: sums by run and document. Out: an interval. It takes no shape of the scatter for granted, and
asks for enough runs instead: a handful can't stand for all that could have been made.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float64, Int64
from scipy.special import ndtr, ndtri, stdtr

from lit_roberta.statistics import CONFIDENCE, Interval, t_quantile

FEWEST_RUNS = 10
"""Below these on a side, resampled runs say too little about other runs."""

_DRAWS = 2000
_DRAWS_AT_ONCE = 250
_SEED = 20220712


def two_level_interval(
    first: Float64[np.ndarray, "runs documents"],
    second: Float64[np.ndarray, "other_runs documents"],
    counts: Int64[np.ndarray, " documents"],
    *,
    paired: bool,
) -> Interval | None:
    """Give the difference of two means per token, first minus second.

    Args:
        first: Sums over the tokens of each document, by run.
        second: The same of the other side, on the same documents.
        counts: Tokens in each document; documents without tokens are left out.
        paired: Whether the runs of a place belong together, and are drawn together.

    Returns:
        The difference with its interval. None: fewer than 10 runs on a side, or two documents.

    Source: Sellam et al. 2022, "The MultiBERTs", section 4: runs and documents are drawn anew with
        replacement, documents for both sides at once. The percentiles are spread for the number
        of units as in Hesterberg 2015, "What teachers should know about the bootstrap", section
        3.1: plain ones are too narrow for ten runs.
    """
    there = counts > 0
    first, second, counts = first[:, there], second[:, there], counts[there]
    units = min(len(first), len(second), len(counts))
    if min(len(first), len(second)) < FEWEST_RUNS or len(counts) < 2:
        return None
    draws = np.sort(_draws(first, second, counts, paired=paired))
    spread = math.sqrt(units / (units - 1))
    tail = float(ndtr(-spread * t_quantile(0.5 + CONFIDENCE / 2, units - 1)))
    low, high = np.quantile(draws, [tail, 1 - tail])
    beyond = min(float((draws <= 0).mean()), float((draws >= 0).mean()))
    share = min(0.5, max(beyond, 1 / (2 * _DRAWS)))  # so many draws can't tell less from nothing
    return Interval(
        estimate=_difference(first.mean(axis=0), second.mean(axis=0), counts),
        low=float(low),
        high=float(high),
        p_value=2 * float(stdtr(units - 1, ndtri(share) / spread)),
        error=float(draws.std(ddof=1)),
        degrees=float(units - 1),
    )


def _difference(
    first: Float64[np.ndarray, " documents"],
    second: Float64[np.ndarray, " documents"],
    counts: Int64[np.ndarray, " documents"],
) -> float:
    return float((first - second).sum() / counts.sum())


def _draws(
    first: Float64[np.ndarray, "runs documents"],
    second: Float64[np.ndarray, "other_runs documents"],
    counts: Int64[np.ndarray, " documents"],
    *,
    paired: bool,
) -> Float64[np.ndarray, " draws"]:
    """Compute the difference on runs and documents that are drawn anew, many times."""
    random, found = np.random.default_rng(_SEED), []
    for _ in range(_DRAWS // _DRAWS_AT_ONCE):
        ours = _shares(random, len(first))
        theirs = ours if paired else _shares(random, len(second))
        times = _shares(random, len(counts)) * len(counts)
        sums = ((ours @ first - theirs @ second) * times).sum(axis=1)
        found.append(sums / (times @ counts))
    return np.concatenate(found)


def _shares(random: np.random.Generator, units: int) -> Float64[np.ndarray, "draws units"]:
    """Draw as many units as there are, with replacement, and give the share of each."""
    return random.multinomial(units, np.full(units, 1 / units), size=_DRAWS_AT_ONCE) / units
