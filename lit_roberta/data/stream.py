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
from lit_roberta.data.examples.keys import visit_keys
from lit_roberta.data.examples.mixture import Mixture
from lit_roberta.data.examples.packing import Examples
from lit_roberta.data.examples.pieces import ragged_range
from lit_roberta.data.rows.building import BuiltRows, ExampleBuilder
from lit_roberta.data.rows.collation import attention_mask, to_tensor
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.errors import must

__all__ = ["UpdateSampler", "UpdateStream", "first_epoch"]

_BLOCK_PLACES = 4096
"""Places of the stream that are looked up together: for a few it costs as much as for one."""


_EPOCHS_OF_A_STAGE = 2**20
"""Passes after which the epochs of the next stage are counted, so that no stage repeats the order,
the masks or the partners of another; more than any stage makes."""


class _Block(NamedTuple):
    """What one rank trains in some updates of a stage that follow each other."""

    number: int
    batch_sizes: list[int]
    """Of each update, over all ranks."""
    epochs: list[int]
    """Of the stage, in which each update starts."""
    offsets: list[int]
    """Where the share of each update begins in what follows, and where the last one ends."""
    examples: Int64[np.ndarray, " places"]
    keys: UInt64[np.ndarray, " places"]


def first_epoch(stage: int) -> int:
    """Give the number that the first pass of a stage has in hashes; 0 without stages."""
    return stage * _EPOCHS_OF_A_STAGE


class UpdateStream(Dataset[Update]):
    """One rank's share of every update of a stage, by the update's number in the run.

    Args:
        corpus: The tokenized training text.
        examples: Its examples, as packed.
        vocabulary: The special ids.
        masking: How tokens are chosen and replaced.
        sizes: What each update of the run is.
        stage: The stage whose updates these are, from 0; the examples are its own.
        micro_batch_size: The most sequences that a device holds at once. None: its whole share.
        seed: The run's seed.
        segments: Whether B gets segment 1. False: segment 0 everywhere.
        mixture: How often the examples of each source come. None: each once in an epoch.
        rank: This process.
        world_size: Processes in all.

    Raises:
        UserError: If an update has fewer sequences than there are ranks.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        examples: Examples,
        vocabulary: Vocabulary,
        *,
        masking: MaskingConfig,
        sizes: UpdateSizes,
        stage: int = 0,
        micro_batch_size: int | None,
        seed: int,
        segments: bool,
        mixture: Mixture | None = None,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        if sizes.smallest_batch < world_size:
            name = "batch_size" if sizes.ramp.start is None else "data.batch_ramp.start"
            rule = f"be at least the number of devices, {world_size}"
            remedy = "Give a larger batch or fewer devices."
            raise must(name, rule, sizes.smallest_batch, remedy)
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
        self.num_examples = len(examples)
        self._mixture = mixture or Mixture.whole(len(examples))
        self._masking = masking
        self._seed = seed
        self._sizes, self._stage = sizes, stage
        self._rank, self._world_size = rank, world_size
        self._micro_batch_size = micro_batch_size
        self._first, _, full_batch = sizes.stages[stage]
        self._block_size = max(1, _BLOCK_PLACES // full_batch)
        self._cached = self._look_up(0)

    def __getitem__(self, number: int) -> Update:
        block, row = divmod(number - self._first, self._block_size)
        if block != self._cached.number:
            self._cached = self._look_up(block)
        cached = self._cached
        share = slice(cached.offsets[row], cached.offsets[row + 1])
        examples, keys = cached.examples[share], cached.keys[share]
        num_sequences = cached.batch_sizes[row]
        # Shares differ by at most one sequence. The smaller ones get a filler row, so that every
        # rank runs the same number of micro-batches and none waits for ever.
        num_rows = -(-num_sequences // self._world_size)
        built = self._builder.build(examples, keys, num_fillers=num_rows - len(examples))
        tokens = built.rows.lengths[: len(examples)].sum()
        return self._update(built)._replace(
            number=number,
            num_tokens=int(tokens),
            num_sequences=num_sequences,
            epoch=cached.epochs[row],
        )

    def examples_of(self, number: int) -> Int64[np.ndarray, " batch"]:
        """Name the examples of this rank's share of an update, in the order of the stream."""
        block, row = divmod(number - self._first, self._block_size)
        found = self._look_up(block)
        return found.examples[found.offsets[row] : found.offsets[row + 1]]

    def _look_up(self, block: int) -> _Block:
        """Find the examples of a block of updates, and the keys of their masks."""
        first = self._first + block * self._block_size
        batches = self._sizes.batch_sizes(first + np.arange(self._block_size), stage=self._stage)
        starts = self._sizes.at(first).place + np.cumsum(batches) - batches
        begins = starts + self._rank * batches // self._world_size
        counts = starts + (self._rank + 1) * batches // self._world_size - begins
        places = ragged_range(begins, counts)
        first_one = first_epoch(self._stage)
        examples, passes = self._mixture.look_up(places, seed=self._seed, first_epoch=first_one)
        visits = first_one + self._masking.visit(passes)
        return _Block(
            block,
            batches.tolist(),
            (starts // self.num_examples).tolist(),
            [0, *np.cumsum(counts).tolist()],
            examples,
            visit_keys(examples, visits, seed=self._seed),
        )

    def _update(self, built: BuiltRows) -> Update:
        """Make tensors of rows, fillers included, with the places to cut them."""
        rows, slots = built.rows, built.slots
        lengths, counts = rows.lengths.tolist(), slots.counts.tolist()
        return Update(
            number=0,
            input_ids=to_tensor(rows.input_ids),
            segment_ids=to_tensor(rows.segment_ids),
            attention_mask=to_tensor(attention_mask(rows.lengths, rows.input_ids.shape[1])),
            positions=to_tensor(slots.positions),
            labels=to_tensor(slots.labels),
            next_sentence_labels=to_tensor(built.next_sentence_labels),
            cuts=tuple(self._cuts(lengths, counts)),
            num_labels=sum(counts),
            num_tokens=sum(lengths),
            num_sequences=len(lengths),
            stage=self._stage,
        )

    def _cuts(self, lengths: list[int], counts: list[int]) -> Iterator[Cut]:
        """Cut the rows, longest first, so that each micro-batch is as narrow as it can be."""
        at_once = self._micro_batch_size or len(lengths)
        for start in range(0, len(lengths), at_once):
            stop = min(start + at_once, len(lengths))
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
        return iter(self.numbers())

    def numbers(self) -> range:
        """Give the numbers, as they are now."""
        return range(self._first(), self._total())

    def __len__(self) -> int:
        return self._total()
