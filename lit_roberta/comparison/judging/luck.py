"""Two kinds of luck, the order of the text and the initial weights: what runs differ by is split.

In: the losses of all pairs of an order and initial weights. Out: three variances and what the data
allow to say of them. A two-way random-effects analysis without repetitions.

Source: Dodge et al. 2020, "Fine-Tuning Pretrained Language Models: Weight Initializations, Data
Orders, and Early Stopping" (the question); Searle, Casella and McCulloch 1992, "Variance
Components" (the estimates).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64
from scipy import stats

from lit_roberta.comparison.judging.wording import nats

_LEVEL = 0.05


@dataclass(frozen=True, kw_only=True)
class Source:
    """One of the two kinds of luck."""

    name: str
    deviation: float
    """Standard deviation that it adds to the loss, in nats; 0 where nothing of it is seen."""
    low: float
    """Of the 95% interval of the deviation, given the rest."""
    high: float
    p_value: float
    """Of there being none of it."""


@dataclass(frozen=True, kw_only=True)
class Luck:
    """What runs of one recipe differ by."""

    total: float
    """Standard deviation of a run, in nats."""
    order: Source
    weights: Source
    rest: float
    """Standard deviation of what neither explains alone: both together, and rounding."""

    def sentences(self) -> list[str]:
        """Say it in words: what can be told first, then the figures."""
        return [
            self._comparison(),
            f"Runs of this recipe differ by a standard deviation of {nats(self.total)} nats: "
            f"{nats(self.order.deviation)} from the order of the text (95% interval "
            f"{nats(self.order.low)} to {nats(self.order.high)}), {nats(self.weights.deviation)} "
            f"from the initial weights ({nats(self.weights.low)} to {nats(self.weights.high)}), "
            f"and {nats(self.rest)} from both together.",
        ]

    def _comparison(self) -> str:
        seen = [each for each in (self.order, self.weights) if each.p_value < _LEVEL]
        if not seen:
            return (
                "Nobody can tell either from chance at this size: more orders and more initial "
                "weights would be needed."
            )
        if len(seen) == 1:
            if seen[0] is self.order:
                return (
                    "The order of the text makes runs differ; that the initial weights do cannot "
                    "be told."
                )
            return (
                "The initial weights make runs differ; that the order of the text does cannot be "
                "told."
            )
        if self.order.low > self.weights.high or self.weights.low > self.order.high:
            larger = max(seen, key=lambda each: each.deviation)
            return f"Both make runs differ, {larger.name} more."
        return "Both make runs differ; which of them more cannot be told."


def split_luck(losses: Float64[np.ndarray, "orders weights"]) -> Luck:
    """Split the variance of runs.

    Args:
        losses: One run for each pair, at least two of both, in nats.
    """
    orders, weights = losses.shape
    assert min(orders, weights) > 1, "one order or one set of weights says nothing of the other"
    by_order, by_weights = losses.mean(axis=1), losses.mean(axis=0)
    rest = losses - by_order[:, None] - by_weights[None, :] + losses.mean()
    degrees = (orders - 1) * (weights - 1)
    noise = float((rest**2).sum() / degrees)
    order = _source("the order of the text", by_order, noise, repeats=weights, degrees=degrees)
    start = _source("the initial weights", by_weights, noise, repeats=orders, degrees=degrees)
    total = order.deviation**2 + start.deviation**2 + noise
    return Luck(total=total**0.5, order=order, weights=start, rest=noise**0.5)


def _source(
    name: str, means: Float64[np.ndarray, " levels"], noise: float, *, repeats: int, degrees: int
) -> Source:
    """Estimate one component; the interval is exact for its share of the noise."""
    spread = repeats * float(means.var(ddof=1))
    if noise == 0:  # nothing is left over: what is seen is all there is
        deviation = (spread / repeats) ** 0.5
        return Source(
            name=name,
            deviation=deviation,
            low=deviation,
            high=deviation,
            p_value=0.0 if spread else 1.0,
        )
    ratio, levels = spread / noise, len(means) - 1
    ends = (ratio / stats.f.ppf(tail, levels, degrees) for tail in (0.975, 0.025))
    low, high = (max(0.0, (end - 1) * noise / repeats) ** 0.5 for end in ends)
    return Source(
        name=name,
        deviation=max(0.0, (spread - noise) / repeats) ** 0.5,
        low=low,
        high=high,
        p_value=float(stats.f.sf(ratio, levels, degrees)),
    )
