"""The command line of the planner: `lit-roberta plan`.

It takes the arguments of `train.py fit`, trains a few updates that are thrown away, and says what
the run would take. Nothing is written.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from jsonargparse import Namespace
from rich.console import Console

from lit_roberta.command_line import exit_status_of, one_line
from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.train_cli import names_task
from lit_roberta.planning.plan import Plan, make_plan
from lit_roberta.planning.table import as_json, as_table
from lit_roberta.planning.unstarted import build_unstarted
from lit_roberta.training.memory import is_out_of_memory
from lit_roberta.training.parser import OneLineParser

_SWITCHES = ("--json", "-h", "--help")
_VALUES = ("--corpus", "--trial_seconds", "--trial_updates")
"""The planner's own options; all others are those of `fit`."""


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for."""

    arguments: tuple[str, ...]
    """Of `fit`."""
    json: bool
    trial_seconds: float
    trial_updates: int

    def __post_init__(self) -> None:
        if not 0 < self.trial_seconds < 1e9:
            remedy = "60 is the default."
            raise must("--trial_seconds", "be above 0 and finite", self.trial_seconds, remedy)
        if not 1 <= self.trial_updates <= 1_000_000:
            rule, remedy = "lie between 1 and 1,000,000", "8 is the default."
            raise must("--trial_updates", rule, self.trial_updates, remedy)


def main(argv: Sequence[str] | None = None) -> int:
    """Plan a run, and print the plan.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    return exit_status_of(
        lambda: _print(parse(words)), interrupted="Interrupted. Nothing was written."
    )


def _print(asked: Request) -> None:
    plan = plan_run(asked)
    if asked.json:
        sys.stdout.write(as_json(plan) + "\n")
    else:
        Console().print(as_table(plan))


def plan_run(asked: Request) -> Plan:
    """Plan a run.

    Raises:
        UserError: If `fit` would refuse its arguments, if it does not fit into memory, or if it is
            one of fine-tuning.
    """
    if names_task(asked.arguments):
        remedy = "A run of fine-tuning says its updates as it begins: --trainer.fast_dev_run 1."
        raise must("what is planned", "be a run of pretraining", "data.task", remedy)
    try:
        run = build_unstarted(asked.arguments)
        return make_plan(run, trial_seconds=asked.trial_seconds, trial_updates=asked.trial_updates)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise UserError(
            "The memory must hold the model and a micro-batch, and does not. Lower "
            f"the encoder's sizes or data.max_length. ({one_line(str(error))[:100]})"
        ) from error


def parse(argv: Sequence[str]) -> Request:
    """Read a command line.

    Raises:
        UserError: If an option of the planner's own makes no sense.
    """
    own, arguments = _part(argv)
    asked: Namespace = _parser().parse_args(own)
    corpus = () if asked.corpus is None else (f"--data.corpus={asked.corpus}",)
    return Request(
        arguments=(*arguments, *corpus),
        json=asked.json,
        trial_seconds=asked.trial_seconds,
        trial_updates=asked.trial_updates,
    )


def _part(argv: Sequence[str]) -> tuple[list[str], list[str]]:
    """Part the planner's own options from those of `fit`."""
    own: list[str] = []
    others: list[str] = []
    words = iter(argv)
    for word in words:
        name = word.partition("=")[0]
        if word in _SWITCHES or (name in _VALUES and name != word):
            own.append(word)
        elif name in _VALUES:
            own += [word, *([value] if (value := next(words, None)) is not None else [])]
        else:
            others.append(word)
    return own, others


def _parser() -> OneLineParser:
    parser = OneLineParser(
        prog="lit-roberta plan",
        description="Say what a run would take: updates, text, work, memory, time and the largest "
        "micro-batch that fits. A few updates are tried and thrown away; nothing is written.",
        epilog="All other options are those of `train.py fit`: --config, --data.max_length, ...",
        allow_abbrev=False,
    )
    parser.add_argument("--corpus", type=str | None, help="Short for --data.corpus.")
    parser.add_argument("--json", action="store_true", help="Print the plan for machines.")
    parser.add_argument(
        "--trial_seconds", type=float, default=60.0, help="How long updates may be tried."
    )
    parser.add_argument(
        "--trial_updates", type=int, default=8, help="Updates of each kind that are timed."
    )
    return parser
