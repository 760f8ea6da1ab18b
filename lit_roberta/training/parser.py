"""The parser behind the command line: errors of one line, help from docstrings."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from itertools import chain
from typing import NoReturn

from jsonargparse import set_parsing_settings
from pytorch_lightning.cli import LightningArgumentParser

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.errors import UserError, error_behind, must
from lit_roberta.training.checkpointing import PretrainingCheckpoint

_UNKNOWN = re.compile(
    r"unrecognized arguments: --(?P<typed>[\w.-]+)|does not accept option '(?P<read>[\w.-]+)'"
)
"""How jsonargparse names a setting that does not exist: of the command line, and of a file."""


class OneLineParser(LightningArgumentParser):
    """Raise UserError with one line where jsonargparse would print its usage and exit."""

    def error(self, message: str, ex: Exception | None = None) -> NoReturn:
        """Turn an error of the command line or of a configuration file into one line."""
        line = one_line(message)
        raise error_behind(ex, UserError) or UserError(line + self._suggestion(line)) from ex

    def _suggestion(self, line: str) -> str:
        """Name the option that a person may have meant by one that does not exist."""
        unknown = _UNKNOWN.search(line)
        if unknown is None:
            return ""
        subcommands = getattr(self._subcommands_action, "choices", None) or {}
        known = chain(
            self._option_string_actions,
            *(parser._option_string_actions for parser in subcommands.values()),
        )
        dashes = "--" if unknown["typed"] else ""
        name = unknown["typed"] or unknown["read"]
        options = [option.removeprefix("--") for option in known if option.startswith("--")]
        close = get_close_matches(name, options, n=1, cutoff=0.8)
        return (
            f". Did you mean {dashes}{close[0]}?" if close else ". See --help for what there is."
        )


def one_line(message: str) -> str:
    r"""Press a message of several lines into one.

    Example:
        >>> one_line("Problem:\n  - first\n  - second\n")
        'Problem: first; second'
    """
    lines = [re.sub(r"^[\s\-]+", "", line).strip() for line in message.splitlines()]
    text = "; ".join(line for line in lines if line)
    return text.replace(":; ", ": ")


def add_seed(parser: LightningArgumentParser) -> None:
    """Add the seed, which nothing of a run escapes."""
    parser.add_argument(
        "--seed_everything",
        type=int,
        default=0,
        help="Seed of the run: weights, order, masks and dropout follow from it.",
    )


def check_seed(seed: int) -> None:
    """Refuse a seed that the generators of torch and numpy can't take.

    Raises:
        UserError: If it does not fit into 32 bits.
    """
    if not 0 <= seed < 2**32:
        raise must("seed_everything", f"lie from 0 to {2**32 - 1}", seed, "Any of these will do.")


def add_settings(
    parser: LightningArgumentParser, *, vocab_size: Callable[[PretrainingDataModule], int]
) -> None:
    """Add what is neither the trainer's, the module's nor the data module's, and the links.

    Args:
        parser: Has the seed already.
        vocab_size: Tells the size of a data module's vocabulary, for the encoder.
    """
    parser.add_argument(
        "--compile", type=bool, default=False, help="Compile the model; worth it on CUDA."
    )
    parser.add_argument(
        "--max_hours",
        type=float | None,
        default=None,
        help="Length of the run in hours of training, validations and saves included: a few "
        "updates are timed when it starts, and the number that follows is kept.",
    )
    # Where checkpoints lie and what is best stay put: `--ckpt_path last` and `best` look there.
    parser.add_class_arguments(PretrainingCheckpoint, "checkpoint", skip={"folder", "monitor"})
    parser.callback_keys.append("checkpoint")
    parser.link_arguments("seed_everything", "data.seed")
    parser.link_arguments("seed_everything", "model.seed")
    parser.link_arguments(
        "data", "model.encoder.vocab_size", compute_fn=vocab_size, apply_on="instantiate"
    )


def describe_checkpoint(parser: LightningArgumentParser) -> None:
    """Say what `--ckpt_path` takes here, which is less than what Lightning takes."""
    for action in parser._actions:
        if action.dest == "ckpt_path":
            action.help = "A checkpoint: a file, or last, previous or best of the run's folder."


def read_attribute_docstrings(wanted: bool) -> None:
    """Let the text under each field of a settings class become its help, or not.

    It takes a second, which a start without `--help` need not wait for.
    """
    set_parsing_settings(docstring_parse_attribute_docstrings=wanted)
