"""Successive halving: many points are tried shortly, and the better ones longer.

Each round is a run of its own with a whole schedule of its own, for only end points are compared:
a point on the way of a longer run has a learning rate that has not decayed. Points are held
against one another on validation text, and only against those of the same recipe.

Source: Jamieson and Talwalkar 2016, "Non-stochastic best arm identification and hyperparameter
optimization".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from lit_roberta.comparison.design.budget import Budget
from lit_roberta.comparison.design.fingerprints import fingerprint
from lit_roberta.comparison.design.plan import lengths
from lit_roberta.comparison.design.recipes import PlannedRecipe
from lit_roberta.comparison.judging.grid_verdict import HalvingRow
from lit_roberta.comparison.runs.stored import RESULT
from lit_roberta.comparison.runs.tasks import Task, finished
from lit_roberta.errors import UserError, must

FIRST_SEED = 2000
"""Seeds of the rounds start here, one a round, so that no compared run has one of them."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """How long the points of a round train."""

    number: int
    share: float
    """Of the whole budget."""
    updates: Mapping[str, int]
    """By recipe."""


def plan_rounds(
    recipes: Sequence[PlannedRecipe], budget: Budget, paces: Mapping[str, float], *, eta: int
) -> list[Round]:
    """Plan the rounds before the whole budget.

    Args:
        recipes: All points.
        budget: The whole one, which the last ones get.
        paces: Seconds an update takes, by recipe; only read where seconds are the unit.
        eta: One of so many points goes on to a budget so many times as long.

    Raises:
        UserError: If the shortest runs would have no update.
    """
    points = max(map(len, by_source(recipes).values()))
    count = 1
    while points / eta ** (count + 1) > 1:
        count += 1
    whole = budget.resolve(training_tokens=recipes[0].data.prepared.parts.train.num_tokens)
    assert whole.amount is not None, "resolving fills it in"
    rounds = []
    for number in range(count):
        share = eta ** (number - count)
        try:
            updates = lengths(recipes, Budget(unit=whole.unit, amount=whole.amount * share), paces)
        except UserError as error:
            rule = f"leave the shortest of {count + 1} rounds an update"
            raise must("--halving", rule, eta, f"They are too short: {error}") from error
        rounds.append(Round(number=number, share=share, updates=updates))
    return rounds


def round_tasks(recipes: Sequence[PlannedRecipe], turn: Round, folder: Path) -> list[Task]:
    """Plan a run for each point that is left.

    Args:
        recipes: The points.
        turn: How long they train.
        folder: Where the runs lie: `<folder>/round-<n>/<point>`.
    """
    seed = FIRST_SEED + turn.number
    return [
        Task(
            recipe=recipe.name,
            seed=seed,
            updates=turn.updates[recipe.name],
            arguments=recipe.arguments,
            folder=folder / f"round-{turn.number + 1}" / recipe.name,
            fingerprint=fingerprint(
                recipe, updates=turn.updates[recipe.name], seed=seed, aim="validation"
            ),
            formats=[recipe.data.format],
            aim="validation",
        )
        for recipe in recipes
    ]


def read_round(
    recipes: Sequence[PlannedRecipe], turn: Round, tasks: Sequence[Task], *, eta: int
) -> list[HalvingRow]:
    """Read what the runs of a round gave, and say who goes on: of each recipe the best.

    A point whose run did not finish, or that diverged, does not go on.
    """
    losses = {task.recipe: _loss(task) for task in tasks}
    kept = set()
    for points in by_source(recipes).values():
        ranked = sorted((losses[name], name) for name in points if losses[name] < math.inf)
        kept |= {name for _, name in ranked[: math.ceil(len(points) / eta)]}
    return [
        HalvingRow(
            round=turn.number + 1,
            share=turn.share,
            recipe=task.recipe,
            updates=task.updates,
            validation_loss=losses[task.recipe] if losses[task.recipe] < math.inf else None,
            kept=task.recipe in kept,
        )
        for task in tasks
    ]


def by_source(recipes: Sequence[PlannedRecipe]) -> dict[str, list[str]]:
    """Group points by the recipe that they stand on."""
    groups: dict[str, list[str]] = {}
    for recipe in recipes:
        groups.setdefault(recipe.source, []).append(recipe.name)
    return groups


def _loss(task: Task) -> float:
    if not finished(task):
        return math.inf
    stored = json.loads((task.folder / RESULT).read_text(encoding="utf-8"))
    return float(stored["validation_loss"])
