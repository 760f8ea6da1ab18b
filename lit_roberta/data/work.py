"""Work on blocks of text in several processes, in the order of the blocks.

The processes are started as programs of their own, not forked and not by `multiprocessing`: a
script or a notebook that asks for text needs no `if __name__ == "__main__"`, threads are never
forked, and a process ends by itself when the one that asked is killed.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import IO, Any, BinaryIO, TypeVar

from lit_roberta.errors import UserError

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 2
"""Blocks that wait for each process; bounds the memory that they take."""


def num_processors() -> int:
    """Count the processors that this process may use."""
    return (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )


def ordered_map(function: Callable[[T], R], items: Iterable[T], *, workers: int) -> Iterator[R]:
    """Apply a function to items, in several processes, a few items ahead of what is asked for.

    Args:
        function: Defined in a module, or a `partial` of such a one; sent to each process once.
        items: What it is applied to, read as it goes along.
        workers: Processes. 0: this one does the work.

    Yields:
        The results, in the order of the items.

    Raises:
        UserError: What the function raises.
        RuntimeError: If the function fails otherwise, or a process dies.
    """
    if workers == 0:
        yield from map(function, items)
        return
    pool = _Pool(pickle.dumps(function), workers)
    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(item))
            if len(waiting) > _AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.close()


class _Pool:
    """A process for each thread, which does nothing but wait for it."""

    def __init__(self, function: bytes, workers: int) -> None:
        self._function = function
        self._local = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []
        self._threads = ThreadPoolExecutor(workers, initializer=self._start)

    def submit(self, item: Any) -> Future[Any]:
        return self._threads.submit(self._ask, item)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                assert pipe is not None
                with suppress(BrokenPipeError):
                    pipe.close()

    def _start(self) -> None:
        path = os.pathsep.join(filter(None, [*sys.path]))
        # One thread each: the processes are the parallelism.
        own = {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | own,
        )
        self._processes.append(process)
        assert process.stdin is not None
        _send_bytes(process.stdin, self._function)
        self._local.process = process

    def _ask(self, item: Any) -> Any:
        process = self._local.process
        try:
            _send_bytes(process.stdin, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
            is_error, result = pickle.load(process.stdout)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise RuntimeError("A process that worked on the text died.") from error
        if isinstance(result, UserError):
            raise result
        if is_error:
            raise RuntimeError(f"A process that worked on the text failed:\n{result}")
        return result


def _send_bytes(pipe: IO[bytes], data: bytes) -> None:
    pickle.dump(data, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _serve(requests: BinaryIO, results: BinaryIO) -> None:
    """Do the work of one process until nobody asks any more."""
    function = pickle.loads(pickle.load(requests))
    while True:
        try:
            item = pickle.loads(pickle.load(requests))
        except EOFError:
            return
        try:
            answer = (False, function(item))
        except UserError as error:
            answer = (True, error)
        except Exception:
            answer = (True, traceback.format_exc())
        pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
        results.flush()


def main() -> None:
    """Serve the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for whoever asked
    # What a library prints must not mix with results.
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _serve(sys.stdin.buffer, results)


if __name__ == "__main__":
    main()
