"""What has to be known before the compared runs are made: paces, points that are left, rates.

In: a request and its recipes. Out: the recipes that are compared, at their rates, and the length
of each one's runs. Each of these comes of runs of its own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.console import Console

from lit_roberta.comparison.choosing import require_tried
from lit_roberta.comparison.design.plan import lengths, timing_tasks
from lit_roberta.comparison.design.recipes import PlannedRecipe
from lit_roberta.comparison.design.tuning import chosen_rates, read_tuning, tuning_tasks, with_rate
from lit_roberta.comparison.facts import TuningRow
from lit_roberta.comparison.halving import halve
from lit_roberta.comparison.judging.grid_verdict import HalvingRow
from lit_roberta.comparison.reporting.tuning_table import write_tuning
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.run_making import make_chosen, make_runs
from lit_roberta.comparison.runs.stored import RESULT
from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.errors import UserError
from lit_roberta.workers import WorkerPool

_SECONDS_TO_TIME = 600.0
"""To wait for a timing that another process makes."""


@dataclass(frozen=True, kw_only=True)
class Beforehand:
    """What is known before the compared runs are made."""

    recipes: list[PlannedRecipe]
    """Those that are compared, at their final rates."""
    updates: dict[str, int]
    """Length of each one's runs."""
    rates: dict[str, float]
    """The rates that were chosen on this text, by recipe."""
    tuning: list[TuningRow]
    halving: list[HalvingRow]


def find_out(
    asked: Comparison,
    recipes: list[PlannedRecipe],
    pool: WorkerPool[Task],
    console: Console,
) -> Beforehand:
    """Make the runs that come before the compared ones, as far as they were asked for.

    Raises:
        UserError: If one that all others wait for failed.
    """
    paces = _paces(asked, recipes, pool, console)
    updates = lengths(recipes, asked.budget, paces)
    recipes, halving = halve(asked, recipes, paces, pool, console)
    tuning = _tune(asked, recipes, updates, pool, console)
    rates = chosen_rates(tuning)
    return Beforehand(
        recipes=[with_rate(r, rates[r.name]) if r.name in rates else r for r in recipes],
        updates=updates,
        rates=rates,
        tuning=tuning,
        halving=halving,
    )


def _paces(
    asked: Comparison, recipes: Sequence[PlannedRecipe], pool: WorkerPool[Task], console: Console
) -> dict[str, float]:
    """Time a few updates of each recipe, once, where seconds are the unit."""
    if asked.budget.unit != "seconds":
        return {}
    tasks = asked.choice.seen(timing_tasks(recipes, asked.output / "timing"))
    everything = replace(asked.choice, numbers=None)
    failures = make_runs(tasks, pool, console, choice=everything, patience=_SECONDS_TO_TIME)
    if failures:
        raise UserError(f"The timing of {failures[0].recipe} failed: {failures[0].message}")
    return {
        task.recipe: json.loads((task.folder / RESULT).read_text("utf-8"))["seconds_per_update"]
        for task in tasks
    }


def _tune(
    asked: Comparison,
    recipes: Sequence[PlannedRecipe],
    updates: dict[str, int],
    pool: WorkerPool[Task],
    console: Console,
) -> list[TuningRow]:
    """Choose learning rates on validation text, if asked to."""
    if not asked.tune_lr:
        return []
    tasks = tuning_tasks(recipes, updates, seeds=asked.tune_lr, folder=asked.output / "tuning")
    tasks = asked.choice.seen(tasks)
    if not asked.choice.shares_folder:
        make_runs(tasks, pool, console, choice=asked.choice)
    elif asked.seeds:
        require_tried(tasks)
    else:
        make_chosen(asked.choice, tasks, pool, console)
        return []
    rows = read_tuning(tasks)
    write_tuning(rows, asked.output, console=console)
    return rows
