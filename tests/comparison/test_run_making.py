from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from rich.console import Console

from lit_roberta.comparison.choosing import Choice
from lit_roberta.comparison.run_making import NOT_THERE, make_runs
from lit_roberta.comparison.runs.claiming import ELSEWHERE, is_claimed
from lit_roberta.comparison.runs.run import write_json
from lit_roberta.comparison.runs.tasks import Task, finished
from lit_roberta.errors import UserError
from lit_roberta.workers import Event, WorkerPool
from tests.comparison.test_choosing import leave_result, plan


class Pool(WorkerPool[Task]):
    """Makes runs at once, in this process, in a way that a test gives."""

    def __init__(self, make: Callable[[Task], str | None]) -> None:
        super().__init__(jobs=1, threads=1)
        self._make, self.made = make, list[int]()

    def run(self, tasks: Sequence[Task], on_event: Callable[[Event[Task]], None]) -> None:
        for task in tasks:
            self.made.append(task.seed)
            message = ELSEWHERE if is_claimed(task.folder) else self._make(task)
            kind: Any = "finished" if message is None else "failed"
            on_event(Event(kind=kind, task=task, message=message or ""))


def succeed(task: Task) -> None:
    leave_result(task)


@pytest.fixture
def said() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def console(said: io.StringIO) -> Console:
    return Console(file=said, width=200)


def test_only_what_is_missing_and_chosen_is_made(
    tmp_path: Path, console: Console, said: io.StringIO
) -> None:
    tasks, pool = plan(tmp_path, runs=5), Pool(succeed)
    leave_result(tasks[1])
    assert make_runs(tasks, pool, console, choice=Choice(numbers=(3, 1))) == []
    assert pool.made == [3]
    assert "1 of 2 runs are there already, and unchanged." in said.getvalue()
    assert make_runs(tasks, pool, console) == []
    assert pool.made == [3, 0, 2, 4]


def test_a_report_alone_makes_nothing_and_says_what_is_missing(
    tmp_path: Path, console: Console
) -> None:
    tasks, pool = plan(tmp_path, runs=3), Pool(succeed)
    leave_result(tasks[1])
    failures = make_runs(tasks, pool, console, choice=Choice(report_only=True))
    assert [(failure.seed, failure.message) for failure in failures] == [
        (0, NOT_THERE),
        (2, NOT_THERE),
    ]
    assert pool.made == []


@pytest.mark.parametrize(
    ("fingerprint", "message"),
    [
        ("other-code", "--output must hold runs of the same text, budget and settings, got "),
        ("run1-newer", "--output must hold runs of this version of the package and of torch, got"),
    ],
)
def test_finished_runs_of_others_are_only_replaced_if_that_is_asked_for(
    fingerprint: str, message: str, tmp_path: Path, console: Console, said: io.StringIO
) -> None:
    tasks, pool = plan(tmp_path, runs=2), Pool(succeed)
    leave_result(tasks[1], fingerprint=fingerprint)
    with pytest.raises(UserError) as caught:
        make_runs(tasks, pool, console)
    assert str(caught.value).startswith(message)
    assert "--anew" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert pool.made == []
    assert make_runs(tasks, pool, console, choice=Choice(anew=True)) == []
    assert pool.made == [0, 1]
    assert f"1 finished run in {tasks[1].folder} is made anew." in said.getvalue()


def test_a_finished_run_under_another_name_is_taken_over(
    tmp_path: Path, console: Console, said: io.StringIO
) -> None:
    first, second = plan(tmp_path, runs=2)
    begun = replace(second, recipe="ten", folder=tmp_path / "ten" / "seed-1")
    renamed = replace(first, recipe="ten", folder=tmp_path / "ten" / "seed-0")
    other = replace(first, recipe="one", folder=tmp_path / "one" / "seed-0", fingerprint="x-code")
    for task in (first, second):
        leave_result(task)
        write_json(task.folder / "run.json", {"fingerprint": task.fingerprint})
        (task.folder / "checkpoints").mkdir()
        (task.folder / "checkpoints" / "last.ckpt").write_bytes(b"weights")
        (task.folder / "log.txt").write_text("once")
    begun.folder.mkdir(parents=True)
    (begun.folder / "mine.txt").touch()
    pool = Pool(succeed)
    assert make_runs([renamed, other, begun], pool, console) == []
    assert pool.made == [0, 1]  # of other things, and in a folder that is not empty
    assert "1 finished run had another name before." in said.getvalue()
    assert finished(renamed)
    assert finished(first)
    checkpoint = renamed.folder / "checkpoints" / "last.ckpt"
    assert checkpoint.samefile(first.folder / "checkpoints" / "last.ckpt")
    with (renamed.folder / "log.txt").open("a") as log:
        log.write(", and again")
    assert (first.folder / "log.txt").read_text() == "once"
    assert (begun.folder / "mine.txt").is_file()


def test_a_failure_is_noted_in_its_own_folder_and_stops_nobody(
    tmp_path: Path, console: Console
) -> None:
    tasks = plan(tmp_path, runs=3)

    def make(task: Task) -> str | None:
        task.folder.mkdir(parents=True)
        if task.seed != 2:  # which fails before the folder is its own
            write_json(task.folder / "run.json", {"fingerprint": task.fingerprint})
        if task.seed:
            return "it has diverged"
        leave_result(task)
        return None

    failures = make_runs(tasks, Pool(make), console)
    assert [(failure.seed, failure.message) for failure in failures] == [
        (1, "it has diverged"),
        (2, "it has diverged"),
    ]
    noted = json.loads((tasks[1].folder / "failed.json").read_text("utf-8"))
    assert noted == {"fingerprint": "run1-code", "message": "it has diverged"}
    assert not (tasks[2].folder / "failed.json").exists()


def test_runs_of_another_process_are_waited_for_a_while_and_made_if_it_leaves_them(
    tmp_path: Path, console: Console
) -> None:
    tasks = plan(tmp_path, runs=3)
    for task in tasks:
        task.folder.mkdir(parents=True)
    leaves, keeps = (FileLock(tmp_path / "bert" / f".seed-{seed}.lock") for seed in (0, 1))
    leaves.acquire()
    keeps.acquire()

    def make(task: Task) -> None:
        succeed(task)
        leaves.release()  # once the third run is made, the other process is done with the first

    pool = Pool(make)
    failures = make_runs(tasks, pool, console, patience=0.1)
    keeps.release()
    assert [(failure.seed, failure.message) for failure in failures] == [(1, ELSEWHERE)]
    assert pool.made == [0, 1, 2, 0]
    assert not (tasks[1].folder / "failed.json").exists()
