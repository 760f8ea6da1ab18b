"""The parser behind the command line: errors of one line, help from docstrings."""

from __future__ import annotations

from collections.abc import Callable

from pytorch_lightning.cli import LightningArgumentParser

from lit_roberta.command_line import OneLineErrors
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.errors import must
from lit_roberta.training.checkpointing import UpdateCheckpoint
from lit_roberta.training.guard import DivergenceGuard


class OneLineParser(OneLineErrors, LightningArgumentParser):
    """Lightning's parser, with errors of one line."""


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


def add_run_settings(parser: LightningArgumentParser) -> None:
    """Add what every run has besides a trainer, a module and a data module, and the links.

    Args:
        parser: Has the seed already.
    """
    parser.add_argument(
        "--compile", type=bool, default=False, help="Compile the model; worth it on CUDA."
    )
    # Where checkpoints lie and what is best stay put: `--ckpt_path last` and `best` look there.
    parser.add_class_arguments(UpdateCheckpoint, "checkpoint", skip={"folder", "tags"})
    parser.callback_keys.append("checkpoint")
    parser.add_class_arguments(DivergenceGuard, "divergence")
    parser.callback_keys.append("divergence")
    parser.link_arguments("seed_everything", "data.seed")
    parser.link_arguments("seed_everything", "model.seed")


def add_pretraining_settings(
    parser: LightningArgumentParser, *, vocab_size: Callable[[PretrainingDataModule], int]
) -> None:
    """Add what only pretraining has.

    Args:
        parser: Has the settings of every run already.
        vocab_size: Tells the size of a data module's vocabulary, for the encoder.
    """
    parser.add_argument(
        "--max_hours",
        type=float | None,
        default=None,
        help="Length of the run in hours of training, validations and saves included: a few "
        "updates are timed when it starts, and the number that follows is kept.",
    )
    parser.link_arguments(
        "data", "model.encoder.vocab_size", compute_fn=vocab_size, apply_on="instantiate"
    )


def describe_checkpoint(parser: LightningArgumentParser) -> None:
    """Say what `--ckpt_path` takes here, which is less than what Lightning takes."""
    for action in parser._actions:
        if action.dest == "ckpt_path":
            action.help = "A checkpoint: a file, or last, previous or best of the run's folder."
