"""The notebook's two recipes as functions: train, and get the history back.

They run through the command line: a run from Python and one from the shell are the same run.
"""

from __future__ import annotations

import json
import tempfile
from typing import Any

from lit_roberta.errors import must
from lit_roberta.training.checkpoint_settings import flatten
from lit_roberta.training.cli import run
from lit_roberta.training.history import History


def train_bert_recipe(**overrides: Any) -> History:
    """Train the notebook's BERT recipe: static masks, next-sentence prediction, batches of 16.

    Args:
        overrides: Settings by the names of the command line, nested or dotted:
            `train_bert_recipe(trainer={"max_epochs": 3}, data={"corpus": "my.txt"})`. Nothing of
            the run is kept unless `trainer.default_root_dir` names a folder, and it has one device
            unless `trainer.devices` says otherwise.

    Returns:
        The history; `mlm_loss_per_epoch` is its training loss, in nats per masked token.

    Raises:
        UserError: If a setting can't be honoured.
    """
    return _train("notebook/bert", overrides)


def train_roberta_recipe(**overrides: Any) -> History:
    """Train the notebook's RoBERTa recipe: dynamic masks, single texts, batches of 64.

    Args:
        overrides: As for `train_bert_recipe`.

    Returns:
        The history; `mlm_loss_per_epoch` is its training loss, in nats per masked token.

    Raises:
        UserError: If a setting can't be honoured.
    """
    return _train("notebook/roberta", overrides)


def effective_batch_size(batch_size: int, accumulation_steps: int) -> int:
    """Compute the sequences of one update from those of a micro-batch.

    Args:
        batch_size: Sequences that the device holds at once.
        accumulation_steps: Micro-batches whose gradients are summed before the optimizer steps.

    Example:
        >>> effective_batch_size(32, accumulation_steps=8)
        256
    """
    for name, value in (("batch_size", batch_size), ("accumulation_steps", accumulation_steps)):
        if value < 1:
            raise must(name, "be 1 or more", value, "Give a positive whole number.")
    return batch_size * accumulation_steps


def _train(recipe: str, overrides: dict[str, Any]) -> History:
    settings = dict(flatten(overrides))
    with tempfile.TemporaryDirectory(prefix="lit_roberta-") as folder:
        settings.setdefault("trainer.default_root_dir", folder)
        # A script that calls this would be started anew for every further device.
        settings.setdefault("trainer.devices", 1)
        flags = [f"--{name}={_word(value)}" for name, value in settings.items()]
        return run(["fit", "--config", recipe, *flags]).model.history


def _word(value: object) -> str:
    """Write a value as the command line reads it."""
    return value if isinstance(value, str) else json.dumps(value)
