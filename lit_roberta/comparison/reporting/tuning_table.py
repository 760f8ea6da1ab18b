"""The table of learning rates, for a terminal, for a file, and for the README."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from lit_roberta.comparison.design.tuning import at_edge, chosen_rates
from lit_roberta.comparison.judging.wording import joined
from lit_roberta.comparison.reporting.table import Table, markdown
from lit_roberta.comparison.results import TuningRow
from lit_roberta.comparison.runs.run import write_json


def write_tuning(rows: Sequence[TuningRow], folder: Path, *, console: Console) -> None:
    """Write `tuning.json` and `tuning.md`, and print the table."""
    write_json(folder / "tuning.json", {"rows": [asdict(row) for row in rows]})
    table = tuning_table(rows)
    (folder / "tuning.md").write_text(table, encoding="utf-8")
    console.print(table, markup=False, highlight=False, soft_wrap=True)


def tuning_table(rows: Sequence[TuningRow]) -> str:
    """Write the table in Markdown, with a line below on rates at the edge of the grid.

    Example:
        >>> rows = [
        ...     TuningRow(recipe="a", learning_rate=1e-3, validation_losses=[5.0], chosen=False),
        ...     TuningRow(recipe="a", learning_rate=2e-3, validation_losses=[4.0], chosen=True),
        ... ]
        >>> print(tuning_table(rows))
        | learning rate | a |
        | --- | --- |
        | 0.001 | 5.00 |
        | 0.002 | **4.00** |
        <BLANKLINE>
    """
    text = markdown(tuning_rows(rows)) + "\n"
    edges = [recipe for recipe, rate in chosen_rates(rows).items() if at_edge(rate)]
    if not edges:
        return text
    return (
        f"{text}\nAt the edge of the grid, where a better rate may lie beyond: {joined(edges)}.\n"
    )


def tuning_rows(rows: Sequence[TuningRow]) -> Table:
    """Lay out learning rates by recipes; the chosen ones stand between asterisks."""
    recipes = list(dict.fromkeys(row.recipe for row in rows))
    cells = {(row.recipe, row.learning_rate): _cell(row) for row in rows}
    return Table(
        name="tuning",
        caption="Validation loss by learning rate, each recipe in its own format, in nats per "
        "masked token: read down, not across. The best of each recipe is marked.",
        header=["learning rate", *recipes],
        rows=[
            [f"{rate:g}", *(cells.get((recipe, rate), "") for recipe in recipes)]
            for rate in sorted({row.learning_rate for row in rows})
        ],
        besides="Means over the validation_losses of each row of tuning.json.",
    )


def _cell(row: TuningRow) -> str:
    if not math.isfinite(row.mean):
        return "diverged"
    return f"**{row.mean:.2f}**" if row.chosen else f"{row.mean:.2f}"
