"""Loaders: whole updates and whole batches, as they are, one after the other.

Datasets here give a whole update or a whole batch for a number, so that a loader has nothing to
collate. Only updates are built in worker processes: they are asked for without a pause.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import DataLoader, Dataset

from lit_roberta.batch import IGNORE_INDEX, Batch, HeldOutBatch, Update
from lit_roberta.data.parcels import Parcel
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.stream import UpdateSampler


def update_loader(
    stream: Dataset[Update], sampler: UpdateSampler, *, num_workers: int, pin_memory: bool
) -> DataLoader[Update]:
    """Load updates in the order of their numbers.

    Args:
        stream: Gives an update for its number.
        sampler: Gives the numbers.
        num_workers: Processes that build updates beside the training; 0 builds them in it.
        pin_memory: Put batches where a GPU can fetch them by itself.
    """
    # A worker's parcel is an update again where it is unpickled.
    on_the_way: Any = Parcel if num_workers else _as_it_is
    return DataLoader(
        stream,
        sampler=sampler,
        batch_size=None,
        collate_fn=on_the_way,
        num_workers=num_workers,
        worker_init_fn=_leave_signals_to_training,
        pin_memory=pin_memory,
    )


class StagedUpdates:
    """The updates of a run with stages of length: a loader for each, one after the other.

    A stage's text is packed when the stage is reached, in the training's process, so that loader
    workers share it. There is a length, because a loader without one is asked for an update ahead.

    Args:
        sizes: Where the stages lie.
        left: The numbers of the updates that are left of the run.
        load: Makes the loader of a stage, from the numbers of its updates.
    """

    def __init__(
        self,
        sizes: UpdateSizes,
        left: UpdateSampler,
        load: Callable[[int, UpdateSampler], DataLoader[Update]],
    ) -> None:
        self._sizes = sizes
        self._left = left
        self._load = load

    def __iter__(self) -> Iterator[Update]:
        for stage, numbers in self._sizes.by_stage(self._left.numbers()):
            sampler = UpdateSampler(partial(int, numbers.start), partial(int, numbers.stop))
            yield from self._load(stage, sampler)

    def __len__(self) -> int:
        return len(self._left)


def held_out_loader(
    dataset: Dataset[HeldOutBatch], *, rank: int = 0, world_size: int = 1, pin_memory: bool
) -> DataLoader[HeldOutBatch]:
    """Load one rank's batches of text to judge a model by, in their order.

    Args:
        dataset: All batches.
        rank: This process.
        world_size: Processes in all; together they load each batch once.
        pin_memory: Put batches where a GPU can fetch them by itself.
    """
    share = dataset if world_size == 1 else HeldOutShare(dataset, rank, world_size)
    return DataLoader(share, batch_size=None, collate_fn=_as_it_is, pin_memory=pin_memory)


class HeldOutShare(Dataset[HeldOutBatch]):
    """One rank's batches: every n-th of n ranks.

    All ranks have as many, because a sharded model computes on all of them or on none. Where the
    batches run out, the last one comes again with nothing to predict in it.

    Args:
        dataset: All batches.
        rank: This process.
        world_size: Processes in all.
    """

    def __init__(self, dataset: Dataset[HeldOutBatch], rank: int, world_size: int) -> None:
        self._dataset: Any = dataset
        self._rank = rank
        self._world_size = world_size

    def __len__(self) -> int:
        return -(-len(self._dataset) // self._world_size)

    def __getitem__(self, index: int) -> HeldOutBatch:
        if not 0 <= index < len(self):
            raise IndexError(index)
        place, last = index * self._world_size + self._rank, len(self._dataset) - 1
        batch: HeldOutBatch = self._dataset[min(place, last)]
        return batch if place <= last else batch._replace(batch=_unlabelled(batch.batch))


def _unlabelled(batch: Batch) -> Batch:
    pairs = batch.next_sentence_labels
    return batch._replace(
        labels=_ignored(batch.labels),
        next_sentence_labels=None if pairs is None else _ignored(pairs),
    )


def _ignored(labels: Tensor) -> Tensor:
    return torch.full_like(labels, IGNORE_INDEX)


def _leave_signals_to_training(worker: int) -> None:
    """Go on at Ctrl-C and SIGTERM, which terminals and schedulers send to every process.

    Training decides when to stop; a loader that dies under it would end it in the middle.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def _as_it_is(item: Any) -> Any:
    return item
