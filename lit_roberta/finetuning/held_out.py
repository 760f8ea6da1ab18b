"""A part that is judged, in batches of about one length; the items of an example stay together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from torch.utils.data import Dataset

from lit_roberta.batch import JudgedBatch
from lit_roberta.finetuning.items import Item, make_batch
from lit_roberta.inference.batching import BATCH_TOKENS


class JudgedBatches(Dataset[JudgedBatch]):
    """The batches of a part that one rank judges.

    All ranks have as many, because a sharded model computes on all of them or on none: where the
    batches run out, the last one comes again, and does not count.

    Args:
        items: Of the part, those of an example side by side.
        pad_id: Of the vocabulary.
        segments: Whether a second text has a segment of its own.
        rank: This process.
        world_size: Processes in all.
    """

    def __init__(
        self,
        items: Sequence[Item],
        *,
        pad_id: int,
        segments: bool,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self._items = items
        self._batches = whole_examples_by_length(items, batch_tokens=BATCH_TOKENS)
        self._pad_id, self._segments = pad_id, segments
        self._rank, self._world_size = rank, world_size

    def __len__(self) -> int:
        return -(-len(self._batches) // self._world_size)

    def __getitem__(self, index: int) -> JudgedBatch:
        if not 0 <= index < len(self):
            raise IndexError(index)
        place, last = index * self._world_size + self._rank, len(self._batches) - 1
        numbers = self._batches[min(place, last)]
        items = [self._items[number] for number in numbers]
        batch = make_batch(items, pad_id=self._pad_id, segments=self._segments)
        return JudgedBatch(batch, tuple(numbers), counts=place <= last)


def whole_examples_by_length(items: Sequence[Item], *, batch_tokens: int) -> list[list[int]]:
    """Put examples of about one length together.

    Args:
        items: Those of an example side by side.
        batch_tokens: The most tokens of a batch, padding included; a longer example is a batch.

    Returns:
        The numbers of the items of each batch, each once. The longest come first: what does not
        fit into memory shows at once.
    """
    numbered = groupby(range(len(items)), key=lambda number: items[number].example)
    examples = [list(numbers) for _, numbers in numbered]
    longest_of = {numbers[0]: max(items[each].seq for each in numbers) for numbers in examples}
    batches: list[list[int]] = []
    longest = rows = 0
    for numbers in sorted(examples, key=lambda numbers: -longest_of[numbers[0]]):
        own_rows = sum(len(items[each].rows) for each in numbers)
        if not batches or (rows + own_rows) * longest > batch_tokens:
            batches.append([])
            longest, rows = longest_of[numbers[0]], 0
        batches[-1] += numbers
        rows += own_rows
    return batches
