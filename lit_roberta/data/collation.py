"""Spans of tokens to rows: special tokens placed, rows padded, masks applied, tensors at the very end.

In: examples and visits. Out: the arrays of a batch, longest rows first. What a row holds depends on its
example and its visit alone, never on the other rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Int64, Shaped

from lit_roberta.batch import IGNORE_INDEX, Batch
from lit_roberta.data.pieces import ragged_range
from lit_roberta.data.vocabulary import Vocabulary


class Spans(NamedTuple):
    """Rows as spans of the corpus: `[CLS]`, then each span closed by a `[SEP]`."""

    rows: Int64[np.ndarray, " spans"]
    """The row of each span, ascending; every row has at least one."""
    starts: Int64[np.ndarray, " spans"]
    stops: Int64[np.ndarray, " spans"]

    def columns(self) -> Int64[np.ndarray, " spans"]:
        """Find the column at which each span starts."""
        widths = self.stops - self.starts + 1
        before = np.cumsum(widths) - widths
        first = np.searchsorted(self.rows, self.rows)
        return 1 + before - before[first]

    def lengths(self, num_rows: int) -> Int64[np.ndarray, " rows"]:
        """Count the tokens of each row, special ones included."""
        widths = self.stops - self.starts + 1
        return 1 + np.bincount(self.rows, widths, minlength=num_rows).astype(np.int64)

    def of_rows(
        self, rows: Int64[np.ndarray, " taken"]
    ) -> tuple[Int64[np.ndarray, " taken_spans"], Int64[np.ndarray, " taken_spans"]]:
        """Find the spans of some rows, and which of those rows each belongs to."""
        first = np.searchsorted(self.rows, rows)
        counts = np.searchsorted(self.rows, rows, side="right") - first
        return ragged_range(first, counts), np.repeat(np.arange(len(rows)), counts)

    def take(self, rows: Int64[np.ndarray, " taken"]) -> Spans:
        """Take some rows, in the order given."""
        spans, owners = self.of_rows(rows)
        return Spans(owners, self.starts[spans], self.stops[spans])

    def tokens_at(
        self, rows: Int64[np.ndarray, " places"], columns: Int64[np.ndarray, " places"]
    ) -> Int64[np.ndarray, " places"]:
        """Find which token of the corpus stands at places of the rows that hold one."""
        first_columns = self.columns()
        width = int(max(first_columns.max(), columns.max(initial=0))) + 1
        spans = self.rows * width + first_columns
        span = np.searchsorted(spans, rows * width + columns, side="right") - 1
        return self.starts[span] + columns - first_columns[span]

    def scatter(
        self,
        values: Shaped[np.ndarray, " tokens"],
        target: Shaped[np.ndarray, "rows seq"],
    ) -> None:
        """Copy what belongs to the tokens of the corpus to their places in the rows."""
        columns = self.columns().tolist()
        for row, column, start, stop in zip(
            self.rows.tolist(), columns, self.starts.tolist(), self.stops.tolist(), strict=True
        ):
            target[row, column : column + stop - start] = values[start:stop]


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
    seq: int | None = None,
) -> Rows:
    """Place spans and special tokens in rows.

    Args:
        spans: What each row holds.
        tokens: The tokens of the corpus.
        vocabulary: The special ids.
        segments: Give what lies behind the first `[SEP]` segment 1. False: no segment ids.
        seq: Columns, in tokens. None: as many as the longest row has.

    Returns:
        The rows, unmasked.
    """
    num_rows = int(spans.rows[-1]) + 1
    lengths = spans.lengths(num_rows)
    seq = seq or int(lengths.max())
    input_ids = np.full((num_rows, seq), vocabulary.pad_id)
    input_ids[:, 0] = vocabulary.cls_id
    closes = spans.columns() + spans.stops - spans.starts
    input_ids[spans.rows, closes] = vocabulary.sep_id
    spans.scatter(tokens, input_ids)
    if not segments:
        return Rows(input_ids, lengths, None)
    columns = np.arange(seq)
    first = closes[np.searchsorted(spans.rows, np.arange(num_rows))]
    second = (columns > first[:, None]) & (columns < lengths[:, None])
    return Rows(input_ids, lengths, second.astype(np.int64))


class Slots(NamedTuple):
    """What the heads read: slot 0 is `[CLS]`, the others are to be predicted."""

    positions: Int64[np.ndarray, "batch slots"]
    labels: Int64[np.ndarray, "batch slots"]

    @classmethod
    def of(
        cls,
        positions: Int64[np.ndarray, "batch chosen"],
        labels: Int64[np.ndarray, "batch chosen"],
    ) -> Slots:
        """Put slot 0 in front; unused positions are 0 already, which is `[CLS]`."""
        shape = len(positions), positions.shape[1] + 1
        slots = cls(np.zeros(shape, dtype=np.int64), np.full(shape, IGNORE_INDEX))
        slots.positions[:, 1:] = positions
        slots.labels[:, 1:] = labels
        return slots


def attention_mask(
    lengths: Int64[np.ndarray, " batch"], seq: int
) -> Bool[np.ndarray, "batch seq"]:
    """Mark the real tokens of each row."""
    return np.arange(seq) < lengths[:, None]


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
