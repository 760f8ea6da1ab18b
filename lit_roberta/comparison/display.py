"""What a person at the terminal sees while runs are made."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.workers import Event


class RunDisplay:
    """A bar for each recipe in a terminal; elsewhere a line for each finished run.

    Use it as a context manager, and hand `show` to the workers.

    Args:
        tasks: The runs to come.
        console: Where to.
    """

    def __init__(self, tasks: Sequence[Task], *, console: Console) -> None:
        self._console = console
        self._runs = Counter(task.recipe for task in tasks)
        self._finished: Counter[str] = Counter()
        self._total = len(tasks)
        self._began = time.monotonic()
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[runs]} runs"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._bars = {
            recipe: self._progress.add_task(
                recipe,
                total=sum(task.updates for task in tasks if task.recipe == recipe),
                runs=f"0/{count}",
            )
            for recipe, count in self._runs.items()
        }
        self._done: dict[TaskID, dict[str, int]] = {bar: {} for bar in self._bars.values()}

    def __enter__(self) -> RunDisplay:
        self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def show(self, event: Event[Task]) -> None:
        """Show what happened to a run."""
        task, bar = event.task, self._bars[event.task.recipe]
        done = event.done if event.kind == "progress" else task.updates
        self._done[bar][str(task.folder)] = done
        if event.kind != "progress":
            self._finished[task.recipe] += 1
            self._say(event)
        self._progress.update(
            bar,
            completed=sum(self._done[bar].values()),
            runs=f"{self._finished[task.recipe]}/{self._runs[task.recipe]}",
        )

    def _say(self, event: Event[Task]) -> None:
        if event.kind == "failed":
            self._console.print(
                f"{event.task.label} failed: {event.message}", markup=False, highlight=False
            )
        elif not self._console.is_terminal:
            seconds = time.monotonic() - self._began
            self._console.print(
                f"{event.task.label}: {event.task.updates:,} updates; "
                f"{self._finished.total()} of {self._total} runs after {seconds:.0f} s",
                highlight=False,
            )
