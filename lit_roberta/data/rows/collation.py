"""Spans of tokens to rows: special tokens placed, rows padded, slots lined up, tensors at the end.

In: spans of the corpus. Out: the arrays of a batch, or the batch. It draws nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int64, Shaped

from lit_roberta.batch import IGNORE_INDEX, Batch, HeldOutBatch
from lit_roberta.data.examples.pieces import ragged_range
from lit_roberta.data.rows.choosing import Choice
from lit_roberta.data.tokens.vocabulary import Vocabulary


class Spans(NamedTuple):
    """Rows as spans of the corpus: `[CLS]`, then each span closed by a `[SEP]`."""

    rows: Int64[np.ndarray, " spans"]
    """The row of each span, ascending; every row has at least one."""
    starts: Int64[np.ndarray, " spans"]
    stops: Int64[np.ndarray, " spans"]
    columns: Int64[np.ndarray, " spans"]
    """Where each span starts in its row."""
    closes: Int64[np.ndarray, " spans"]
    """Where its `[SEP]` stands."""

    @classmethod
    def of(
        cls,
        rows: Int64[np.ndarray, " spans"],
        starts: Int64[np.ndarray, " spans"],
        stops: Int64[np.ndarray, " spans"],
    ) -> Spans:
        """Line up the spans of each row."""
        widths = stops - starts + 1
        before = np.cumsum(widths) - widths
        columns = 1 + before - before[np.searchsorted(rows, rows)]
        return cls(rows, starts, stops, columns, columns + widths - 1)

    def lengths(self) -> Int64[np.ndarray, " rows"]:
        """Count the tokens of each row, special ones included."""
        lengths = np.empty(int(self.rows[-1]) + 1, dtype=np.int64)
        lengths[self.rows] = self.closes + 1  # the last span of a row is written last
        return lengths

    def of_rows(self, rows: Int64[np.ndarray, " taken"]) -> Int64[np.ndarray, " taken_spans"]:
        """Find the spans of some rows, in the order given."""
        first = np.searchsorted(self.rows, rows)
        return ragged_range(first, np.searchsorted(self.rows, rows, side="right") - first)

    def take(self, rows: Int64[np.ndarray, " taken"]) -> Spans:
        """Take some rows, in the order given, and number them anew."""
        spans = self.of_rows(rows)
        numbers = np.empty(int(self.rows[-1]) + 1, dtype=np.int64)
        numbers[rows] = np.arange(len(rows))
        own_rows, *others = (part[spans] for part in self)
        return Spans(numbers[own_rows], *others)

    def tokens_at(
        self, rows: Int64[np.ndarray, " places"], columns: Int64[np.ndarray, " places"]
    ) -> Int64[np.ndarray, " places"]:
        """Find which token of the corpus stands at places of the rows that hold one."""
        width = int(self.closes.max()) + 1
        places = self.rows * width + self.columns
        span = np.searchsorted(places, rows * width + columns, side="right") - 1
        return self.starts[span] + columns - self.columns[span]

    def scatter(
        self, values: Shaped[np.ndarray, " tokens"], target: Shaped[np.ndarray, "rows seq"]
    ) -> None:
        """Copy what belongs to the tokens of the corpus to their places in the rows."""
        assert target.flags.c_contiguous, "so that what follows is a view of the rows"
        flat, before = target.reshape(-1), self.rows * target.shape[1]
        bounds = (self.starts, self.stops, before + self.columns, before + self.closes)
        # A copy for each span is faster than one gather: the tokens of a span lie side by side.
        for start, stop, column, close in zip(*(each.tolist() for each in bounds), strict=True):
            flat[column:close] = values[start:stop]


class Rows(NamedTuple):
    """Rows of ids, before and after masking."""

    input_ids: Int64[np.ndarray, "batch seq"]
    lengths: Int64[np.ndarray, " batch"]
    segment_ids: Int64[np.ndarray, "batch seq"] | None


def lay_out(
    spans: Spans,
    tokens: Shaped[np.ndarray, " tokens"],
    vocabulary: Vocabulary,
    *,
    segments: bool,
    pairs: bool,
    seq: int | None = None,
) -> Rows:
    """Place spans and special tokens in rows.

    Args:
        spans: What each row holds, longest rows first.
        tokens: The tokens of the corpus.
        vocabulary: The special ids.
        segments: Give segment ids: 1 to B, 0 to all else. False: none.
        pairs: Whether what lies behind the first `[SEP]` is a B.
        seq: Columns, in tokens. None: as many as the first row has.

    Returns:
        The rows, unmasked.
    """
    lengths = spans.lengths()
    seq = seq or int(lengths[0])
    input_ids = np.full((len(lengths), seq), vocabulary.pad_id)
    input_ids[:, 0] = vocabulary.cls_id
    input_ids[spans.rows, spans.closes] = vocabulary.sep_id
    spans.scatter(tokens, input_ids)
    if not (segments and pairs):
        return Rows(input_ids, lengths, np.zeros_like(input_ids) if segments else None)
    columns = np.arange(seq)
    first = spans.closes[np.searchsorted(spans.rows, np.arange(len(lengths)))]
    second = (columns > first[:, None]) & (columns < lengths[:, None])
    return Rows(input_ids, lengths, second.astype(np.int64))


class Slots(NamedTuple):
    """What the heads read: slot 0 is `[CLS]`, the others are to be predicted."""

    positions: Int64[np.ndarray, "batch slots"]
    """0, which is `[CLS]`, in slot 0 and in slots without use."""
    labels: Int64[np.ndarray, "batch slots"]
    counts: Int64[np.ndarray, " batch"]
    """Tokens to predict."""


def line_up(choice: Choice, labels: Int64[np.ndarray, " chosen"]) -> Slots:
    """Give each row a slot for each of its chosen tokens, behind the one for `[CLS]`."""
    shape = len(choice.used), 1 + choice.used.shape[1]
    positions = np.zeros(shape, dtype=np.int64)
    positions[:, 1:][choice.used] = choice.columns
    slot_labels = np.full(shape, IGNORE_INDEX)
    slot_labels[:, 1:][choice.used] = labels
    return Slots(positions, slot_labels, np.bincount(choice.rows, minlength=len(choice.used)))


def attention_mask(
    lengths: Int64[np.ndarray, " batch"], seq: int
) -> Bool[np.ndarray, "batch seq"]:
    """Mark the real tokens of each row."""
    # Of 16 bits, because a quarter of the bytes takes a quarter of the time; lengths fit.
    return np.arange(seq, dtype=np.uint16) < lengths.astype(np.uint16)[:, None]


def to_tensor(array: Shaped[np.ndarray, "..."] | None) -> Any:
    """Hand an array to torch without a copy; None stays None."""
    return None if array is None else torch.from_numpy(array)


def to_batch(
    rows: Rows, slots: Slots, next_sentence_labels: Int64[np.ndarray, " batch"] | None
) -> Batch:
    """Make one batch of rows, as the model reads it."""
    seq = rows.input_ids.shape[1]
    padded = bool((rows.lengths < seq).any())
    return Batch(
        input_ids=to_tensor(rows.input_ids),
        segment_ids=to_tensor(rows.segment_ids),
        attention_mask=to_tensor(attention_mask(rows.lengths, seq)) if padded else None,
        positions=to_tensor(slots.positions),
        labels=to_tensor(slots.labels),
        next_sentence_labels=to_tensor(next_sentence_labels),
    )


def with_documents(batch: Batch, documents: Int64[np.ndarray, " chosen"]) -> HeldOutBatch:
    """Tell the document of each token that is predicted, given row after row."""
    by_slot = torch.zeros_like(batch.labels)
    by_slot[batch.labels != IGNORE_INDEX] = torch.from_numpy(documents)
    return HeldOutBatch(batch, by_slot)
