"""Files that are there in whole or not at all: written beside their place, then renamed.

In: a path, and whoever writes. Out: the file under its name when all of it is on disk, else what
was there before. It does not know what is written.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import IO

from lit_roberta.errors import UserError, error_behind, must

logger = logging.getLogger(__name__)

PART = ".part"
"""What the name of a file ends in that is not whole yet."""


@contextmanager
def written_beside(path: Path) -> Iterator[Path]:
    """Give a path beside another to write to, which takes the other's place if all goes well.

    Two processes that write one file do not mix what they write: the later one's is kept.

    Args:
        path: The file, which may be there already; its folder must be.

    Raises:
        OSError: If the folder can't take it.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}{PART}")
    try:
        part.unlink(missing_ok=True)
        yield part
        part.replace(path)
        _sync_folder(path.parent)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside its place, and give it its name when it is on disk.

    A link stays one: what it names is written, beside where that lies.

    Args:
        path: As for `written_beside`.

    Raises:
        OSError: If the system does not take it.
    """
    named = Path(os.path.realpath(path))
    with written_beside(named) as part, file_on_disk(part) as file:
        yield file


@contextmanager
def file_on_disk(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, and wait at the end until all of it is on disk."""
    with path.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def remove_leftovers(path: Path) -> None:
    """Remove what processes left that were killed while they wrote a file.

    One that still runs keeps what it writes.

    Args:
        path: The file, as for `whole_file`.

    Raises:
        OSError: If the system does not let it.
    """
    named = Path(os.path.realpath(path))
    before = f".{named.name}."
    for part in named.parent.glob(f"{escape(before)}*{PART}"):
        process = part.name.removeprefix(before).removesuffix(PART)
        if process.isdecimal() and not _runs(int(process)):
            logger.info("Removing %s: its writing was cut off.", part)
            part.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    """Tell whether a process is there; where that can't be asked (Windows), it is."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it is somebody else's
    return True


def write_whole(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all."""
    with whole_file(path) as file:
        file.write(data)


@contextmanager
def failures_in_one_line(path: Path | str, *, name: str, rule: str) -> Iterator[None]:
    """Say in one line what the system has against a file.

    Args:
        path: The file.
        name: What the user knows it by.
        rule: What must hold, as in `must`.

    Raises:
        UserError: If an error of the system comes through, also one that a library wrapped.
    """
    try:
        yield
    except UserError:
        raise
    except Exception as error:
        failure = error_behind(error, OSError)  # torch wraps it in a RuntimeError
        if failure is None:
            raise
        remedy = f"The system says: {failure.strerror or failure}. Nothing was overwritten."
        raise must(name, rule, str(path), remedy) from error


def _sync_folder(folder: Path) -> None:
    """Write a rename to the disk. Systems that can't open a folder (Windows) go without."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
