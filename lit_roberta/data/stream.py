"""Place in the stream to example; update to micro-batches.

An update is a pure function of its number. Nothing here has a position, a generator or an epoch
that moves, so a run resumes at any update, with any number of workers, and gets what it would have
got.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt64
from torch.utils.data import Dataset, Sampler

from lit_roberta.batch import Cut, Update
from lit_roberta.data.examples.order import examples_at
from lit_roberta.data.examples.packing import Examples
from lit_roberta.data.rows.building import BuiltRows, ExampleBuilder
from lit_roberta.data.rows.collation import attention_mask, to_tensor
from lit_roberta.data.rows.masking import MaskingConfig, visit_keys
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.errors import must

__all__ = ["UpdateSampler", "UpdateStream", "examples_at"]

_BLOCK_PLACES = 4096
"""Places of the stream that are looked up together: for a few it costs as much as for one."""


class _Block(NamedTuple):
    """What one rank trains in some updates that follow each other."""

    number: int
    examples: Int64[np.ndarray, "updates batch"]
    keys: UInt64[np.ndarray, "updates batch"]


class UpdateStream(Dataset[Update]):
    """One rank's share of every update, by the update's number.

    Args:
        corpus: The tokenized training text.
        examples: Its examples, as packed.
        vocabulary: The special ids.
        masking: How tokens are chosen and replaced.
        batch_size: Sequences of an update, over all ranks.
        micro_batch_size: The most sequences that a device holds at once. None: its whole share.
        seed: The run's seed.
        segments: Whether B gets segment 1. False: segment 0 everywhere.
        rank: This process.
        world_size: Processes in all.

    Raises:
        UserError: If the batch has fewer sequences than there are ranks.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        examples: Examples,
        vocabulary: Vocabulary,
        *,
        masking: MaskingConfig,
        batch_size: int,
        micro_batch_size: int | None,
        seed: int,
        segments: bool,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        if batch_size < world_size:
            raise must(
                "batch_size",
                f"be at least the number of devices, {world_size}",
                batch_size,
                "Give a larger batch or fewer devices.",
            )
        if micro_batch_size is not None and micro_batch_size < 1:
            raise must(
                "micro_batch_size", "be at least 1", micro_batch_size, "Leave it out for no limit."
            )
        self._builder = ExampleBuilder(
            corpus=corpus,
            examples=examples,
            vocabulary=vocabulary,
            masking=masking,
            segments=segments,
        )
        self.batch_size = batch_size
        self.num_examples = len(examples)
        self._masking = masking
        self._seed = seed
        # Shares are contiguous and differ by at most one sequence. The smaller ones get a filler
        # row, so that every rank runs the same number of micro-batches and none waits for ever.
        self._share = slice(rank * batch_size // world_size, (rank + 1) * batch_size // world_size)
        self._num_rows = -(-batch_size // world_size)
        self._micro_batch_size = micro_batch_size or self._num_rows
        self._block_size = max(1, _BLOCK_PLACES // batch_size)
        self._cached = self._look_up(0)

    def __getitem__(self, number: int) -> Update:
        block, row = divmod(number, self._block_size)
        if block != self._cached.number:
            self._cached = self._look_up(block)
        examples, keys = self._cached.examples[row], self._cached.keys[row]
        built = self._builder.build(examples, keys, num_fillers=self._num_rows - len(examples))
        return self._update(number, built, num_real=len(examples))

    def epoch_of(self, number: int) -> int:
        """Find the epoch in which an update starts; a batch may span two."""
        return number * self.batch_size // self.num_examples

    def _look_up(self, block: int) -> _Block:
        """Find the examples of a block of updates, and the keys of their masks."""
        updates = block * self._block_size + np.arange(self._block_size)
        share = np.arange(self._share.start, self._share.stop)
        places = updates[:, None] * self.batch_size + share
        examples = examples_at(places, num_examples=self.num_examples, seed=self._seed)
        visits = self._masking.visit(places // self.num_examples)
        return _Block(block, examples, visit_keys(examples, visits, seed=self._seed))

    def _update(self, number: int, built: BuiltRows, *, num_real: int) -> Update:
        rows, slots = built.rows, built.slots
        lengths, counts = rows.lengths.tolist(), slots.counts.tolist()
        return Update(
            number=number,
            input_ids=to_tensor(rows.input_ids),
            segment_ids=to_tensor(rows.segment_ids),
            attention_mask=to_tensor(attention_mask(rows.lengths, rows.input_ids.shape[1])),
            positions=to_tensor(slots.positions),
            labels=to_tensor(slots.labels),
            next_sentence_labels=to_tensor(built.next_sentence_labels),
            cuts=tuple(self._cuts(lengths, counts)),
            num_labels=sum(counts),
            num_tokens=sum(lengths[:num_real]),
            num_sequences=self.batch_size,
        )

    def _cuts(self, lengths: list[int], counts: list[int]) -> Iterator[Cut]:
        """Cut the rows, longest first, so that each micro-batch is as narrow as it can be."""
        for start in range(0, len(lengths), self._micro_batch_size):
            stop = min(start + self._micro_batch_size, len(lengths))
            yield Cut(
                start=start,
                stop=stop,
                seq=lengths[start],
                slots=1 + max(counts[start:stop]),
                padded=lengths[stop - 1] < lengths[start],
            )


class UpdateSampler(Sampler[int]):
    """The numbers of the updates that are left, from wherever the run stands.

    Args:
        first: Updates finished so far; read each time that the sampler is iterated, because a
            resumed run learns its position after the loader is made.
        total: Updates of the whole run; read late for the same reason. It is also the length,
            however many are left: a loader that seems to end early makes the trainer start another
            epoch.
    """

    def __init__(self, first: Callable[[], int], total: Callable[[], int]) -> None:
        self._first = first
        self._total = total

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._first(), self._total()))

    def __len__(self) -> int:
        return self._total()
