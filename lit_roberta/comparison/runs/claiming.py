"""A run's folder belongs to one process at a time: two would write over each other.

The claim lies beside the folder, which may be removed to be made anew, and ends with the process
that has it, however that ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from lit_roberta.errors import UserError

_SECONDS_TO_LOOK = 1.0
"""Others may be looking whether a folder is claimed, which takes less."""

ELSEWHERE = "another process is making it"


@contextmanager
def claimed_run(folder: Path) -> Iterator[None]:
    """Keep others out of a run's folder.

    Args:
        folder: It need not exist yet.

    Raises:
        UserError: If another process has it.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = _lock_of(folder)
    try:
        lock.acquire(timeout=_SECONDS_TO_LOOK)
    except Timeout as error:
        raise UserError(ELSEWHERE) from error
    try:
        yield
    finally:
        lock.release()


def is_claimed(folder: Path) -> bool:
    """Tell whether another process is making a run in a folder."""
    if not folder.parent.is_dir():
        return False
    try:
        with _lock_of(folder).acquire(blocking=False):
            return False
    except Timeout:
        return True


def _lock_of(folder: Path) -> FileLock:
    return FileLock(folder.parent / f".{folder.name}.lock")
