"""Number to update: which items of the training part it holds, and how it is cut.

An update is a pure function of its number, as in pretraining: nothing here has a position or a
generator. An epoch is a permutation of the items, in as many updates as it takes at the batch
size, all of them as large as each other: a rest of one item would be an update as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Int64
from torch.utils.data import Dataset

from lit_roberta.batch import TaskUpdate
from lit_roberta.data.examples.order import examples_at
from lit_roberta.errors import must
from lit_roberta.finetuning.items import (
    Item,
    cut_into_micro_batches,
    make_batch,
    without_label,
)
from lit_roberta.finetuning.tasks.losses import count_labels


class UpdateSizes(NamedTuple):
    """How many items an update holds."""

    num_items: int
    updates_per_epoch: int

    @classmethod
    def of(cls, num_items: int, batch_size: int) -> UpdateSizes:
        """Cut an epoch into updates.

        Args:
            num_items: Of an epoch.
            batch_size: The most items of an update.
        """
        return cls(num_items, -(-num_items // batch_size))

    def items_before(self, number: int) -> int:
        """Count the items of all updates before one.

        Example:
            >>> [UpdateSizes.of(10, 4).items_before(number) for number in range(5)]
            [0, 3, 6, 10, 13]
        """
        epochs, row = divmod(number, self.updates_per_epoch)
        return epochs * self.num_items + row * self.num_items // self.updates_per_epoch

    @property
    def largest(self) -> int:
        """Items of the largest update."""
        return -(-self.num_items // self.updates_per_epoch)


class TaskContents(NamedTuple):
    """What an update held, for a person who wants to look."""

    examples: list[int]
    texts: list[str]

    def names(self) -> list[str]:
        """Name each example, for a line."""
        return [str(example) for example in self.examples]

    def records(self, data: Any) -> list[dict[str, Any]]:
        """Give each example whole, for a file."""
        pairs = zip(self.examples, self.texts, strict=True)
        return [{"example": example, "text": text} for example, text in pairs]


class TaskUpdates(Dataset[TaskUpdate]):
    """One rank's share of every update, by the update's number.

    Args:
        items: Of the training part.
        batch_size: The most items of an update, over all ranks.
        micro_batch_size: The most items that a device holds at once.
        pad_id: Of the vocabulary.
        segments: Whether a second text has a segment of its own.
        by_place: Whether each place of a row has a label.
        seed: The run's seed.
        rank: This process.
        world_size: Processes in all.

    Raises:
        UserError: If an update has fewer items than there are ranks.
    """

    def __init__(
        self,
        items: Sequence[Item],
        *,
        batch_size: int,
        micro_batch_size: int,
        pad_id: int,
        segments: bool,
        by_place: bool,
        seed: int,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self.sizes = UpdateSizes.of(len(items), batch_size)
        if len(items) // self.sizes.updates_per_epoch < world_size:
            rule = f"be at least the number of devices, {world_size}"
            raise must("data.batch_size", rule, batch_size, "Give a larger batch.")
        self._items = items
        self._micro_batch_size = micro_batch_size
        self._pad_id, self._segments, self._by_place = pad_id, segments, by_place
        self._seed = seed
        self._rank, self._world_size = rank, world_size

    def items_of(self, number: int) -> Int64[np.ndarray, " items"]:
        """Name the items of an update over all ranks, in the order of the stream."""
        places = np.arange(self.sizes.items_before(number), self.sizes.items_before(number + 1))
        return examples_at(places, num_examples=len(self._items), seed=self._seed)

    def __getitem__(self, number: int) -> TaskUpdate:
        numbers = self.items_of(number)
        begin = self._rank * len(numbers) // self._world_size
        end = (self._rank + 1) * len(numbers) // self._world_size
        share = [self._items[item] for item in numbers[begin:end].tolist()]
        num_tokens = sum(len(row.input_ids) for item in share for row in item.rows)
        # Every rank runs as many micro-batches as the others, so that none waits for ever.
        filler = -(-len(numbers) // self._world_size) - len(share)
        share += [without_label(share[0])] * filler
        share.sort(key=lambda item: -item.seq)
        batch = make_batch(share, pad_id=self._pad_id, segments=self._segments)
        mask = batch.attention_mask
        return TaskUpdate(
            number=number,
            input_ids=batch.input_ids,
            segment_ids=batch.segment_ids,
            attention_mask=torch.ones_like(batch.input_ids, dtype=torch.bool)
            if mask is None
            else mask,
            labels=batch.labels,
            cuts=tuple(
                cut_into_micro_batches(
                    share, at_once=self._micro_batch_size, by_place=self._by_place
                )
            ),
            num_labels=count_labels(batch.labels),
            num_tokens=num_tokens,
            num_sequences=len(numbers),
            epoch=number // self.sizes.updates_per_epoch,
        )
