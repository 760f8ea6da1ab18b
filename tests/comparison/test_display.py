from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lit_roberta.comparison.display import RunDisplay
from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.workers import Event
from tests.comparison.test_choosing import plan


def event(task: Task, kind: Any, **facts: Any) -> Event[Task]:
    return Event(kind=kind, task=task, **facts)


def draw(display: RunDisplay, *, now: float, height: int = 40) -> list[str]:
    written = io.StringIO()
    Console(file=written, width=100, height=height).print(display.picture(now))
    return [line.rstrip() for line in written.getvalue().splitlines()]


@pytest.fixture
def began(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as a display sees it; a test moves it on."""
    clock = [100.0]
    monkeypatch.setattr("lit_roberta.comparison.display.time.monotonic", lambda: clock[0])
    return clock


def test_the_runs_under_way_stand_in_a_table_and_the_others_in_counts(
    tmp_path: Path, began: list[float]
) -> None:
    tasks = plan(tmp_path, runs=60)  # of six updates each
    display = RunDisplay(tasks, console=Console(file=io.StringIO(), width=100, height=40))
    display.show(event(tasks[0], "progress", done=0))
    display.show(event(tasks[1], "progress", done=3, loss=4.5))  # it goes on with an older run
    began[0] += 30
    display.show(event(tasks[0], "progress", done=6, loss=3.25))
    display.show(event(tasks[1], "progress", done=6))
    display.show(event(tasks[0], "finished"))
    display.show(event(tasks[2], "failed", message="it has diverged"))
    display.show(event(tasks[3], "progress", done=2))
    lines = draw(display, now=began[0])
    # Made: one run, a half and the failed one, in 30 s. Missing: two thirds of a run, and 56.
    assert lines[0] == ("1 of 60 runs finished, 1 failed, 2 under way, about 0:11:20 left")
    assert lines[1].split() == ["run", "updates", "loss", "left"]
    assert lines[2].startswith("bert, seed 1")
    assert "6 of 6" in lines[2]
    assert "4.500" in lines[2]
    assert lines[2].endswith("0:00:00")
    assert lines[3].startswith("bert, seed 3")
    assert len(lines) == 4


def test_a_table_is_never_longer_than_the_terminal(tmp_path: Path) -> None:
    tasks = plan(tmp_path, runs=60)
    display = RunDisplay(tasks, console=Console(file=io.StringIO(), width=100, height=20))
    for task in tasks:
        display.show(event(task, "progress", done=1))
    lines = draw(display, now=1.0, height=20)
    assert len(lines) <= 20
    assert lines[-1] == "and 45 more"


def test_in_a_terminal_nothing_of_the_table_stays_and_failures_do(tmp_path: Path) -> None:
    tasks, written = plan(tmp_path, runs=2), io.StringIO()
    console = Console(file=written, width=100, height=20, force_terminal=True)
    with RunDisplay(tasks, console=console) as display:
        display.show(event(tasks[0], "progress", done=1, loss=9.875))
        display.show(event(tasks[0], "failed", message="it has diverged"))
        display.show(event(tasks[1], "finished"))
    text = written.getvalue()
    assert "bert, seed 0 failed: it has diverged" in text
    assert "1 of 2 runs finished, 1 failed, 0 under way" in text
    assert "6 updates;" not in text


def test_elsewhere_each_run_that_ends_has_a_line(tmp_path: Path, began: list[float]) -> None:
    tasks, written = plan(tmp_path, runs=3), io.StringIO()
    with RunDisplay(tasks, console=Console(file=written, width=100)) as display:
        display.show(event(tasks[0], "progress", done=3, loss=2.0))
        began[0] += 12
        display.show(event(tasks[0], "finished"))
        display.show(event(tasks[1], "failed", message="it has diverged"))
    assert written.getvalue().splitlines() == [
        "bert, seed 0: 6 updates; 1 of 3 runs after 12 s",
        "bert, seed 1 failed: it has diverged",
    ]
