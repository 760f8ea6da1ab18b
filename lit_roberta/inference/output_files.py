"""Files that are written beside their place, and take their name when they are whole."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lit_roberta.errors import must


def check_output(output: str | None, *, kinds: Sequence[str], overwrite: bool) -> None:
    """See that the output can be written, before any work is done for it.

    Args:
        output: The file; None for standard output.
        kinds: What its name may end in.
        overwrite: Whether a file that is there may go.

    Raises:
        UserError: If its kind is not known, if its folder is missing, or if there is something
            already.
    """
    if output is None:
        return
    path = Path(output)
    if path.suffix.lower() not in kinds:
        raise must("--output", f"end in {', '.join(kinds)}", output, "Name it by its kind.")
    if not path.parent.is_dir():
        raise must("--output", "lie in a folder that exists", output, f"Make {path.parent} first.")
    if path.is_dir() or (path.exists() and not overwrite):
        raise must("--output", "be a new file", output, "Name another, or give --overwrite.")


@contextmanager
def written_beside(output: str) -> Iterator[IO[bytes]]:
    """Open a file beside its place, and give it its name at the end.

    Args:
        output: What `check_output` has seen.

    Raises:
        UserError: If the system does not take the file.
    """
    path = Path(output)
    # Two processes that write one file do not mix what they write: the later one's is kept.
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        remedy = f"The system says: {error.strerror or error}."
        raise must("--output", "be writable", output, remedy) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
