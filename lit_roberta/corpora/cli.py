"""`lit-roberta prepare`: raw text to a folder that training reads without reading text.

In: arguments. Out: the folder, and on the terminal what was found in the text.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence

from jsonargparse import Namespace

from lit_roberta.command_line import exit_status_of, read_attribute_docstrings
from lit_roberta.corpora.budget import DEFAULT_COPIES, DEFAULT_PASSES, check_spending
from lit_roberta.corpora.parsing import (
    output_folder,
    read_weights,
    text_config,
    text_parser,
)
from lit_roberta.corpora.progress import shown_progress
from lit_roberta.corpora.report import report
from lit_roberta.data.preparation.making import Making
from lit_roberta.data.preparation.preparing import prepare_into
from lit_roberta.data.tokens.tokenizer import TokenizerConfig

logger = logging.getLogger(__name__)

_SPENDING: tuple[tuple[str, type, str], ...] = (
    ("passes", float, f"For the report: the budget, {DEFAULT_PASSES:g} unless given."),
    ("batch_size", int, "For the report: sequences of an update; by the amount of text."),
    ("copies", int, f"For the report: copies of static masks, {DEFAULT_COPIES} unless given."),
)


def main(argv: Sequence[str] | None = None) -> int:
    """Prepare a text as a command line asks for.

    Args:
        argv: The arguments without the program's name; None for this process's own.

    Returns:
        The exit status: 0; 2 after an error of the user's; 130 after Ctrl-C.
    """
    words = sys.argv[1:] if argv is None else list(argv)
    return exit_status_of(
        lambda: _prepare(_parse(words)),
        interrupted="Interrupted. The same command goes on from here.",
    )


def _parse(words: Sequence[str]) -> Namespace:
    read_attribute_docstrings(wanted="--help" in words or "-h" in words)
    parser = text_parser("Prepare raw text for training: split it, hold out, encode.")
    parser.add_argument(
        "--weights",
        type=str,
        nargs="+",
        help="The share of each source in training, by its name: books=0.7 news=0.3.",
    )
    parser.add_class_arguments(TokenizerConfig, "tokenizer")
    parser.add_argument(
        "--max_length",
        type=int,
        default=128,
        help="Tokens of an example for which the formats are measured.",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="Say what was found and what to start from; also as report.md in the folder.",
    )
    for name, kind, what in _SPENDING:
        parser.add_argument(f"--{name}", type=kind | None, help=what)
    return parser.parse_args(list(words))


def _prepare(asked: Namespace) -> None:
    tokenizer = TokenizerConfig(**asked.tokenizer.as_dict())
    config = text_config(asked, tokenizer, weights=read_weights(asked.weights))
    spending = {name: asked[name] for name, _, _ in _SPENDING if asked[name] is not None}
    check_spending(spending, reported=asked.report)
    folder = output_folder(asked.output)
    with shown_progress() as on_progress:
        making = Making(
            config=config,
            workers=asked.workers,
            on_progress=on_progress,
            max_length=asked.max_length,
        )
        text = prepare_into(folder, making)
    for note in text.notes:
        logger.info("%s", note)
    if asked.report:
        report(folder, config, spending)
    logger.info("Prepared in %s. Train on it: train.py fit --data.corpus %s", folder, folder)
