"""What a run takes from a checkpoint and what from its configuration.

The weights decide the encoder, the objective and the tokenizer: another value could only fail,
or train a model on ids that mean something else. The text is the checkpoint's unless another is
named, because what it was trained on and what it is judged by go together. All else is the
configuration's; what of it a run that goes on may change is in `conditions`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from jsonargparse import Namespace
from pytorch_lightning.utilities import rank_zero_only

from lit_roberta.errors import must
from lit_roberta.training.checkpoint_settings import CheckpointSettings, flatten, plain

logger = logging.getLogger(__name__)


def check_agreement(
    stored: Mapping[str, Any], given: Mapping[str, Any], *, whose: str = "the checkpoint's"
) -> None:
    """Refuse a setting that was given and that is not the checkpoint's.

    Args:
        stored: The checkpoint's settings, by their names on the command line.
        given: What the command line and the configuration files name, and nothing else.
        whose: Where the weights are from.

    Raises:
        UserError: Names the setting and both values.
    """
    for name, value in given.items():
        if name in stored and plain(value) != plain(stored[name]):
            rule = f"be {whose} {stored[name]!r}"
            raise must(name, rule, value, "Leave it out: the weights stand on it.")


def take_over(
    checkpoint: CheckpointSettings, *, settings: Namespace, given: Mapping[str, Any]
) -> None:
    """Let a checkpoint's settings win over the defaults; its text too, unless another is named.

    Args:
        checkpoint: What the weights stand on.
        settings: Of a subcommand, as parsed; changed in place.
        given: Those that were given, nested.

    Raises:
        UserError: If one was given and is not the checkpoint's.
    """
    stored, named = checkpoint.as_flat(), dict(flatten(given))
    check_agreement(stored, named)
    for name, value in stored.items():
        if name != "model.encoder.vocab_size":  # follows from the tokenizer
            settings[name] = value
    for name, value in flatten({"data": checkpoint.text}):
        if name not in named and "data.corpus" not in named:
            settings[name] = value
    if "data.corpus" not in named:
        _say("Text: the checkpoint's, %s.", settings["data.corpus"])


def take_model(
    checkpoint: CheckpointSettings, *, settings: Namespace, given: Mapping[str, Any], fits: bool
) -> None:
    """Take over the settings of an imported model, which no run of ours has trained.

    Args:
        checkpoint: What it is.
        settings: Of a subcommand, as parsed; changed in place.
        given: Those that were given, nested.
        fits: Whether the subcommand trains.

    Raises:
        UserError: If it is to be gone on with, if no text is named, or if a setting was given
            that is not the model's.
    """
    source, named = checkpoint.imported, dict(flatten(given))
    if fits:
        remedy = f"It was imported from {source}: start from it with --model.pretrained instead."
        raise must("ckpt_path", "be a run to go on with", str(checkpoint.path), remedy)
    if "data.corpus" not in named:
        remedy = "It was imported, and brings none."
        raise must("data.corpus", "name a text to judge the model on", None, remedy)
    if checkpoint.next_sentence and "data.format" not in named:
        settings["data.format"] = "segment-pair"
    take_over(checkpoint, settings=settings, given=given)
    _say("Model: imported from %s.", source)


@rank_zero_only
def _say(message: str, value: object) -> None:
    """Say it once, though each process reads the settings."""
    logger.info(message, value)
