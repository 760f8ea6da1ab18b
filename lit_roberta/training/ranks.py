"""The little that training says to other processes; nothing at all where there is only one."""

from __future__ import annotations

import signal
from contextlib import AbstractContextManager, nullcontext

import pytorch_lightning as pl
import torch
from lightning_fabric.plugins.environments.lightning import LightningEnvironment
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.strategies import ParallelStrategy
from pytorch_lightning.strategies.launchers import _SubprocessScriptLauncher
from torch import Tensor

from lit_roberta.training.divergence import RollBack
from lit_roberta.training.numbers import Number, at_hand


def sums_over_ranks(trainer: pl.Trainer, *values: Number) -> list[Number]:
    """Add up numbers over all ranks, in one message."""
    if trainer.world_size == 1:
        return list(values)
    device = trainer.strategy.root_device
    here = torch.stack([torch.as_tensor(value, device=device) for value in values])
    total = trainer.strategy.reduce(here, reduce_op="sum")
    assert isinstance(total, Tensor)
    return [at_hand(each) for each in total]


def counts_over_ranks(trainer: pl.Trainer, *counts: int) -> list[int]:
    """Add up whole numbers over all ranks, in one message."""
    if trainer.world_size == 1:
        return list(counts)
    device = trainer.strategy.root_device
    totals = sums_over_ranks(trainer, *(torch.tensor(count, device=device) for count in counts))
    return [int(total) for total in totals]


def highest_over_ranks(trainer: pl.Trainer, number: int) -> int:
    """Find the highest of the ranks' numbers."""
    if trainer.world_size == 1:
        return number
    here = torch.tensor(number, device=trainer.strategy.root_device)
    return int(trainer.strategy.reduce(here, reduce_op="max"))


def without_synchronisation(trainer: pl.Trainer) -> AbstractContextManager[None]:
    """Keep a backward pass from sending gradients: only an update's last one has to."""
    strategy = trainer.strategy
    if isinstance(strategy, ParallelStrategy):
        return strategy.block_backward_sync()
    return nullcontext()


class EndTogether(Callback):
    """Where this process fails, end those that it started: they would wait for it for ever.

    The other way round, Lightning ends the process that started one that failed.
    """

    def on_exception(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException
    ) -> None:
        """End them. A process that waits for another hears nothing milder than this."""
        if isinstance(exception, RollBack):
            return  # all of them go back
        launcher = trainer.strategy.launcher
        if isinstance(launcher, _SubprocessScriptLauncher):
            launcher.kill(getattr(signal, "SIGKILL", signal.SIGTERM))  # Windows has no SIGKILL


def was_started_by_another(trainer: pl.Trainer) -> bool:
    """Tell whether the first process of this machine started this one (`--trainer.devices 2`).

    That one speaks for both. It is killed where one that it started ends with another status
    than 0, even if it is about to end itself.
    """
    environment = getattr(trainer.strategy, "cluster_environment", None)
    return isinstance(environment, LightningEnvironment) and environment.local_rank() > 0
