from __future__ import annotations

import os
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from lit_roberta import workers
from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.errors import UserError
from lit_roberta.workers import Event, Interrupted, Tell, WorkerPool


def tell_visible_gpus(connection: Connection, threads: int) -> None:
    connection.send(os.environ.get("CUDA_VISIBLE_DEVICES"))


def plan(folder: Path, *names: str) -> list[Task]:
    for name in names:
        (folder / name).mkdir()
    return [
        Task(
            recipe=name,
            seed=0,
            updates=3,
            arguments=(),
            folder=folder / name,
            fingerprint=name,
            formats=[],
        )
        for name in names
    ]


def attempt(
    task: Task, outcome: BaseException | None, patch: pytest.MonkeyPatch
) -> list[Event[Task]]:
    """Make a run that ends in a given way, and give everything that is said about it."""

    def execute(task: Task, tell: Tell) -> None:
        tell(1, 3, 4.5)
        if outcome is not None:
            raise outcome

    patch.setattr(Task, "execute", execute)
    ours, theirs = Pipe()
    last = workers._attempt(task, theirs)
    said: list[Event[Task]] = [ours.recv()]
    return said if last is None else [*said, last]


def test_progress_and_end_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (task,) = plan(tmp_path, "bert")
    progress, end = attempt(task, None, monkeypatch)
    assert (progress.kind, progress.done, progress.loss) == ("progress", 1, 4.5)
    assert end.kind == "finished"


def test_a_users_mistake_is_told_in_its_own_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = plan(tmp_path, "bert")
    _, end = attempt(task, UserError("lr must be lower, got 9."), monkeypatch)
    assert (end.kind, end.message, end.users) == ("failed", "lr must be lower, got 9.", True)


def test_our_own_fault_keeps_its_traceback_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (task,) = plan(tmp_path, "bert")
    _, end = attempt(task, RuntimeError("odd\nshape"), monkeypatch)
    assert end.message.startswith("RuntimeError: odd shape (see ")
    assert not end.users
    assert "Traceback" in (tmp_path / "bert" / "error.txt").read_text("utf-8")


def test_a_stopped_run_ends_its_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (task,) = plan(tmp_path, "bert")
    assert len(attempt(task, Interrupted(), monkeypatch)) == 1


def test_a_process_that_dies_fails_its_run_and_is_replaced(tmp_path: Path) -> None:
    # These arguments are no command line, so the first fails by itself once its process is up.
    tasks = plan(tmp_path, "first", "second")
    events: list[Event[Task]] = []
    pool: WorkerPool[Task] = WorkerPool(jobs=1, threads=1)
    pool._workers.append(pool._start(None))
    os.kill(pool._workers[0].process.pid or 0, 9)
    try:
        pool.run(tasks, events.append)
    finally:
        pool.stop()
    first, second = events
    assert first.task.recipe == "first"
    assert first.message == "its process ended with status -9"
    assert second.task.recipe == "second"
    assert second.kind == "failed"
    assert "status" not in second.message


@pytest.mark.slow
def test_each_process_sees_one_gpu_and_its_successor_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A command of the machine's in place of the runs: what a new process sees is all that counts.
    monkeypatch.setattr(workers, "_serve", tell_visible_gpus)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,7")
    pool: WorkerPool[Task] = WorkerPool(jobs=3, threads=1, gpus=["2", "7"])
    seen = []
    for place in range(3):
        worker = pool._start(pool._gpu_of(place))
        pool._workers.append(worker)
        seen.append(worker.connection.recv())
    assert seen == ["2", "7", "2"]
    assert [worker.gpu for worker in pool._workers] == seen
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "2,7"
    for worker in pool._workers:
        worker.process.join()
    pool.stop()
