"""A disk that takes no more, said in one line, whoever was writing: curves, tables or settings.

Checkpoints say it themselves (`checkpoint_files`). The others are written by libraries, which
raise what the system says, once or again while they clean up, and from threads.
"""

from __future__ import annotations

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from lit_roberta.errors import UserError, error_behind, errors_behind

_DISK = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO),
        *(errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOTDIR),
    }
)
"""What the system says of a disk that is full, broken, or not to be written to."""


@contextmanager
def full_disk_in_one_line() -> Iterator[None]:
    """Turn what a disk says against a write into one line.

    Raises:
        UserError: In place of the system's error, or of what came of it.
    """
    hook = threading.excepthook

    def say_other_errors(arguments: threading.ExceptHookArgs) -> None:
        # A thread's own is raised again where the next thing is to be written.
        if _disk_error(arguments.exc_value) is None:
            hook(arguments)

    threading.excepthook = say_other_errors
    try:
        yield
    except Exception as error:
        failure = _disk_error(error)
        if failure is None:
            raise
        said = error_behind(error, UserError)
        raise said or UserError(_words(failure)) from error
    finally:
        threading.excepthook = hook


def _disk_error(error: BaseException | None) -> OSError | None:
    """Find what the system said, also behind what a clean-up raised after it."""
    for each in errors_behind(error):
        if isinstance(each, OSError) and each.errno in _DISK:
            return each
    return None


def _words(failure: OSError) -> str:
    where = f" ({failure.filename})" if failure.filename else ""
    return (
        f"The disk must take what the run writes, and does not{where}: {failure.strerror}. What "
        "was saved is whole: make room, and go on by the same command with --ckpt_path last."
    )
