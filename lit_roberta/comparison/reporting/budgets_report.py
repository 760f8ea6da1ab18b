"""The report across several budgets: one table, one picture, and the way to each whole report.

In: results, one for each budget. Out: `budgets.html`, `budgets.md`, `budgets.json`, the table and
the picture as files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from lit_roberta.comparison.reporting.budgets_chart import NAME, draw_budgets
from lit_roberta.comparison.reporting.curves import short_number
from lit_roberta.comparison.reporting.drawing import save_pictures
from lit_roberta.comparison.reporting.exports import write_table
from lit_roberta.comparison.reporting.rendering import render
from lit_roberta.comparison.reporting.summaries import mean_and_reach
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Recipe, Results
from lit_roberta.comparison.runs.run import write_json
from lit_roberta.statistics import mean_interval
from lit_roberta.whole_files import write_whole

PAGE = f"{NAME}.html"


def write_budgets(found: Sequence[Results], folder: Path, *, reports: Sequence[str]) -> None:
    """Write what is seen only across budgets.

    Args:
        found: The smallest budget first; each has a report of its own.
        folder: Where to; it exists.
        reports: The folder of each report, from there.
    """
    write_json(folder / f"{NAME}.json", {"points": [_budget(results) for results in found]})
    table, chart = budgets_table(found), draw_budgets(found)
    write_table(table, folder)
    if chart is not None:
        save_pictures([chart], folder)
    contents = {
        "results": found[-1],
        "headline": _headline(found),
        "content": table,
        "charts": {} if chart is None else {chart.name: chart},
        "verdicts": [
            (results.budget["description"], results.verdict().headline, report)
            for results, report in zip(found, reports, strict=True)
        ],
    }
    for name in (PAGE, f"{NAME}.md"):
        write_whole(folder / name, render(f"{name}.j2", contents).encode())


def _headline(found: Sequence[Results]) -> str:
    """Say whether what is found depends on how long the runs are."""
    said = [results.verdict() for results in found]
    if len(said) == 1:
        return said[0].headline
    if len({(each.kind, each.winner) for each in said}) > 1:
        return "The verdict depends on the budget."
    largest = f"At the largest: {said[-1].headline}"
    return f"The verdict is of one kind at all {len(said)} budgets. {largest}"


def _budget(results: Results) -> dict[str, Any]:
    verdict = results.verdict()
    return {
        "budget": results.budget,
        "verdict": {"kind": verdict.kind, "winner": verdict.winner, "headline": verdict.headline},
        "recipes": [_point(results, recipe) for recipe in results.finished()],
    }


def _point(results: Results, recipe: Recipe) -> dict[str, Any]:
    """Give where a recipe's runs ended: held-out text in its own format, at the last update."""
    runs = results.runs_of(recipe.name)
    losses = _losses(results, recipe)
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


def _losses(results: Results, recipe: Recipe) -> np.ndarray:
    runs = results.runs_of(recipe.name)
    return np.array([run.heldout[recipe.format].mlm_loss for run in runs])


def budgets_table(found: Sequence[Results]) -> Table:
    """One row a budget: the held-out loss of each recipe."""
    names = list(dict.fromkeys(recipe.name for results in found for recipe in results.recipes))
    rows = []
    for results in found:
        ends = {each.name: _losses(results, each) for each in results.finished()}
        cells = [mean_and_reach(ends[name]) if name in ends else "none" for name in names]
        amount = short_number(float(results.budget["amount"]))
        rows.append([f"{amount} {results.budget['unit']}", *cells])
    return Table(
        name=NAME,
        caption="Held-out loss at the last update, each recipe in its own format, in nats per "
        "masked token, mean over runs and 95% interval. Every row is made of runs of its own "
        "length.",
        header=["budget", *names],
        rows=rows,
        besides=f"points in {NAME}.json; the runs lie in the folders of the budgets.",
    )
