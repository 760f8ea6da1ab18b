"""Any examples at any visits as masked rows: what stream, evaluation and datasets share.

In: numbers of examples, and a key for each, hashed from its number and its visit. Out: the arrays
of a batch, longest rows first. What a row holds depends on its example and its key alone, never on
the other rows, so that no rank, worker or micro-batch can change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.data.examples.packing import Examples
from lit_roberta.data.examples.pairs import draw_pairs
from lit_roberta.data.examples.pieces import ragged_range
from lit_roberta.data.rows.choosing import Choice, choose_tokens
from lit_roberta.data.rows.collation import Rows, Slots, Spans, lay_out, line_up
from lit_roberta.data.rows.masking import MaskingConfig, corrupt
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.errors import must


class BuiltRows(NamedTuple):
    """A batch of masked rows, longest first."""

    rows: Rows
    spans: Spans
    slots: Slots
    next_sentence_labels: Int64[np.ndarray, " batch"] | None


class _Plan(NamedTuple):
    """What each row of a batch will hold, and its key."""

    spans: Spans
    keys: UInt64[np.ndarray, " batch"]
    next_sentence_labels: Int64[np.ndarray, " batch"] | None


@dataclass(frozen=True, kw_only=True)
class ExampleBuilder:
    """Builds examples of one corpus under one recipe. Plain data, so it can be sent to workers."""

    corpus: TokenizedCorpus
    examples: Examples
    vocabulary: Vocabulary
    masking: MaskingConfig | None
    """None: nothing is masked and nothing predicted."""
    segments: bool
    """Whether B gets segment 1. False: segment 0 everywhere."""

    def __post_init__(self) -> None:
        if not len(self.vocabulary.ordinary_ids):
            raise must(
                "vocabulary",
                "hold a token that is not a special one",
                f"{self.vocabulary.size} special ones",
                "Make vocab_size larger.",
            )

    def build(
        self,
        numbers: Int64[np.ndarray, " batch"],
        keys: UInt64[np.ndarray, " batch"],
        *,
        num_fillers: int = 0,
        seq: int | None = None,
    ) -> BuiltRows:
        """Build examples as masked rows, longest first.

        Args:
            numbers: Which examples.
            keys: The key of each, from its number and its visit.
            num_fillers: Rows of `[CLS] [SEP]`, behind all others, with nothing to predict.
            seq: Columns, in tokens. None: as many as the longest row has.

        Returns:
            The rows.
        """
        pairs = self.examples.partners is not None
        plan = self._plan_pairs(numbers, keys) if pairs else self._plan_singles(numbers, keys)
        if num_fillers:
            plan = _with_fillers(plan, num_fillers)
        rows = lay_out(
            plan.spans,
            self.corpus.tokens,
            self.vocabulary,
            segments=self.segments,
            pairs=pairs,
            seq=seq,
        )
        return BuiltRows(rows, plan.spans, self._mask(rows, plan), plan.next_sentence_labels)

    def _plan_singles(
        self, numbers: Int64[np.ndarray, " batch"], keys: UInt64[np.ndarray, " batch"]
    ) -> _Plan:
        order = _longest_first(self.examples.lengths_of(numbers))
        return _Plan(single_spans(self.examples, numbers[order]), keys[order], None)

    def _plan_pairs(
        self, numbers: Int64[np.ndarray, " batch"], keys: UInt64[np.ndarray, " batch"]
    ) -> _Plan:
        pairs = draw_pairs(self.examples, numbers, keys)
        order = _longest_first(pairs.stops - pairs.starts + pairs.next_stops - pairs.next_starts)
        spans = Spans.of(
            np.repeat(np.arange(len(numbers)), 2),
            np.stack([pairs.starts[order], pairs.next_starts[order]], axis=1).ravel(),
            np.stack([pairs.stops[order], pairs.next_stops[order]], axis=1).ravel(),
        )
        return _Plan(spans, keys[order], pairs.labels[order])

    def _mask(self, rows: Rows, plan: _Plan) -> Slots:
        """Choose tokens of each row and corrupt them, in place."""
        if self.masking is None:
            nothing = np.empty(0, dtype=np.int64)
            no_bits = nothing.astype(np.uint64)
            unused = np.empty((len(plan.keys), 0), dtype=bool)
            return line_up(Choice(unused, nothing, nothing, no_bits, no_bits), nothing)
        word_starts = None
        if self.masking.whole_word:
            word_starts = np.zeros(rows.input_ids.shape, dtype=bool)
            plan.spans.scatter(self.corpus.word_starts, word_starts)
        choice = choose_tokens(
            self.vocabulary.maskable[rows.input_ids],
            rate=self.masking.rate,
            keys=plan.keys,
            word_starts=word_starts,
        )
        labels = corrupt(rows.input_ids, choice, masking=self.masking, vocabulary=self.vocabulary)
        return line_up(choice, labels)


def single_spans(examples: Examples, numbers: Int64[np.ndarray, " batch"]) -> Spans:
    """Cut examples of a single format at the document boundaries inside."""
    starts, stops = examples.starts[numbers], examples.stops[numbers]
    if examples.config.format != "full-sentences":
        rows, columns = np.arange(len(numbers)), np.ones(len(numbers), dtype=np.int64)
        return Spans(rows, starts, stops, columns, stops - starts + 1)
    first, inside = examples.inner_boundaries(starts, stops)
    rows = np.repeat(np.arange(len(numbers)), inside + 1)
    # A row lies between its start, the boundaries inside and its stop; a span between any two.
    borders = examples.document_token_offsets
    spans = ragged_range(first - 1, inside + 1)
    return Spans.of(
        rows,
        np.maximum(borders[spans], starts[rows]),
        np.minimum(borders[spans + 1], stops[rows]),
    )


def _longest_first(lengths: Int64[np.ndarray, " batch"]) -> Int64[np.ndarray, " batch"]:
    """Order rows by length, so that micro-batches pad little and the largest one comes first."""
    return (-lengths).argsort(kind="stable")


def _with_fillers(plan: _Plan, count: int) -> _Plan:
    """Add rows of one empty span. Nothing of them is maskable, so their keys do not matter."""
    nothing = np.zeros(count, dtype=np.int64)
    rows = np.arange(len(plan.keys), len(plan.keys) + count)
    labels = plan.next_sentence_labels
    return _Plan(
        Spans(*map(np.append, plan.spans, (rows, nothing, nothing, nothing + 1, nothing + 1))),
        np.append(plan.keys, nothing.astype(np.uint64)),
        None if labels is None else np.append(labels, nothing + IGNORE_INDEX),
    )
