"""The scores of an evaluation as a table for a terminal: no figure is cut."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table

from lit_roberta.finetuning.evaluation.report import EvaluationResults
from lit_roberta.finetuning.evaluation.results import Cell, Spread

_WORDS = ("task", "model", "score")
_FIGURES = ("median", "min", "max", "runs", "learned\nnothing", "without\nreading")
WIDTH_OF_A_FILE = 120
"""Columns where what is printed goes to no terminal."""


def print_table(results: EvaluationResults, console: Console) -> None:
    """Show the scores, and what has to be said of them.

    Args:
        results: What was found.
        console: Of standard error.
    """
    parts = {cell.part for cell in results.cells}
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for name in _WORDS:
        table.add_column(name, overflow="fold")
    for name in _FIGURES:
        table.add_column(name, justify="right", no_wrap=True)
    for cell in results.cells:
        score = cell.metric if len(parts) == 1 else f"{cell.part} {cell.metric}"
        style = None if cell.has_learned else "red"
        table.add_row(cell.task, cell.model, score, *_figures(cell), style=style)
    for each in results.averages:
        table.add_row("glue", each.model, f"average of {len(each.tasks)}", f"{each.score:.4f}")
    wide = console
    if not console.is_terminal:
        wide = Console(file=console.file, width=max(console.width, WIDTH_OF_A_FILE))
    wide.print(table)
    said = [f"- {sentence}" for sentence in results.sentences()]
    said += [f"- Failed: {each.run.label}: {each.message}" for each in results.failures]
    if len(parts) == 1:
        said.insert(0, f"Scores of the {parts.pop()} part.")
    for line in said:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _figures(cell: Cell) -> tuple[str, ...]:
    spread = Spread.of(cell.scores)
    numbers = ("none", "", "")
    if spread is not None:
        numbers = (f"{spread.median:.4f}", f"{spread.minimum:.4f}", f"{spread.maximum:.4f}")
    baseline = "" if cell.baseline is None else f"{cell.baseline:.4f}"
    collapsed = len(cell.chosen.collapsed)
    return (*numbers, str(len(cell.chosen.runs)), str(collapsed or ""), baseline)
