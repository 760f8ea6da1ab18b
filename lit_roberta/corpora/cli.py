"""`lit-roberta prepare`: raw text to a folder that training reads without reading text.

In: arguments. Out: the folder, and on the terminal what was found in the text.
"""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Sequence

from jsonargparse import Namespace

from lit_roberta.command_line import exit_status_of, read_attribute_docstrings
from lit_roberta.corpora.budget import DEFAULT_COPIES, DEFAULT_PASSES, check_spending
from lit_roberta.corpora.parsing import (
    output_folder,
    read_weights,
    spelled_here,
    text_config,
    text_parser,
)
from lit_roberta.corpora.progress import shown_progress
from lit_roberta.corpora.report import report
from lit_roberta.data.preparation.making import Making
from lit_roberta.data.preparation.preparing import prepare_into
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.errors import must

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
        "--pretrained",
        type=str | None,
        help="Weights that training is to start from: the text is encoded by their tokenizer.",
    )
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
    return parser.parse_args(spelled_here(words))


def _tokenizer_of(source: str | None, config: TokenizerConfig) -> Tokenizer | None:
    """Take the tokenizer of weights, if they are named.

    Raises:
        UserError: If they have none, or settings of another one are given.
    """
    if source is None:
        return None
    if config != TokenizerConfig(extend=config.extend):
        remedy = "Leave the tokenizer's settings out, all but tokenizer.extend."
        raise must("pretrained", "bring the tokenizer alone", source, remedy)
    # Only here: torch takes seconds to import, and most texts are prepared without weights.
    from lit_roberta.exchange.loading import load_pretrained

    tokenizer = load_pretrained(source).tokenizer
    if tokenizer is None:
        remedy = "Give the tokenizer itself: --tokenizer.path."
        raise must("pretrained", "come with a tokenizer", source, remedy)
    return tokenizer


def _prepare(asked: Namespace) -> None:
    tokenizer = TokenizerConfig(**asked.tokenizer.as_dict())
    config = text_config(asked, tokenizer, weights=read_weights(asked.weights))
    spending = {name: asked[name] for name, _, _ in _SPENDING if asked[name] is not None}
    check_spending(spending, reported=asked.report)
    folder = output_folder(asked.output)
    with shown_progress() as on_progress:
        making = Making(
            config=config,
            tokenizer=_tokenizer_of(asked.pretrained, config.tokenizer),
            extends=True,
            workers=asked.workers,
            on_progress=on_progress,
            max_length=asked.max_length,
        )
        text = prepare_into(folder, making)
    for note in text.notes:
        logger.info("%s", note)
    if asked.report:
        report(folder, config, spending)
    fit = ["lit-roberta", "train", "fit", "--config", "roberta", "--data.corpus", str(folder)]
    if asked.pretrained is not None:
        fit += ["--model.pretrained", asked.pretrained]
    logger.info("Prepared in %s. Train on it: %s", folder, shlex.join(fit))
