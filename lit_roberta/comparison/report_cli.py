"""`lit-roberta report FOLDER`: the report of a finished comparison, made anew.

In: arguments. Out: the report's files. Nothing is run: all of it is computed from the results.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from jsonargparse import Namespace

from lit_roberta.command_line import OneLineErrors, ended_by_sigterm, exit_status_of
from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.results_file import read_results
from lit_roberta.training.output_folder import claimed, require_output

logger = logging.getLogger(__name__)


def main(argv: Sequence[str] | None = None) -> int:
    """Make a report as a command line asks for.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    with ended_by_sigterm():
        return exit_status_of(
            lambda: _report(_parse(words)), interrupted="Interrupted: the same command goes on."
        )


def _parse(words: Sequence[str]) -> Namespace:
    parser = OneLineErrors(
        prog="lit-roberta report",
        description="Write the report of a finished comparison anew, from its results.json.",
        allow_abbrev=False,
    )
    parser.add_argument("folder", help="The --output of a comparison.")
    return parser.parse_args(list(words))


def _report(asked: Namespace) -> None:
    folder = Path(asked.folder)
    results = read_results(folder)
    require_output(folder)
    with claimed(folder, what="comparison"):
        write_report(results, folder)
    logger.info("Report: %s", folder / "report.html")
