"""How far the preparation of a text has come, for a person who waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lit_roberta.data.preparation.making import OnProgress, Stage


@contextmanager
def shown_progress() -> Iterator[OnProgress]:
    """Show the stage, the text that it is through with and the time, on a terminal only."""
    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("looking at the text")

        def show(stage: Stage, size: int) -> None:
            done = f" {size / 1e6:,.1f} MB" if size else ""
            bar.update(task, description=f"{stage}{done}")

        yield show
