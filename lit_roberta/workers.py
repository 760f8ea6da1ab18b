"""Several runs at once, each in a process of its own, several one after another in each process.

Importing torch costs seconds, so a process takes one run after another. A run that fails, or whose
process dies, is reported in its place and the others go on.

In: runs, which know how they are made. Out: what happened to them. What they are for is not known
here.
"""

from __future__ import annotations

import multiprocessing as mp
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, Generic, Literal, Protocol, TypeVar, runtime_checkable

import torch

from lit_roberta.errors import UserError
from lit_roberta.machine import only_gpu, visible_gpus

Tell = Callable[[int, int, float | None], None]
"""Takes the updates finished, those of the whole run, and the last loss if there is one yet."""

ERROR = "error.txt"
"""The traceback of a fault of ours."""
_SECONDS_TO_STOP = 20.0
"""What a run gets to finish its update and save it, before its process is ended."""


class Interrupted(Exception):  # noqa: N818 - it is no error
    """A run was asked to stop, and has saved where it stands."""


@runtime_checkable  # signatures are checked while testing
class Work(Protocol):
    """A run that can be sent to another process and made there."""

    @property
    def folder(self) -> Path:
        """Where it is made."""

    def execute(self, tell: Tell) -> None:
        """Make it.

        Raises:
            UserError: If it can't be made as asked.
            Interrupted: If it was stopped by a signal.
        """


WorkT = TypeVar("WorkT", bound=Work)


@dataclass(frozen=True, kw_only=True)
class Event(Generic[WorkT]):
    """Something that happened to a run."""

    kind: Literal["progress", "finished", "failed"]
    task: WorkT
    done: int = 0
    """Updates finished."""
    loss: float | None = None
    """The last training loss."""
    message: str = ""
    """Why it failed, in one line."""
    users: bool = False
    """Whether the failure is one that the user can mend."""


@dataclass
class _Worker(Generic[WorkT]):
    process: SpawnProcess
    connection: Connection
    gpu: str | None
    """The one CUDA device that it sees."""
    task: WorkT | None = None


class WorkerPool(Generic[WorkT]):
    """Processes that make runs.

    Args:
        jobs: Processes.
        threads: Threads of each.
        gpus: CUDA devices by name: each process sees one of them, in turn. None for all that this
            process sees.
    """

    def __init__(self, *, jobs: int, threads: int, gpus: Sequence[str] | None = None) -> None:
        self.jobs, self.threads = jobs, threads
        self.gpus = visible_gpus() if gpus is None else list(gpus)
        self._workers: list[_Worker[WorkT]] = []

    def run(self, tasks: Sequence[WorkT], on_event: Callable[[Event[WorkT]], None]) -> None:
        """Make all runs.

        Args:
            tasks: The runs, started in this order.
            on_event: Called in this process for everything that happens.
        """
        pending = deque(tasks)
        while len(self._workers) < min(self.jobs, len(pending)):
            place = len(self._workers)
            self._workers.append(self._start(self._gpu_of(place)))
        for worker in self._workers:
            self._hand_out(worker, pending)
        while busy := [worker for worker in self._workers if worker.task is not None]:
            ready = wait([worker.connection for worker in busy])
            for worker in busy:
                if worker.connection in ready:
                    self._listen(worker, pending, on_event)

    def stop(self) -> None:
        """End all processes; a run under way finishes its update and saves it."""
        for worker in self._workers:
            if worker.task is None:
                with suppress(OSError):
                    worker.connection.send(None)
            else:
                worker.process.terminate()
        for worker in self._workers:
            worker.process.join(_SECONDS_TO_STOP)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.connection.close()
        self._workers = []

    def _gpu_of(self, place: int) -> str | None:
        """Give the device of a process, by its place among them; None without any."""
        return self.gpus[place % len(self.gpus)] if self.gpus else None

    def _start(self, gpu: str | None) -> _Worker[WorkT]:
        context = mp.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self.threads), daemon=True)
        with _interrupts_ignored(), only_gpu(gpu):
            process.start()
        theirs.close()
        return _Worker(process, ours, gpu)

    def _hand_out(self, worker: _Worker[WorkT], pending: deque[WorkT]) -> None:
        worker.task = pending.popleft() if pending else None
        if worker.task is not None:
            # A process that has died says so when it is listened to, and fails this run there.
            with suppress(OSError):
                worker.connection.send(worker.task)

    def _listen(
        self,
        worker: _Worker[WorkT],
        pending: deque[WorkT],
        on_event: Callable[[Event[WorkT]], None],
    ) -> None:
        """Take one message of a worker, or its silence where its process has died."""
        assert worker.task is not None, "only busy workers are listened to"
        try:
            event: Event[WorkT] = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join()
            message = f"its process ended with status {worker.process.exitcode}"
            event = Event(kind="failed", task=worker.task, message=message)
            replacement = self._start(worker.gpu)
            worker.process, worker.connection = replacement.process, replacement.connection
        on_event(event)
        if event.kind != "progress":
            self._hand_out(worker, pending)


@contextmanager
def worker_pool(*, jobs: int, threads: int) -> Iterator[WorkerPool[Any]]:
    """Give a pool, and end its processes whatever happens."""
    pool: WorkerPool[Any] = WorkerPool(jobs=jobs, threads=threads)
    try:
        yield pool
    finally:
        pool.stop()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Let a new process ignore Ctrl-C, which reaches it too: this process tells it to stop."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _serve(connection: Connection, threads: int) -> None:
    """Make the runs that are sent, one after another, until None is."""
    torch.set_num_threads(threads)
    sys.argv = sys.argv[:1]  # Lightning reads it, and it is the parent's
    with suppress(EOFError, OSError):
        while (task := connection.recv()) is not None:
            event = _attempt(task, connection)
            if event is None:
                return
            connection.send(event)


def _attempt(task: WorkT, connection: Connection) -> Event[WorkT] | None:
    """Make a run and say how it went; None where it was stopped."""

    def tell(done: int, _: int, loss: float | None) -> None:
        try:
            connection.send(Event(kind="progress", task=task, done=done, loss=loss))
        except OSError:  # nobody listens any more
            raise Interrupted from None

    try:
        task.execute(tell)
    except Interrupted:
        return None
    except UserError as error:
        return Event(kind="failed", task=task, message=str(error), users=True)
    except Exception as error:
        (task.folder / ERROR).write_text(traceback.format_exc(), encoding="utf-8")
        message = f"{type(error).__name__}: {error} (see {task.folder / ERROR})"
        return Event(kind="failed", task=task, message=" ".join(message.split()))
    return Event(kind="finished", task=task)
