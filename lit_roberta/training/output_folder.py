"""The folder of many runs: that it can be written to, and that nobody else makes runs in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from lit_roberta.errors import UserError, must
from lit_roberta.training.trainer_flags import require_writable


def require_output(folder: Path) -> None:
    """Make the folder that `--output` names, and see that a file can be written there.

    Raises:
        UserError: If it can't be made or written to.
    """
    try:
        require_writable(folder)
    except UserError as error:
        message = str(error).replace("trainer.default_root_dir", "--output", 1)
        raise UserError(message) from error


@contextmanager
def claimed(folder: Path, *, what: str) -> Iterator[None]:
    """Keep others out of a folder: two would make the same runs in the same place.

    Args:
        folder: An existing one.
        what: Makes runs in it, for messages.

    Raises:
        UserError: If another one is at it.
    """
    try:
        with FileLock(folder / ".lock", blocking=False):
            yield
    except Timeout as error:
        remedy = "Wait for that one to end, or give another folder."
        raise must("--output", f"be no other {what}'s", str(folder), remedy) from error
