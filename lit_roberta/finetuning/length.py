"""How long a run of fine-tuning is, and how often it is judged, in updates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.datamodule import FinetuningDataModule

DEFAULT_EPOCHS = 3


def finetuning_length(data: FinetuningDataModule, asked: Mapping[str, Any]) -> int:
    """Compute the length of a run.

    Args:
        data: Tells how many updates an epoch makes.
        asked: The trainer's settings: `max_steps` are updates, `max_epochs` passes over the
            examples; None or -1 where they were not asked for.

    Returns:
        The shorter of them, or that of three epochs.

    Raises:
        UserError: If a length is 0 or negative.
    """
    lengths = []
    for name in ("max_steps", "max_epochs"):
        value = asked[name]
        if value is None or value == -1:
            continue
        if value <= 0:
            raise must(f"trainer.{name}", "be 1 or more", value, "Leave it out for three epochs.")
        lengths.append(value if name == "max_steps" else data.updates_for_epochs(value))
    return min(lengths, default=data.updates_for_epochs(DEFAULT_EPOCHS))


def judging_interval(asked: object, *, updates_per_epoch: int, total: int) -> object:
    """Say after how many updates the validation part is judged.

    Args:
        asked: As `--trainer.val_check_interval` has it; None for each epoch.
        updates_per_epoch: Of the training part.
        total: Updates of the run.
    """
    return min(updates_per_epoch, total) if asked is None else asked
