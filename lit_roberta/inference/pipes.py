"""Standard input and output, as other programs in a pipe expect them.

Lines of text come in and lines of JSON go out, in UTF-8 whatever the terminal speaks, each whole
and at once; notices go to standard error; a reader that has enough ends the command quietly.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from jsonargparse import Namespace

from lit_roberta.command_line import ended_by_sigterm, exit_status_of
from lit_roberta.errors import must

_BROKEN_PIPE = 128 + 13
"""What a shell says of a program that SIGPIPE ended."""


class Command:
    """A command that stands in a pipe.

    Args:
        parse: Reads its arguments.
        act: What it does with them.
    """

    def __init__(
        self, parse: Callable[[Sequence[str]], Namespace], act: Callable[[Namespace], None]
    ) -> None:
        self._parse = parse
        self._act = act

    def __call__(self, argv: Sequence[str] | None = None) -> int:
        """Run it.

        Args:
            argv: The arguments without the program's name; None for this process's own.

        Returns:
            The exit status, as `exit_status_in_pipe` gives it.
        """
        words = sys.argv[1:] if argv is None else list(argv)
        return exit_status_in_pipe(lambda: self._act(self._parse(words)))


def exit_status_in_pipe(act: Callable[[], None]) -> int:
    """Run a command that writes to standard output.

    Args:
        act: What the command does.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C; 141 where whoever
        reads the output has closed it; 143 after SIGTERM.
    """
    try:
        with ended_by_sigterm():
            status = exit_status_of(act, interrupted="Interrupted.")
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _silence_output()
        return _BROKEN_PIPE
    return status


def _silence_output() -> None:
    """Let nothing more be written: Python would flush once more when it ends, and complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_line(line: str) -> None:
    """Write a line to standard output, at once.

    Raises:
        UserError: If there is none, or it takes nothing.
    """
    if sys.stdout is None:
        remedy = "Leave it open, or name a file where the command takes one."
        raise must("standard output", "be open", "a closed one", remedy)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() != "utf-8":
        sys.stdout.reconfigure(encoding="utf-8")
    try:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        _silence_output()
        remedy = f"The system says: {error.strerror or error}."
        raise must("standard output", "take a line", "an error", remedy) from error


def to_json(value: Any) -> str:
    """Write a value as one line of JSON; there is no NaN in it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
