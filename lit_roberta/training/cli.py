"""The command line: `fit`, `validate`, `test` and `predict` for one recipe.

In: arguments and configuration files. Out: a run in its folder, or one line that says what is
wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from lit_roberta.command_line import exit_status_of, one_line
from lit_roberta.errors import UserError
from lit_roberta.training.arguments import arrange
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.disk import full_disk_in_one_line
from lit_roberta.training.memory import is_out_of_memory
from lit_roberta.training.pretraining_cli import PretrainingCLI

INTERRUPTED = "Interrupted before the first update: there is nothing to save."


def run(argv: Sequence[str]) -> PretrainingCLI:
    """Run a command line in this process.

    Args:
        argv: The arguments, without the program's name: `["fit", "--config",
            "configs/bert.yaml", ...]`.

    Returns:
        What the run was made of, with its `exit_status`.

    Raises:
        UserError: If something that was asked for can't be done.
    """
    with errors_in_one_line():
        return PretrainingCLI(arrange(argv))


@contextmanager
def errors_in_one_line() -> Iterator[None]:
    """Turn a full disk or memory into one line, and keep Lightning quiet.

    Raises:
        UserError: In place of what torch or the system raise.
    """
    with without_small_talk(), full_disk_in_one_line():
        try:
            yield
        except (MemoryError, RuntimeError) as error:
            if not is_out_of_memory(error):
                raise
            raise UserError(
                "The memory must hold the model and a micro-batch, and does not. Lower "
                f"--data.micro_batch_size or the encoder's sizes. ({one_line(str(error))[:100]})"
            ) from error


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, with notices for a person and one line for an error.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C, 143 after SIGTERM.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    return exit_status_of(
        lambda: run(words).exit_status,
        interrupted=INTERRUPTED,
    )
