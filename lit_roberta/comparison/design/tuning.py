"""The learning rate of each recipe, chosen on validation text in the recipe's own format.

The rate moves results more than the recipe does, so recipes are compared at the rate that suits
each. Nothing of the test part is read here, and the seeds are not used again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from lit_roberta.comparison.design.fingerprints import fingerprint
from lit_roberta.comparison.design.recipes import PlannedRecipe
from lit_roberta.comparison.results import TuningRow
from lit_roberta.comparison.runs.stored import RESULT
from lit_roberta.comparison.runs.tasks import Task, finished

GRID = (2.5e-4, 5e-4, 1e-3, 2e-3, 4e-3, 8e-3)
FIRST_SEED = 1000
"""Tuning seeds start here, so that no compared run has one of them."""

_LEARNING_RATE = "model.optimizer.lr"


def tuning_tasks(
    recipes: Sequence[PlannedRecipe], updates: Mapping[str, int], *, seeds: int, folder: Path
) -> list[Task]:
    """Plan a run for each recipe, learning rate and seed.

    Args:
        recipes: The recipes.
        updates: Length of each recipe's runs.
        seeds: Runs at each rate.
        folder: Where the runs lie.
    """
    return [
        _task(with_rate(recipe, rate), seed, updates[recipe.name], folder)
        for seed in range(FIRST_SEED, FIRST_SEED + seeds)
        for recipe in recipes
        for rate in GRID
    ]


def read_tuning(tasks: Sequence[Task]) -> list[TuningRow]:
    """Read what the runs gave, and choose for each recipe the rate with the lowest mean loss.

    A rate with a run that did not finish, or that diverged, is not chosen.
    """
    losses: dict[tuple[str, float], list[float]] = {}
    for task in tasks:
        rate = float(task.arguments[-1].partition("=")[2])
        row = losses.setdefault((task.recipe, rate), [])
        if finished(task):
            stored = json.loads((task.folder / RESULT).read_text(encoding="utf-8"))
            row.append(stored["validation_loss"])
    runs = max((len(row) for row in losses.values()), default=0)
    whole = {key: sum(row) / len(row) for key, row in losses.items() if row and len(row) == runs}
    chosen = set()
    for recipe in dict.fromkeys(task.recipe for task in tasks):
        rates = {rate: mean for (name, rate), mean in whole.items() if name == recipe}
        if rates:
            chosen.add((recipe, min(rates, key=rates.__getitem__)))
    return [
        TuningRow(
            recipe=recipe,
            learning_rate=rate,
            validation_losses=row,
            chosen=(recipe, rate) in chosen,
        )
        for (recipe, rate), row in sorted(losses.items())
    ]


def chosen_rates(rows: Sequence[TuningRow]) -> dict[str, float]:
    """Give the chosen rate of each recipe."""
    return {row.recipe: row.learning_rate for row in rows if row.chosen}


def at_edge(rate: float) -> bool:
    """Tell whether a rate is the smallest or the largest of the grid: a better may lie beyond."""
    return rate in (GRID[0], GRID[-1])


def with_rate(recipe: PlannedRecipe, rate: float) -> PlannedRecipe:
    """Give a recipe another learning rate."""
    return replace(
        recipe,
        arguments=(*recipe.arguments, f"--{_LEARNING_RATE}={rate}"),
        settings={**recipe.settings, _LEARNING_RATE: rate},
    )


def _task(recipe: PlannedRecipe, seed: int, updates: int, folder: Path) -> Task:
    rate = recipe.settings[_LEARNING_RATE]
    return Task(
        recipe=recipe.name,
        seed=seed,
        updates=updates,
        arguments=recipe.arguments,
        folder=folder / recipe.name / f"lr-{rate:g}" / f"seed-{seed}",
        fingerprint=fingerprint(recipe, updates=updates, seed=seed, aim="validation"),
        formats=[recipe.data.format],
        aim="validation",
    )
