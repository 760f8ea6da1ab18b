"""The little that training says to other processes; nothing at all where there is only one."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import pytorch_lightning as pl
import torch
from pytorch_lightning.strategies import ParallelStrategy
from torch import Tensor


def sums_over_ranks(trainer: pl.Trainer, *values: Tensor) -> list[Tensor]:
    """Add up numbers over all ranks, in one message."""
    if trainer.world_size == 1:
        return list(values)
    total = trainer.strategy.reduce(torch.stack(values), reduce_op="sum")
    assert isinstance(total, Tensor)
    return list(total)


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
