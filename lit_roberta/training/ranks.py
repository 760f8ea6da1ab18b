"""The little that training says to other processes; nothing at all where there is only one."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import pytorch_lightning as pl
import torch
from pytorch_lightning.strategies import ParallelStrategy
from torch import Tensor


def sum_over_ranks(trainer: pl.Trainer, values: Tensor) -> Tensor:
    """Add up a tensor over all ranks."""
    if trainer.world_size == 1:
        return values
    total = trainer.strategy.reduce(values, reduce_op="sum")
    assert isinstance(total, Tensor)
    return total


def counts_over_ranks(trainer: pl.Trainer, *counts: int) -> list[int]:
    """Add up whole numbers over all ranks, in one message."""
    if trainer.world_size == 1:
        return list(counts)
    total = sum_over_ranks(trainer, torch.tensor(counts, device=trainer.strategy.root_device))
    return [int(count) for count in total]


def without_synchronisation(trainer: pl.Trainer) -> AbstractContextManager[None]:
    """Keep a backward pass from sending gradients: only an update's last one has to."""
    strategy = trainer.strategy
    if isinstance(strategy, ParallelStrategy):
        return strategy.block_backward_sync()
    return nullcontext()
