"""What has to stay the same for a resumed run to be, bit by bit, the run that was interrupted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import pytorch_lightning as pl
import torch

from lit_roberta.data.datamodule import PretrainingDataModule

Conditions = dict[str, int | float | str | bool | None]


def run_conditions(trainer: pl.Trainer, data: PretrainingDataModule) -> Conditions:
    """Name what a run's numbers depend on besides the settings that its weights stand on.

    Text, packing, masks and batch decide what the updates are. Processes, micro-batch, device,
    precision and threads decide how sums are rounded, and which dropout is drawn.
    """
    return {
        "seed_everything": data.seed,
        "data.corpus": data.text.corpus,
        "text": data.prepared.digest,
        **{f"data.{name}": value for name, value in asdict(data.packing).items()},
        **{f"data.masking.{name}": value for name, value in asdict(data.masking).items()},
        "data.batch_size": data.sequences_per_update,
        "data.micro_batch_size": data.batch.micro_batch_size,
        "processes": trainer.world_size,
        "device": trainer.strategy.root_device.type,
        "precision": str(trainer.precision),
        "threads": torch.get_num_threads(),
    }


def changes(before: Mapping[str, object], now: Mapping[str, object]) -> list[str]:
    """List what is no longer as it was.

    Example:
        >>> changes({"processes": 2, "threads": 1}, {"processes": 4, "threads": 1})
        ['processes 2, now 4']
    """
    return [
        f"{name} {before[name]}, now {value}"
        for name, value in now.items()
        if name in before and before[name] != value
    ]
