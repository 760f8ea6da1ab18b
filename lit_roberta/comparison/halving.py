"""The rounds of a grid's halving, made one after the other.

In: the points of a grid. Out: those that are left for the whole budget, and how it came to that.
"""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console

from lit_roberta.comparison.design.halving import plan_rounds, read_round, round_tasks
from lit_roberta.comparison.design.recipes import PlannedRecipe
from lit_roberta.comparison.judging.grid_verdict import HalvingRow
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.run_making import make_runs
from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.errors import UserError, must
from lit_roberta.workers import WorkerPool


def halve(
    asked: Comparison,
    recipes: list[PlannedRecipe],
    paces: Mapping[str, float],
    pool: WorkerPool[Task],
    console: Console,
) -> tuple[list[PlannedRecipe], list[HalvingRow]]:
    """Make the rounds before the whole budget, if asked to; finished runs are used again.

    Args:
        asked: What is compared, and how.
        recipes: All points.
        paces: Seconds an update takes, by recipe; only read where seconds are the unit.
        pool: Makes the runs.
        console: Told how far it is.

    Returns:
        The points that are left, and a row for each point of each round.

    Raises:
        UserError: If no point finished, or if only some runs are to be made: who goes on is known
            when all are there.
    """
    if not asked.halving:
        return recipes, []
    if asked.choice.shares_folder:
        remedy = "Use --jobs on one machine."
        raise must("--halving", "decide over whole rounds", "--index or --list", remedy)
    rounds = plan_rounds(recipes, asked.budget, paces, eta=asked.halving)
    rows: list[HalvingRow] = []
    for turn in rounds:
        tasks = asked.choice.seen(round_tasks(recipes, turn, asked.output / "halving"))
        failures = make_runs(tasks, pool, console, choice=asked.choice)
        found = read_round(recipes, turn, tasks, eta=asked.halving)
        rows += found
        kept = {row.recipe for row in found if row.kept}
        if not kept:
            raise UserError(
                f"Every run of the grid failed. {failures[0].recipe}: {failures[0].message}"
            )
        recipes = [recipe for recipe in recipes if recipe.name in kept]
        told = f"Round {turn.number + 1} of {len(rounds)}: {len(recipes)} of {len(tasks)} go on."
        console.print(told, markup=False, highlight=False)
    return recipes, rows
