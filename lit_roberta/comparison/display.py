"""What a person at the terminal sees while runs are made.

In: what happens to runs. Out: a table of those under way, or a line for each that has ended. It
changes nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.training.progress import time_left
from lit_roberta.workers import Event

_SECONDS_BETWEEN_PICTURES = 0.25
_LINES_BESIDES = 4
"""Of a terminal, that are left to others."""
_BAR = 24


@dataclass
class _Row:
    """A run under way."""

    task: Task
    began: float
    first: int
    """Updates that were finished when it was first heard of: it may go on with an older one."""
    done: int
    loss: float | None = None

    @property
    def share(self) -> float:
        """How much of the run was made here."""
        return (self.done - self.first) / max(1, self.task.updates)

    @property
    def missing(self) -> float:
        """How much of it is still to be made."""
        return 1 - self.done / max(1, self.task.updates)

    def left(self, now: float) -> str:
        """Estimate the rest of it from its own pace."""
        return time_left(
            now - self.began, done=self.done - self.first, remaining=self.task.updates - self.done
        )


class RunDisplay:
    """A table of the runs under way in a terminal; elsewhere a line for each finished run.

    Use it as a context manager, and hand `show` to the workers.

    Args:
        tasks: The runs to come.
        console: Where to.
    """

    def __init__(self, tasks: Sequence[Task], *, console: Console) -> None:
        self._console = console
        self._total = len(tasks)
        self._finished = self._failed = 0
        self._made = 0.0
        """Runs made here, in whole ones, without those under way."""
        self._rows: dict[str, _Row] = {}
        self._began = self._pictured = time.monotonic()
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> RunDisplay:
        if self._console.is_terminal and self._total:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._live.stop()

    def show(self, event: Event[Task]) -> None:
        """Show what happened to a run."""
        now = time.monotonic()
        if event.kind == "progress":
            self._go_on(event, now)
        else:
            self._end(event, now)
        due = event.kind != "progress" or now - self._pictured > _SECONDS_BETWEEN_PICTURES
        if self._live.is_started and due:
            self._pictured = now
            self._live.update(self.picture(now), refresh=True)

    def picture(self, now: float) -> RenderableType:
        """Draw the counts, and a row for each run under way that there is room for."""
        rows = list(self._rows.values())
        room = max(1, self._console.height - _LINES_BESIDES)
        shown = rows if len(rows) <= room else rows[: room - 1]
        table = Table(box=None, pad_edge=False, header_style="dim")
        for name in ("run", "", "updates", "loss", "left"):
            table.add_column(name, justify="left" if name in ("run", "") else "right")
        for row in shown:
            table.add_row(
                Text(row.task.label),
                ProgressBar(total=row.task.updates, completed=row.done, width=_BAR),
                f"{row.done:,} of {row.task.updates:,}",
                "" if row.loss is None else f"{row.loss:.3f}",
                row.left(now),
            )
        more = [Text(f"and {len(rows) - len(shown)} more")] if len(shown) < len(rows) else []
        return Group(Text(self._counts(now), style="bold"), *([table] if rows else []), *more)

    # ---- its parts

    def _go_on(self, event: Event[Task], now: float) -> None:
        key = str(event.task.folder)
        row = self._rows.setdefault(key, _Row(event.task, now, event.done, event.done))
        row.done = event.done
        row.loss = row.loss if event.loss is None else event.loss

    def _end(self, event: Event[Task], now: float) -> None:
        row = self._rows.pop(str(event.task.folder), None)
        self._made += 1 if row is None else 1 - row.first / max(1, event.task.updates)
        if event.kind == "failed":
            self._failed += 1
            line = f"{event.task.label} failed: {event.message}"
            self._console.print(line, markup=False, highlight=False)
            return
        self._finished += 1
        if not self._console.is_terminal:
            self._console.print(
                f"{event.task.label}: {event.task.updates:,} updates; "
                f"{self._finished + self._failed} of {self._total} runs after "
                f"{now - self._began:.0f} s",
                highlight=False,
            )

    def _counts(self, now: float) -> str:
        ended = self._finished + self._failed
        failed = f", {self._failed} failed" if self._failed else ""
        made = self._made + sum(row.share for row in self._rows.values())
        missing = sum(row.missing for row in self._rows.values())
        missing += self._total - ended - len(self._rows)
        left = time_left(now - self._began, done=made, remaining=missing)
        return (
            f"{self._finished} of {self._total} runs finished{failed}, {len(self._rows)} under "
            f"way, about {left} left"
        )
