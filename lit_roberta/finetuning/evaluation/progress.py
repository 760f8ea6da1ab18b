"""What a person at the terminal sees while runs are made: a line for each that ends."""

from __future__ import annotations

import time

from rich.console import Console

from lit_roberta.finetuning.evaluation.results import Failure, read_found
from lit_roberta.finetuning.evaluation.runs import EvaluationRun
from lit_roberta.workers import Event


class RunLines:
    """Say how each run ended, and about how long the others will take.

    Args:
        total: Runs of the whole evaluation.
        console: Where to.
    """

    def __init__(self, *, total: int, console: Console) -> None:
        self._console, self._total = console, total
        self._done = self._made = 0
        self._began = time.monotonic()

    def skip(self, count: int) -> None:
        """Note that so many runs are there already."""
        self._done += count
        if count:
            self._say(f"{self._done - self._made} of {self._total} runs are there already.")

    def show(self, event: Event[EvaluationRun], failures: list[Failure]) -> None:
        """Show how a run ended, and keep its failure."""
        if event.kind == "progress":
            return
        self._done += 1
        self._made += 1
        if event.kind == "failed":
            failures.append(Failure(run=event.task, message=event.message))
            self._say(f"{self._place()} {event.task.label} failed: {event.message}")
            return
        self._say(f"{self._place()} {event.task.label}: {_outcome(event.task)}{self._left()}")

    def _place(self) -> str:
        return f"[{self._done}/{self._total}]"

    def _left(self) -> str:
        left = self._total - self._done
        if not left:
            return ""
        seconds = (time.monotonic() - self._began) / self._made * left
        return f"; about {_duration(seconds)} left"

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _outcome(run: EvaluationRun) -> str:
    for found in read_found([run]):
        score, baseline = found.score(found.part), found.baseline
        shown = "no score" if score is None else f"{score:.4f}"
        beside = "" if baseline is None else f" (without reading {baseline:.4f})"
        marked = ", learned nothing" if found.is_collapsed else ""
        seconds = found.result["seconds"]
        return f"{found.part} {found.result['metric']} {shown}{beside}{marked}, {seconds:.0f} s"
    return "its result can't be read"


def _duration(seconds: int | float) -> str:
    """Write a duration as one would say it.

    Example:
        >>> _duration(42), _duration(400), _duration(5400)
        ('42 s', '7 min', '1.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
