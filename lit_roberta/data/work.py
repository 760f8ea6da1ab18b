"""Work on blocks of text in several processes, in the order of the blocks.

The processes are started as programs of their own, not forked and not by `multiprocessing`: a
script or a notebook that asks for text needs no `if __name__ == "__main__"`, threads are never
forked, and a process ends by itself when the one that asked is killed.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue
from typing import IO, Any, BinaryIO, TypeVar

from lit_roberta.errors import UserError
from lit_roberta.heap import give_back

T = TypeVar("T")
R = TypeVar("R")

_AHEAD = 2
"""Blocks that wait for each process; bounds the memory that they take."""

_OWN_GROUP = 0 if os.name == "posix" else None
"""Ctrl-C in a terminal is for whoever asked, and not for the processes that work."""


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
    give_back()
    try:
        if workers:
            yield from _map_in_processes(function, items, workers)
        else:
            yield from map(function, items)
    finally:
        give_back()


def _map_in_processes(function: Callable[[T], R], items: Iterable[T], workers: int) -> Iterator[R]:
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
    """Processes, and as many threads, which do nothing but wait for them."""

    def __init__(self, function: bytes, workers: int) -> None:
        self._processes = [_Process(function) for _ in range(workers)]
        self._idle: SimpleQueue[_Process] = SimpleQueue()
        for process in self._processes:
            self._idle.put(process)
        self._threads = ThreadPoolExecutor(workers)

    def submit(self, item: Any) -> Future[Any]:
        return self._threads.submit(self._ask, item)

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._processes:
            process.kill()
        self._threads.shutdown()
        for process in self._processes:
            process.close()

    def _ask(self, item: Any) -> Any:
        process = self._idle.get()
        try:
            is_error, result = process.ask(item)
        finally:
            self._idle.put(process)
        if isinstance(result, UserError):
            raise result
        if is_error:
            raise RuntimeError(f"A process that worked on the text failed:\n{result}")
        return result


class _Process:
    """A process that applies a function, which it is told with the first item."""

    def __init__(self, function: bytes) -> None:
        path = os.pathsep.join(filter(None, sys.path))
        # A module that lies in the current folder must not take the place of one of the same name.
        own = {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
        # One thread each: the processes are the parallelism.
        own |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | own,
            process_group=_OWN_GROUP,
        )
        self._untold: bytes | None = function

    def ask(self, item: Any) -> tuple[bool, Any]:
        """Give whether it failed, and the result or what went wrong."""
        requests, results = self._pipes()
        try:
            if self._untold is not None:
                _send_bytes(requests, self._untold)
                self._untold = None
            _send_bytes(requests, pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
            answer: tuple[bool, Any] = pickle.load(results)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise RuntimeError("A process that worked on the text died.") from error
        return answer

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.wait()
        for pipe in self._pipes():
            with suppress(BrokenPipeError):
                pipe.close()

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        return self._process.stdin, self._process.stdout


def _send_bytes(pipe: IO[bytes], data: bytes) -> None:
    pickle.dump(data, pipe, pickle.HIGHEST_PROTOCOL)
    pipe.flush()


def _serve(requests: BinaryIO, results: BinaryIO) -> None:
    """Do the work of one process until nobody asks any more."""
    function = None
    while True:
        try:
            item = pickle.loads(pickle.load(requests))
        except (EOFError, pickle.UnpicklingError):  # cut short where the asking process was killed
            return
        if function is None:
            function = item
            continue
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
    # What a library prints must not mix with results.
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        _serve(sys.stdin.buffer, results)
    except BrokenPipeError:
        os._exit(1)  # nobody is there any more, also not to flush to


if __name__ == "__main__":
    main()
