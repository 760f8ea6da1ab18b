"""What passes between the stages: the update, its micro-batches, and the names of the axes.

The data stages make these, the model and the training loop read them, and neither side knows the
other. All of them are named tuples because Lightning moves those between devices and pins their
memory; it refuses frozen dataclasses for the first and skips dataclasses silently for the second.

Axes, everywhere in the package:

=============  ================================================================================
batch          sequences of one micro-batch (or, in `Update`, of one rank's share of an update)
choices        texts of which one is to be chosen; no axis where there is nothing to choose
seq            token positions of a sequence, special tokens and padding included
slots          positions read by the heads: slot 0 is `[CLS]`, the others are to be predicted
hidden         width of the encoder
heads          attention heads
head_dim       width of one head; heads * head_dim = hidden
intermediate   inner width of the feed-forward layer
vocab          entries of the vocabulary
=============  ================================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import torch
from jaxtyping import Bool, Int, Shaped
from torch import Tensor

IGNORE_INDEX = -100
"""The label that no loss and no metric counts."""


class Batch(NamedTuple):
    """One micro-batch, as the model reads it."""

    input_ids: Int[Tensor, "batch seq"]
    segment_ids: Int[Tensor, "batch seq"] | None
    """None: segment 0 everywhere."""
    attention_mask: Bool[Tensor, "batch seq"] | None
    """True at real tokens. None: nothing is padded, so no mask has to be read at all."""
    positions: Int[Tensor, "batch slots"]
    """Where the heads read: slot 0 is `[CLS]`; a slot without use repeats `[CLS]`."""
    labels: Int[Tensor, "batch slots"]
    """The original token at each slot; IGNORE_INDEX in slot 0 and in slots without use."""
    next_sentence_labels: Int[Tensor, " batch"] | None
    """1 where B follows A, 0 where it is random, IGNORE_INDEX to leave out. None: no pairs."""


class Cut(NamedTuple):
    """Where one micro-batch lies in the tensors of its update."""

    start: int
    stop: int
    seq: int
    """Longest sequence of the micro-batch, in tokens; what lies behind it is padding."""
    slots: int
    padded: bool
    """Whether any sequence of the micro-batch is shorter than `seq`."""


class Update(NamedTuple):
    """One rank's share of one update, with the places to cut it into micro-batches.

    One tensor a field, and cuts beside it, rather than a tensor a micro-batch: hundreds of small
    tensors take long to move, be it between processes or to a device.
    """

    number: int
    """Updates finished before this one."""
    input_ids: Int[Tensor, "batch seq"]
    segment_ids: Int[Tensor, "batch seq"] | None
    attention_mask: Bool[Tensor, "batch seq"]
    positions: Int[Tensor, "batch slots"]
    labels: Int[Tensor, "batch slots"]
    next_sentence_labels: Int[Tensor, " batch"] | None
    cuts: tuple[Cut, ...]
    num_labels: int
    """Tokens to predict in this rank's share."""
    num_tokens: int
    """Non-padding tokens in this rank's share."""
    num_sequences: int
    """Sequences of the whole update, over all ranks."""
    stage: int = 0
    """The stage of the run, from 0."""
    epoch: int = 0
    """Passes over the examples of its stage that are finished where the update starts."""

    def to(self, device: torch.device) -> Update:
        """Move the tensors. Lightning calls this rather than look at every number of the cuts."""
        return _moved(self, device)

    def micro_batches(self) -> Iterator[Batch]:
        """Yield the micro-batches, as views."""
        for start, stop, seq, slots, padded in self.cuts:
            rows = slice(start, stop)
            yield Batch(
                input_ids=self.input_ids[rows, :seq],
                segment_ids=None if self.segment_ids is None else self.segment_ids[rows, :seq],
                attention_mask=self.attention_mask[rows, :seq] if padded else None,
                positions=self.positions[rows, :slots],
                labels=self.labels[rows, :slots],
                next_sentence_labels=(
                    None if self.next_sentence_labels is None else self.next_sentence_labels[rows]
                ),
            )


class HeldOutBatch(NamedTuple):
    """A batch of held-out text, with the document that each prediction belongs to."""

    batch: Batch
    documents: Int[Tensor, "batch slots"]
    """Number of the document in its part of the corpus; only read where `batch.labels` counts."""


class TaskBatch(NamedTuple):
    """One micro-batch of a task that a model is fine-tuned for."""

    input_ids: Int[Tensor, "batch *choices seq"]
    segment_ids: Int[Tensor, "batch *choices seq"] | None
    """None: segment 0 everywhere."""
    attention_mask: Bool[Tensor, "batch *choices seq"] | None
    """True at real tokens. None: nothing is padded."""
    labels: Shaped[Tensor, "batch ..."]
    """Whole numbers, IGNORE_INDEX where there is none; for regression numbers, NaN there."""


class TaskUpdate(NamedTuple):
    """One rank's share of one update of fine-tuning, with the places to cut it."""

    number: int
    """Updates finished before this one."""
    input_ids: Int[Tensor, "batch *choices seq"]
    segment_ids: Int[Tensor, "batch *choices seq"] | None
    attention_mask: Bool[Tensor, "batch *choices seq"]
    labels: Shaped[Tensor, "batch ..."]
    cuts: tuple[Cut, ...]
    """Their `slots` is how many places of a row have a label each; 0 where a row has one."""
    num_labels: int
    """Labels that count in this rank's share."""
    num_tokens: int
    """Non-padding tokens in this rank's share."""
    num_sequences: int
    """Examples of the whole update, over all ranks."""
    epoch: int = 0
    """Passes over the examples that are finished where the update starts."""

    def to(self, device: torch.device) -> TaskUpdate:
        """Move the tensors."""
        return _moved(self, device)

    def micro_batches(self) -> Iterator[TaskBatch]:
        """Yield the micro-batches, as views."""
        for start, stop, seq, slots, padded in self.cuts:
            rows = slice(start, stop)
            segments = self.segment_ids
            labels = self.labels[rows]
            yield TaskBatch(
                input_ids=self.input_ids[rows, ..., :seq],
                segment_ids=None if segments is None else segments[rows, ..., :seq],
                attention_mask=self.attention_mask[rows, ..., :seq] if padded else None,
                labels=labels[:, :slots] if slots else labels,
            )


class JudgedBatch(NamedTuple):
    """A batch of a task's held-out part, with the items that it was made of."""

    batch: TaskBatch
    items: tuple[int, ...]
    """Their numbers in the part."""
    counts: bool = True
    """False where it only keeps a rank busy while another computes its last batch."""


U = TypeVar("U", Update, TaskUpdate)


def _moved(update: U, device: torch.device) -> U:
    if update.input_ids.device == device:
        return update
    moved: dict[str, Any] = {
        name: value.to(device, non_blocking=device.type == "cuda")
        for name, value in update._asdict().items()
        if isinstance(value, Tensor)
    }
    return update._replace(**moved)
