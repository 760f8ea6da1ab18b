"""Items: examples as rows of ids, which is what a model is trained and judged on.

In: texts in tokens. Out: rows between control tokens, as long as the model takes; batches of them.
It knows no task: what a label means is the task's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Int32, Shaped

from lit_roberta.batch import IGNORE_INDEX, Cut, TaskBatch
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained


class Row(NamedTuple):
    """Ids as the model reads them, control tokens included."""

    input_ids: Int32[np.ndarray, " seq"]
    second: int
    """Where the second segment begins; as long as the row where there is none."""


class Item(NamedTuple):
    """What has a label of its own: an example, or a window of one that is too long for a row."""

    rows: tuple[Row, ...]
    """One; or one for each of several texts to choose from."""
    labels: Shaped[np.ndarray, "*places"]
    example: int
    """The number of its example."""
    is_cut: bool = False
    """Whether text of it had no room in the row."""
    spans: Any = None
    """What leads from the places of the row back to the text, where a task needs it."""

    @property
    def seq(self) -> int:
        """Tokens of its longest row."""
        return max(len(row.input_ids) for row in self.rows)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """How texts become rows, in the way of a family of models.

    ::

        BERT's pair:     [CLS] A [SEP] B [SEP]            segments 0 and 1
        RoBERTa's pair:  [CLS] A [SEP] [SEP] B [SEP]      segment 0 everywhere
    """

    tokenizer: Tokenizer
    family: Family
    max_length: int
    """Tokens of a row, control tokens included."""
    segments: bool
    """Whether a second text has a segment of its own."""

    @classmethod
    def of(cls, pretrained: Pretrained, tokenizer: Tokenizer, *, max_length: int) -> Layout:
        """Give the way of a model.

        Args:
            pretrained: The model.
            tokenizer: Its own.
            max_length: Tokens of a row, control tokens included.
        """
        is_bert = pretrained.family == "bert" and pretrained.encoder.type_vocab_size > 1
        return cls(
            tokenizer=tokenizer,
            family=pretrained.family,
            max_length=max_length,
            segments=is_bert,
        )

    def __post_init__(self) -> None:
        if self.max_length < self.num_control(pair=True) + 2:
            rule = f"be {self.num_control(pair=True) + 2} or more"
            remedy = "A row has control tokens, and room for a token of each text."
            raise must("data.max_length", rule, self.max_length, remedy)

    def num_control(self, *, pair: bool) -> int:
        """Count the control tokens of a row."""
        if not pair:
            return 2
        return 4 if self.family == "roberta" else 3

    def row(self, first: Sequence[int], second: Sequence[int] | None = None) -> Row:
        """Lay out tokens that fit, between control tokens.

        Args:
            first: Ids of the first text.
            second: Ids of the second; None for a single text.
        """
        vocabulary = self.tokenizer.vocabulary
        cls_id, sep_id = vocabulary.cls_id, vocabulary.sep_id
        head = [cls_id, *first, sep_id]
        if second is None:
            return Row(np.array(head, dtype=np.int32), len(head))
        middle = [sep_id] if self.family == "roberta" else []
        ids = [*head, *middle, *second, sep_id]
        return Row(np.array(ids, dtype=np.int32), len(head) if self.segments else len(ids))

    def cut(self, first: int, second: int | None = None) -> tuple[int, int]:
        """Say how many tokens of two texts a row has room for, beginning with the first of each.

        Args:
            first: Tokens of the first.
            second: Tokens of the second; None for a single text.

        Returns:
            What is kept of each. The longer one loses as much as makes them equal before the
            other one loses any, as in Hugging Face's `longest_first`.

        Example:
            >>> from lit_roberta import Tokenizer, TokenizerConfig
            >>> words = Tokenizer.train(["a b", "a b"], TokenizerConfig(kind="word"))
            >>> layout = Layout(tokenizer=words, family="bert", max_length=13, segments=True)
            >>> layout.cut(20), layout.cut(3, 20), layout.cut(20, 20), layout.cut(2, 3)
            ((11, 0), (3, 7), (5, 5), (2, 3))
        """
        room = self.max_length - self.num_control(pair=second is not None)
        if second is None:
            return min(first, room), 0
        if first + second <= room:
            return first, second
        shorter = min(first, second, room // 2)
        longer = min(max(first, second), room - shorter)
        return (shorter, longer) if first <= second else (longer, shorter)

    def lay_out(
        self, first: Sequence[int], second: Sequence[int] | None = None
    ) -> tuple[Row, bool]:
        """Lay out as much of two texts as there is room for, and say whether any was cut."""
        kept, kept_second = self.cut(len(first), None if second is None else len(second))
        is_cut = kept < len(first) or (second is not None and kept_second < len(second))
        return self.row(first[:kept], None if second is None else second[:kept_second]), is_cut


def make_batch(items: Sequence[Item], *, pad_id: int, segments: bool) -> TaskBatch:
    """Make one batch of items.

    Args:
        items: At least one; all have as many rows, and labels of one shape but for their length.
        pad_id: Of the vocabulary.
        segments: Whether a second text has a segment of its own.
    """
    rows = [row for item in items for row in item.rows]
    lengths = np.array([len(row.input_ids) for row in rows])
    seq = int(lengths.max())
    input_ids = np.full((len(rows), seq), pad_id)
    for number, row in enumerate(rows):
        input_ids[number, : len(row.input_ids)] = row.input_ids
    places = np.arange(seq)
    mask = places < lengths[:, None]
    seconds = np.array([row.second for row in rows])
    in_second = (places >= seconds[:, None]) & mask
    shape = (len(items), len(items[0].rows), seq) if len(items[0].rows) > 1 else (len(items), seq)
    return TaskBatch(
        input_ids=torch.from_numpy(input_ids).view(shape),
        segment_ids=_segments(in_second, shape) if segments else None,
        attention_mask=torch.from_numpy(mask).view(shape) if not mask.all() else None,
        labels=torch.from_numpy(_stack([item.labels for item in items])),
    )


def cut_into_micro_batches(
    items: Sequence[Item], *, at_once: int, by_place: bool
) -> Iterator[Cut]:
    """Say where to cut a batch, so that each part is as narrow as it can be.

    Args:
        items: The longest first.
        at_once: The most items of a part.
        by_place: Whether each place of a row has a label.
    """
    for start in range(0, len(items), at_once):
        part = items[start : start + at_once]
        seq = part[0].seq
        lengths = [len(row.input_ids) for item in part for row in item.rows]
        yield Cut(
            start=start,
            stop=start + len(part),
            seq=seq,
            slots=seq if by_place else 0,
            padded=min(lengths) < seq,
        )


def without_label(item: Item) -> Item:
    """Give an item that no loss and no metric counts."""
    is_number = np.issubdtype(item.labels.dtype, np.floating)
    return item._replace(labels=np.full_like(item.labels, np.nan if is_number else IGNORE_INDEX))


def _segments(in_second: Shaped[np.ndarray, "rows seq"], shape: tuple[int, ...]) -> torch.Tensor:
    return torch.from_numpy(in_second.astype(np.int64)).view(shape)


def _stack(labels: Sequence[Shaped[np.ndarray, "..."]]) -> Shaped[np.ndarray, "batch ..."]:
    """Stack labels; where rows have a label for each place, pad them to the longest row."""
    longest = max((len(each) for each in labels if each.ndim), default=0)
    padded = [
        np.append(each, np.full(longest - len(each), IGNORE_INDEX)) if each.ndim else each
        for each in labels
    ]
    return np.stack(padded)
