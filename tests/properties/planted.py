"""Updates that are bad on purpose, and runs that never make them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal
from unittest import mock

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.batch import Update
from lit_roberta.training.losses import LossSums, micro_batch_losses


class PlantBad(Callback):
    """Make something of some updates bad, whenever they are made."""

    def __init__(self, numbers: Sequence[int], kind: Literal["nan", "huge", "gradient"]) -> None:
        self.numbers = numbers
        self.kind = kind
        self._number = 0
        # For the rest of the process, which is this run's own.
        mock.patch("lit_roberta.training.module.micro_batch_losses", self._losses).start()

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Update, batch_idx: int
    ) -> None:
        self._number = batch.number

    def _losses(self, *arguments: Any) -> LossSums:
        sums = micro_batch_losses(*arguments)
        if self._number not in self.numbers:
            return sums
        if self.kind == "gradient":
            hook: Any = sums.weighted_mlm.register_hook
            hook(lambda gradient: gradient * math.nan)
            return sums
        factor = math.nan if self.kind == "nan" else 3.0
        return LossSums(*(factor * loss for loss in sums))


class LeaveOut(Callback):
    """Pass over some updates from the start, as if a rollback had decided it."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = numbers

    def on_train_start(self, trainer: pl.Trainer, pl_module: Any) -> None:
        if trainer.global_step == 0:
            pl_module.divergence.left_out = frozenset(self.numbers)
