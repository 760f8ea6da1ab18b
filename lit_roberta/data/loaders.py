"""Loaders: whole updates and whole batches, as they are, one after the other.

Datasets here give a whole update or a whole batch for a number, so that a loader has nothing to
collate. Only updates are built in worker processes: they are asked for without a pause.
"""

from __future__ import annotations

import signal
from typing import Any

from torch.utils.data import DataLoader, Dataset

from lit_roberta.batch import HeldOutBatch, Update
from lit_roberta.data.stream import UpdateSampler, UpdateStream


def update_loader(
    stream: UpdateStream, sampler: UpdateSampler, *, num_workers: int, pin_memory: bool
) -> DataLoader[Update]:
    """Load updates in the order of their numbers.

    Args:
        stream: Gives an update for its number.
        sampler: Gives the numbers.
        num_workers: Processes that build updates beside the training; 0 builds them in it.
        pin_memory: Put batches where a GPU can fetch them by itself.
    """
    return DataLoader(
        stream,
        sampler=sampler,
        batch_size=None,
        collate_fn=_as_it_is,
        num_workers=num_workers,
        worker_init_fn=_leave_signals_to_training,
        pin_memory=pin_memory,
    )


def held_out_loader(
    dataset: Dataset[HeldOutBatch], *, pin_memory: bool
) -> DataLoader[HeldOutBatch]:
    """Load batches of text to judge a model by, in their order."""
    return DataLoader(dataset, batch_size=None, collate_fn=_as_it_is, pin_memory=pin_memory)


def _leave_signals_to_training(worker: int) -> None:
    """Go on at Ctrl-C and SIGTERM, which terminals and schedulers send to every process.

    Training decides when to stop; a loader that dies under it would end it in the middle.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _as_it_is(item: Any) -> Any:
    return item
