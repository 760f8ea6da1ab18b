"""The command line of the comparison: `compare.py`, and `lit-roberta compare`.

Options of its own are few. Whatever begins with `--data.`, `--model.`, `--trainer.`,
`--checkpoint.` or `--divergence.`, and `--compile`, is a setting of `train.py fit`, given to every
recipe alike.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from lit_roberta.command_line import ended_by_sigterm, notices_on_stderr, read_attribute_docstrings
from lit_roberta.comparison.budget_words import add_budget_options, read_budgets
from lit_roberta.comparison.budgets import at_budget, run_budgets
from lit_roberta.comparison.choosing import RunsFailed, add_choice_options, choice_of
from lit_roberta.comparison.comparing import run_comparison
from lit_roberta.comparison.design_words import (
    add_design_options,
    default_recipes,
    read_design_options,
)
from lit_roberta.comparison.reporting.budgets_report import PAGE
from lit_roberta.comparison.request import DEFAULT_RECIPES, DEFAULT_SEEDS, Comparison
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.shared_settings import part_settings
from lit_roberta.comparison.study_words import add_study_options, asked_study, defaults_of
from lit_roberta.errors import UserError, must
from lit_roberta.training.parser import OneLineParser

_SIZES = ("tiny", "small", "base", "large")
"""The shipped sizes of encoders, `configs/size/<name>.yaml`."""


def main(argv: Sequence[str] | None = None) -> int:
    """Compare recipes as a command line asks for, and say where the report is.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 1 if a run failed; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    console = Console(stderr=True)
    with notices_on_stderr(), ended_by_sigterm():
        try:
            asked = parse(words)
            found = _run(asked, console)
        except UserError as error:
            sys.stderr.write(f"{error}\n")
            return 1 if isinstance(error, RunsFailed) else 2
        except KeyboardInterrupt:
            sys.stderr.write("Interrupted. The same command goes on from here.\n")
            return 130
    for results, folder in found:
        _say(results, folder, console)
    if asked.budgets and found:
        console.print(f"All budgets: {asked.output / PAGE}", markup=False, highlight=False)
    failed = any(results.failures for results, _ in found)
    return 1 if failed and not asked.choice.report_only else 0


def _run(asked: Comparison, console: Console) -> list[tuple[Results, Path]]:
    """Do what was asked for, and give what was found with the folder of its report."""
    if asked.budgets:
        found = run_budgets(asked, console=console)
        folders = [at_budget(asked, amount).output for amount in sorted(asked.budgets)]
        return list(zip(found, folders, strict=False))  # none where only a list was wanted
    results = run_comparison(asked, console=console)
    return [] if results is None else [(results, asked.output)]


def parse(argv: Sequence[str]) -> Comparison:
    """Read a command line.

    Raises:
        UserError: If it makes no sense.
    """
    own, overrides = part_settings(argv)
    study, parser = asked_study(own), _parser(own)
    if study is not None:
        parser.set_defaults(defaults_of(study))
    asked = parser.parse_args(own)
    sizes = [] if asked.size is None else [_size(asked.size)]
    text = [] if asked.corpus is None else [f"data.corpus={asked.corpus}"]
    return Comparison(
        recipes=tuple((study and study.variants) or asked.recipes or default_recipes(asked)),
        study=study,
        **read_design_options(asked),
        seeds=asked.seeds,
        order_seeds=asked.order_seeds,
        **read_budgets(own, asked),
        output=Path(asked.output),
        jobs=asked.jobs,
        tune_lr=asked.tune_lr,
        probes=asked.probes,
        finetune=tuple(asked.finetune),
        overlays=(*sizes, *asked.config),
        overrides=(*(study.settings if study else ()), *overrides, *text),
        choice=choice_of(asked),
        command=shlex.join(["python", "compare.py", *argv]),
    )


def _size(name: str) -> str:
    """Give the configuration file of a size."""
    if name not in _SIZES:
        raise must("--size", f"be one of {', '.join(_SIZES)}", name, "Choose one of these.")
    return f"size/{name}"


def _parser(argv: Sequence[str]) -> OneLineParser:
    read_attribute_docstrings(wanted="--help" in argv or "-h" in argv)
    parser = OneLineParser(
        prog="compare.py",
        description="Train recipes under one budget, score them on held-out text in every "
        "compared format, and write a report with a verdict.",
        epilog="Every setting of `train.py fit` can be given for all recipes: --data.max_length "
        "128, --data.tokenizer.kind wordpiece, --model.encoder.hidden_size 256, ...",
        allow_abbrev=False,
    )
    _add_choice_of_runs(parser)
    _add_judges(parser)
    _add_settings_of_all_runs(parser)
    return parser


def _add_choice_of_runs(parser: OneLineParser) -> None:
    """Add which runs there are, how long, and where to."""
    add_study_options(parser)
    parser.add_argument(
        "--recipes",
        nargs="+",
        type=str,
        default=[],
        help="Configuration files, or shipped ones by name; by default "
        f"{', '.join(DEFAULT_RECIPES)}.",
    )
    add_design_options(parser)
    parser.add_argument(
        "--seeds", type=int, default=DEFAULT_SEEDS, help="Runs of each recipe; 3 for a verdict."
    )
    parser.add_argument(
        "--order-seeds",
        type=int,
        default=0,
        help="Orders of the text, each with the initial weights of every seed: shows what runs of "
        "one recipe differ by.",
    )
    add_budget_options(parser)
    parser.add_argument(
        "--tune-lr",
        type=int,
        default=0,
        help="First choose each recipe's learning rate on validation text, with so many runs at "
        "each rate.",
    )
    add_choice_options(parser)
    parser.add_argument("--jobs", type=int | None, help="Runs at once; by default by the cores.")
    parser.add_argument(
        "--output", type=str, default="comparison-report", help="Folder of the report and runs."
    )


def _add_judges(parser: OneLineParser) -> None:
    """Add what runs are judged by besides their loss."""
    parser.add_argument(
        "--probes",
        action="store_true",
        help="Ask each run for the better one of minimal pairs of sentences: a judge beside loss.",
    )
    parser.add_argument(
        "--finetune",
        nargs="+",
        type=str,
        default=[],
        help="Configuration files of fine-tuning: every run learns each of these tasks once, and "
        "recipes are judged by that, too.",
    )


def _add_settings_of_all_runs(parser: OneLineParser) -> None:
    """Add short names for settings of training that every run gets."""
    parser.add_argument(
        "--corpus", type=str | None, help="Text for all recipes: toy, python-docs, or a path."
    )
    parser.add_argument(
        "--size", type=str | None, help=f"Size of all encoders: {', '.join(_SIZES)}."
    )
    parser.add_argument(
        "--config",
        action="append",
        type=str,
        default=[],
        help="A configuration file for all recipes, read after each one's own.",
    )


def _say(results: Results, folder: Path, console: Console) -> None:
    """Print the verdict and where to read on."""
    verdict = results.verdict()
    console.print()
    console.print(verdict.headline, style="bold", markup=False, highlight=False)
    for sentence in verdict.sentences:
        console.print(f"- {sentence}", markup=False, highlight=False, soft_wrap=True)
    console.print(f"Report: {folder / 'report.html'}", markup=False, highlight=False)
