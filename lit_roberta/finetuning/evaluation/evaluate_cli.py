"""`lit-roberta evaluate MODEL ...`: what models learn of tasks, and which of them learns more.

Options of its own are few. Whatever begins with `--data.`, `--model.`, `--trainer.` and the like
is a setting of `train.py fit`, given to every run alike.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from lit_roberta.command_line import OneLineErrors, ended_by_sigterm, exit_status_of
from lit_roberta.finetuning.evaluation.evaluating import run_evaluation
from lit_roberta.finetuning.evaluation.request import DEFAULT_SEEDS, GRIDS, Evaluation, GridName
from lit_roberta.finetuning.evaluation.table import print_table
from lit_roberta.finetuning.evaluation.words import models_first, part_settings

_INTERRUPTED = "Interrupted. The same command goes on from here."


def main(argv: Sequence[str] | None = None) -> int:
    """Evaluate models as a command line asks for, and say where the report is.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 1 if a run failed; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    with ended_by_sigterm():
        return exit_status_of(lambda: _evaluate(words), interrupted=_INTERRUPTED)


def _evaluate(words: Sequence[str]) -> int:
    asked = parse(words)
    console = Console(stderr=True)
    results = run_evaluation(asked, console=console)
    print_table(results, console)
    line = f"Report: {asked.output / 'report.md'}"
    console.print(line, markup=False, highlight=False, soft_wrap=True)
    return 1 if results.failures else 0


def parse(argv: Sequence[str]) -> Evaluation:
    """Read a command line.

    Raises:
        UserError: If it makes no sense.
    """
    own, overrides = part_settings(argv)
    asked = _parser().parse_args(models_first(own))
    return Evaluation(
        models=tuple(asked.models),
        tasks=_names(asked.tasks),
        output=Path(asked.output),
        data=None if asked.data is None else Path(asked.data),
        task_configs=tuple(asked.task_config),
        seeds=asked.seeds,
        grid=asked.grid,
        lrs=None if asked.lrs is None else tuple(asked.lrs),
        batch_sizes=None if asked.batch_sizes is None else tuple(asked.batch_sizes),
        epochs=asked.epochs,
        patience=asked.patience,
        mnli_first=asked.mnli_first,
        significance=asked.significance,
        keep=asked.keep,
        jobs=asked.jobs,
        overrides=tuple(overrides),
        command=shlex.join(["lit-roberta", "evaluate", *argv]),
    )


def _names(listed: str | None) -> tuple[str, ...]:
    names = [] if listed is None else [name.strip() for name in listed.split(",")]
    return tuple(dict.fromkeys(name for name in names if name))


def _parser() -> OneLineErrors:
    parser = OneLineErrors(
        prog="lit-roberta evaluate",
        description="Fine-tune models for tasks with several seeds, and say what each has "
        "learned, beside what is said without reading; and which model has learned more.",
        epilog="Every setting of `train.py fit` can be given for all runs: --data.max_length 64, "
        "--trainer.accelerator cpu, --model.optimizer.layer_decay 0.9, ...",
        allow_abbrev=False,
    )
    parser.add_argument(
        "models",
        nargs="+",
        type=str,
        help="Checkpoints, folders, or names on the hub; NAME=... to call one so.",
    )
    _add_tasks(parser)
    _add_runs(parser)
    parser.add_argument(
        "--output", type=str, default="evaluation", help="Folder of the report and the runs."
    )
    parser.add_argument(
        "--significance",
        type=bool | None,
        default=None,
        help="Whether models are held against each other; by default where there are several.",
    )
    parser.add_argument(
        "--keep", action="store_true", help="Keep the best checkpoint of each run."
    )
    parser.add_argument("--jobs", type=int | None, help="Runs at once; by default by the cores.")
    return parser


def _add_tasks(parser: OneLineErrors) -> None:
    parser.add_argument(
        "--tasks",
        type=str | None,
        default=None,
        help="Tasks of benchmarks by name, with commas between them; glue or all for those whose "
        "folder is there.",
    )
    parser.add_argument(
        "--data", type=str | None, help="The folder with the folders of the benchmarks' tasks."
    )
    parser.add_argument(
        "--task-config",
        action="append",
        type=str,
        default=[],
        help="A configuration file of fine-tuning: a task of one's own. May be given again.",
    )
    parser.add_argument(
        "--mnli-first",
        action="store_true",
        help="Let RTE, MRPC and STS-B start from the best model of MNLI, as RoBERTa did.",
    )


def _add_runs(parser: OneLineErrors) -> None:
    parser.add_argument(
        "--seeds",
        type=int,
        default=DEFAULT_SEEDS,
        help="Runs of each task and setting; 3 for a verdict.",
    )
    grids = "; ".join(
        f"{name}: lr {', '.join(f'{lr:g}' for lr in grid.lrs)} x batch "
        f"{', '.join(map(str, grid.batch_sizes))}, {grid.epochs} epochs"
        for name, grid in GRIDS.items()
    )
    parser.add_argument(
        "--grid",
        type=GridName | None,
        default=None,
        help=f"Choose learning rate and batch size by validation, of a paper's grid. {grids}. "
        "Without: one of each, from the task's configuration.",
    )
    parser.add_argument("--lrs", nargs="+", type=float, help="Peak learning rates to choose from.")
    parser.add_argument("--batch-sizes", nargs="+", type=int, help="Batch sizes to choose from.")
    parser.add_argument("--epochs", type=int | None, help="Passes over the training part.")
    parser.add_argument(
        "--patience",
        type=int | None,
        help="Stop a run after so many validations without a better one; 0 for never. A grid has "
        "3.",
    )
