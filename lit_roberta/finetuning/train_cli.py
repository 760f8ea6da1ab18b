"""`lit-roberta train` and train.py: pretraining, or fine-tuning where a task is named.

In: arguments and configuration files. Out: a run in its folder, or one line that says what is
wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import yaml

from lit_roberta.command_line import exit_status_of
from lit_roberta.errors import UserError
from lit_roberta.finetuning.cli import FinetuningCLI
from lit_roberta.training import cli as pretraining
from lit_roberta.training.arguments import arrange, configs_of, find_config
from lit_roberta.training.run_cli import RunCLI

_TASK = "--data.task"


def run(argv: Sequence[str]) -> RunCLI:
    """Run a command line in this process.

    Args:
        argv: The arguments, without the program's name: `["fit", "--config",
            "configs/finetune/sst2.yaml", "--model.pretrained", "DIR", ...]`.

    Returns:
        What the run was made of, with its `exit_status`.

    Raises:
        UserError: If something that was asked for can't be done.
    """
    if not names_task(argv):
        return pretraining.run(argv)
    with pretraining.errors_in_one_line():
        return FinetuningCLI(arrange(argv, unnamed="finetuning"))


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line, with notices for a person and one line for an error.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C, 143 after SIGTERM.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    return exit_status_of(lambda: run(words).exit_status, interrupted=pretraining.INTERRUPTED)


def names_task(argv: Sequence[str]) -> bool:
    """Tell whether arguments name a task, themselves or in a configuration file."""
    if any(word.partition("=")[0] == _TASK for word in argv):
        return True
    try:
        return any(_holds_task(name) for name in configs_of(argv))
    except UserError:
        return False  # the command line says what is wrong with it


def _holds_task(name: str) -> bool:
    try:
        settings = yaml.safe_load(find_config(name).read_bytes())
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return False
    data = settings.get("data") if isinstance(settings, dict) else None
    return isinstance(data, dict) and "task" in data
