"""Place in the stream to example; update to micro-batches.

An update is a pure function of its number. Nothing here has a position, a generator or an epoch that moves,
so a run resumes at any update, with any number of workers, and gets what it would have got.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from torch.utils.data import Dataset, Sampler

from lit_roberta.batch import IGNORE_INDEX, Cut, Update
from lit_roberta.data.building import BuiltRows, ExampleBuilder
from lit_roberta.data.collation import attention_mask, to_tensor
from lit_roberta.data.masking import MaskingConfig
from lit_roberta.data.order import examples_at
from lit_roberta.data.packing import Examples, PackingConfig
from lit_roberta.data.store import TokenizedCorpus
from lit_roberta.data.vocabulary import Vocabulary
from lit_roberta.errors import must

__all__ = ["UpdateSampler", "UpdateStream", "examples_at"]


class UpdateStream(Dataset[Update]):
    """One rank's share of every update, by the update's number.

    Args:
        corpus: The tokenized training text.
        examples: Its examples, as packed.
        vocabulary: The special ids.
        packing: The format that the examples were packed in.
        masking: How tokens are chosen and replaced.
        batch_size: Sequences of an update, over all ranks.
        micro_batch_size: The most sequences that a device holds at once. None: a rank's whole share.
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
        packing: PackingConfig,
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
            seed=seed,
            segments=segments,
        )
        self._masking = masking
        self.packing = packing
        self.batch_size = batch_size
        self.num_examples = len(examples)
        # Shares are contiguous and differ by at most one sequence; the smaller ones get a filler row, so
        # that every rank runs the same number of micro-batches and none waits for ever.
        self._first = rank * batch_size // world_size
        self._stop = (rank + 1) * batch_size // world_size
        self._rows = -(-batch_size // world_size)
        self._micro_batch_size = micro_batch_size or self._rows

    def __getitem__(self, number: int) -> Update:
        places = number * self.batch_size + np.arange(self._first, self._stop)
        builder = self._builder
        numbers = examples_at(places, num_examples=self.num_examples, seed=builder.seed)
        visits = self._masking.visit(places // self.num_examples)
        built = builder.build(numbers, visits, num_fillers=self._rows - len(places))
        return self._update(number, built, num_real=len(places))

    def epoch_of(self, number: int) -> int:
        """Find the epoch in which an update starts; a batch may span two."""
        return number * self.batch_size // self.num_examples

    def _update(self, number: int, built: BuiltRows, *, num_real: int) -> Update:
        rows, slots = built.rows, built.slots
        counts = np.count_nonzero(slots.labels != IGNORE_INDEX, axis=1)
        return Update(
            number=number,
            input_ids=to_tensor(rows.input_ids),
            segment_ids=to_tensor(rows.segment_ids),
            attention_mask=to_tensor(attention_mask(rows.lengths, rows.input_ids.shape[1])),
            positions=to_tensor(slots.positions),
            labels=to_tensor(slots.labels),
            next_sentence_labels=to_tensor(built.next_sentence_labels),
            cuts=tuple(self._cuts(rows.lengths.tolist(), counts.tolist())),
            num_labels=int(counts.sum()),
            num_tokens=int(rows.lengths[:num_real].sum()),
            num_sequences=self.batch_size,
        )

    def _cuts(self, lengths: list[int], counts: list[int]) -> Iterator[Cut]:
        """Cut the rows, longest first, so that each micro-batch is as narrow as its rows allow."""
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
        first: Updates finished so far; read each time that the sampler is iterated, because a resumed run
            learns its position after the loader is made.
        total: Updates of the whole run; read late for the same reason. It is also the length, however many
            are left, because a loader that seems to end early makes the trainer start another epoch.
    """

    def __init__(self, first: Callable[[], int], total: Callable[[], int]) -> None:
        self._first = first
        self._total = total

    def __iter__(self) -> Iterator[int]:
        return iter(range(self._first(), self._total()))

    def __len__(self) -> int:
        return self._total()
