"""Which point of a grid is best: chosen on validation text, and held against the others on test.

In: the validation losses of each point's runs, by the recipe that it stands on. Out: the best of
each recipe, the pairs that are worth a test, and a sentence. Points of recipes with different
formats are never held against each other on validation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.judging.verdict import Verdict
from lit_roberta.comparison.judging.wording import joined, nats

Losses = Mapping[str, Mapping[str, Sequence[float]]]
"""By recipe and point: the validation loss of each run."""


@dataclass(frozen=True, kw_only=True)
class HalvingRow:
    """One point of a grid in one round of halving."""

    round: int
    """From 1; the last ones are compared behind all rounds, at the whole budget."""
    share: float
    """Of the whole budget."""
    recipe: str
    """The point."""
    updates: int
    validation_loss: float | None
    """None: its run failed."""
    kept: bool
    """Whether it goes on."""


def best_points(losses: Losses) -> dict[str, str]:
    """Give the point of each recipe with the lowest mean loss.

    Example:
        >>> best_points({"roberta": {"a": [5.0, 5.2], "b": [4.9, 5.0]}})
        {'roberta': 'b'}
    """
    return {
        recipe: min(points, key=lambda name: float(np.mean(points[name])))
        for recipe, points in losses.items()
    }


def grid_pairs(losses: Losses) -> list[tuple[str, str]]:
    """Name the pairs in question: each best point and the others of its recipe, and the best ones.

    Which is best was seen on other text than the test's, so that the test says it anew.
    """
    best = best_points(losses)
    within = [
        (best[recipe], name)
        for recipe, points in losses.items()
        for name in points
        if name != best[recipe]
    ]
    return [*within, *combinations(best.values(), 2)]


def with_best_points(verdict: Verdict, losses: Losses, design: Design) -> Verdict:
    """Say first which points are best on validation text, where loss can choose them.

    Args:
        verdict: On test text.
        losses: Of the points that were run at the whole budget.
        design: The grid.
    """
    if design.judge != "loss":
        return verdict
    points = math.prod(map(len, design.axes.values())) * len(losses)
    headline = grid_headline(losses, points=points)
    if verdict.pairs:
        headline = f"{headline} On test text: {verdict.headline}"
    return replace(verdict, headline=headline)


def grid_headline(losses: Losses, *, points: int) -> str:
    """Say which points are best on validation text.

    Args:
        losses: Of those that were run at the whole budget.
        points: Of the whole grid.
    """
    named = len(losses) > 1
    parts = [
        f"{name} ({nats(float(np.mean(losses[recipe][name])))}){f' of {recipe}' * named}"
        for recipe, name in best_points(losses).items()
    ]
    are = "are" if named else "is"
    return f"On validation text, {joined(parts)} {are} best of {points} points."
