"""The file that a command writes: looked at before any work is done, whole or not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lit_roberta.errors import must
from lit_roberta.inference.pipes import write_line
from lit_roberta.whole_files import failures_in_one_line, remove_leftovers, whole_file


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
    with failures_in_one_line(output, name="--output", rule="be writable"):
        _check_place(path, overwrite=overwrite)


def _check_place(path: Path, *, overwrite: bool) -> None:
    output = str(path)
    if not path.parent.is_dir():
        is_file = path.parent.exists()
        remedy = f"{path.parent} is a file." if is_file else f"Make {path.parent} first."
        raise must("--output", "lie in a folder that exists", output, remedy)
    if path.is_dir() or (path.exists() and not overwrite):
        raise must("--output", "be a new file", output, "Name another, or give --overwrite.")


@contextmanager
def opened_output(output: str) -> Iterator[IO[bytes]]:
    """Open a file beside its place, and give it its name at the end.

    Args:
        output: What `check_output` has seen.

    Raises:
        UserError: If the system does not take the file.
    """
    with failures_in_one_line(output, name="--output", rule="be writable"):
        remove_leftovers(Path(output))
        with whole_file(Path(output)) as file:
            yield file


@contextmanager
def lines_to(output: str | None) -> Iterator[Callable[[str], None]]:
    """Give what writes a line: to standard output at once, or into a file.

    Args:
        output: What `check_output` has seen; None for standard output.
    """
    if output is None:
        yield write_line
        return
    with opened_output(output) as file:

        def write(line: str) -> None:
            file.write(line.encode() + b"\n")

        yield write
