"""Several budgets, each a comparison of its own: how the verdict changes with training's length.

In: a request with several amounts. Out: a folder with a whole report for each, and the end points
of all as plain data. A point on the way of a long run is no end point: its learning rate has not
decayed. So each amount has runs of its own length, with schedules of their own.
"""

from __future__ import annotations

from dataclasses import replace

from rich.console import Console

from lit_roberta.comparison.comparing import run_comparison
from lit_roberta.comparison.reporting.budgets_report import write_budgets
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.results import Results
from lit_roberta.errors import must
from lit_roberta.training.output_folder import require_output

FOLDER = "budgets"


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
    found: list[Results] = []
    amounts = sorted(asked.budgets)
    for amount in amounts:
        part = at_budget(asked, amount)
        console.print(f"Budget: {part.budget.describe()}", markup=False, highlight=False)
        results = run_comparison(part, console=console)
        if results is not None:
            found.append(results)
            folders = [f"{FOLDER}/{amount:g}" for amount in amounts[: len(found)]]
            write_budgets(found, asked.output, reports=folders)
    return found


def at_budget(asked: Comparison, amount: float) -> Comparison:
    """Give the comparison at one of the budgets, in a folder named by its amount."""
    return replace(
        asked,
        budgets=(),
        budget=replace(asked.budget, amount=amount),
        output=asked.output / FOLDER / f"{amount:g}",
    )
