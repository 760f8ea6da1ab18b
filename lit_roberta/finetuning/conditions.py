"""What has to stay the same for a resumed run to be the run that was interrupted."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl

from lit_roberta.training.conditions import Conditions, machine_conditions


def finetuning_conditions(trainer: pl.Trainer, data: Any) -> Conditions:
    """Name what a run's numbers depend on besides the settings that its weights stand on.

    Args:
        trainer: The run's.
        data: The data module. Its examples, their order and the batch decide what the updates
            are; all else decides how sums are rounded, and which dropout is drawn.
    """
    return {
        "seed_everything": data.seed,
        "data.task": data.spec.name,
        "the training examples": data.digest,
        "data.batch_size": data.batch_size,
        "data.micro_batch_size": data.micro_batch_size,
        **machine_conditions(trainer),
        "data.num_workers": data.num_workers,
    }
