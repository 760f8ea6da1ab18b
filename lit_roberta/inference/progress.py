"""How far a command has come, for a person who waits for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class _Speed(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Write texts per second."""
        return Text(f"{task.speed:,.0f} texts/s" if task.speed else "")


@contextmanager
def shown_progress(count: Callable[[], int | None]) -> Iterator[Callable[[int], None]]:
    """Show a bar on standard error, on a terminal only.

    Args:
        count: Counts all texts, if that is quick; only asked where the bar is shown.

    Yields:
        What to tell how many texts more are done.
    """
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Speed(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("texts", total=count() if console.is_terminal else None)
        yield lambda done: bar.advance(task, done)
