"""Several budgets, each a comparison of its own: how the verdict changes with training's length.

In: a request with several amounts. Out: a folder with a whole report for each, and the end points
of all as plain data. A point on the way of a long run is no end point: its learning rate has not
decayed. So each amount has runs of its own length, with schedules of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from lit_roberta.comparison.comparing import run_comparison
from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.results import Recipe, Results
from lit_roberta.comparison.runs.run import write_json
from lit_roberta.errors import must
from lit_roberta.statistics import mean_interval
from lit_roberta.training.output_folder import require_output
from lit_roberta.whole_files import write_whole

FOLDER = "budgets"
POINTS = "budgets.json"
TABLE = "budgets.md"


def run_budgets(asked: Comparison, *, console: Console) -> list[Results]:
    """Compare the recipes at each of several budgets, the smallest first.

    Returns:
        What was found at each; none where no report is written.

    Raises:
        UserError: If something can't be done as asked.
    """
    if asked.choice.numbers is not None:
        remedy = (
            "Each budget's folder is a comparison of its own: give --budget.unit, --budget.amount "
            f"and --output {asked.output / FOLDER}/AMOUNT."
        )
        raise must("--index", "not be given with --budgets", list(asked.choice.numbers), remedy)
    require_output(asked.output)
    found = []
    for amount in sorted(asked.budgets):
        part = at_budget(asked, amount)
        console.print(f"Budget: {part.budget.describe()}", markup=False, highlight=False)
        results = run_comparison(part, console=console)
        if results is not None:
            found.append(results)
            write_points(found, asked.output)
    return found


def at_budget(asked: Comparison, amount: float) -> Comparison:
    """Give the comparison at one of the budgets, in a folder named by its amount."""
    return replace(
        asked,
        budgets=(),
        budget=replace(asked.budget, amount=amount),
        output=asked.output / FOLDER / f"{amount:g}",
    )


def write_points(found: Sequence[Results], folder: Path) -> None:
    """Write the end points of all budgets, as data and as a table."""
    points = [
        {
            "budget": results.budget,
            "verdict": {
                "kind": results.verdict().kind,
                "winner": results.verdict().winner,
                "headline": results.verdict().headline,
            },
            "recipes": [_point(results, recipe) for recipe in results.finished()],
        }
        for results in found
    ]
    write_json(folder / POINTS, {"points": points})
    write_whole(folder / TABLE, _table(found).encode())


def _point(results: Results, recipe: Recipe) -> dict[str, Any]:
    """Give where a recipe's runs ended: held-out text in its own format, at the last update."""
    runs = results.runs_of(recipe.name)
    losses = np.array([run.heldout[recipe.format].mlm_loss for run in runs])
    over_runs = mean_interval(losses)
    return {
        "recipe": recipe.name,
        "format": recipe.format,
        "learning_rate": recipe.learning_rate,
        "updates": recipe.updates,
        "tokens": float(np.mean([run.tokens for run in runs])),
        "flops": float(np.mean([run.flops for run in runs])),
        "seconds": float(np.mean([run.seconds for run in runs])),
        "losses": losses.tolist(),
        "mean": float(losses.mean()),
        "over_runs": None if over_runs is None else asdict(over_runs),
        "same_as": recipe.same_as,
    }


def _table(found: Sequence[Results]) -> str:
    """Write a row for each budget: the held-out loss of each recipe, and the verdict."""
    names = list(dict.fromkeys(recipe.name for results in found for recipe in results.recipes))
    lines = [
        f"| budget | {' | '.join(names)} | verdict |",
        f"|---|{'---:|' * len(names)}---|",
    ]
    for results in found:
        ends = {recipe.name: _point(results, recipe)["mean"] for recipe in results.finished()}
        cells = [nats(ends[name]) if name in ends else "-" for name in names]
        row = [str(results.budget["description"]), *cells, results.verdict().headline]
        lines.append(f"| {' | '.join(row)} |")
    note = (
        "Held-out loss at the last update, each recipe in its own format, mean over its runs, in "
        "nats per masked token. Every row is made of runs of its own length."
    )
    return "\n".join([*lines, "", note, ""])
