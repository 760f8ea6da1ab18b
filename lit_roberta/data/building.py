"""Any examples at any visits, as masked rows: what the stream, the evaluation and the datasets share.

In: numbers of examples and their visits. Out: the arrays of a batch, longest rows first. What a row holds
depends on its example and its visit alone, never on the other rows, so that no rank, worker or micro-batch
can change it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.data.choosing import choose_tokens
from lit_roberta.data.collation import Rows, Slots, Spans, lay_out
from lit_roberta.data.masking import MaskingConfig, corrupt
from lit_roberta.data.packing import Examples
from lit_roberta.data.pairs import draw_pairs
from lit_roberta.data.pieces import ragged_range
from lit_roberta.data.store import TokenizedCorpus
from lit_roberta.data.vocabulary import Vocabulary


class BuiltRows(NamedTuple):
    """A batch of masked rows, longest first."""

    rows: Rows
    spans: Spans
    slots: Slots
    next_sentence_labels: Int64[np.ndarray, " batch"] | None


@dataclass(frozen=True, kw_only=True)
class ExampleBuilder:
    """Builds examples of one corpus under one recipe. Plain data, so that workers can be sent one."""

    corpus: TokenizedCorpus
    examples: Examples
    vocabulary: Vocabulary
    masking: MaskingConfig | None
    """None: nothing is masked and nothing predicted."""
    seed: int
    segments: bool
    """Whether B gets segment 1. False: segment 0 everywhere."""

    @property
    def pairs(self) -> bool:
        """Whether the examples are pairs."""
        return self.examples.partners is not None

    def build(
        self,
        numbers: Int64[np.ndarray, " batch"],
        visits: Int64[np.ndarray, " batch"],
        *,
        num_fillers: int = 0,
        seq: int | None = None,
    ) -> BuiltRows:
        """Build examples as masked rows, longest first.

        Args:
            numbers: Which examples.
            visits: Which visit of each: the key of its mask and of its random B.
            num_fillers: Rows of `[CLS] [SEP]`, behind all others, with nothing to predict.
            seq: Columns, in tokens. None: as many as the longest row has.

        Returns:
            The rows.
        """
        spans, labels = self._spans(numbers, visits)
        order = np.argsort(-spans.lengths(len(numbers)), kind="stable")
        spans, numbers, visits = spans.take(order), numbers[order], visits[order]
        labels = None if labels is None else labels[order]
        if num_fillers:
            rows, nothing = np.arange(num_fillers) + len(numbers), np.zeros(num_fillers, int)
            spans = Spans(*map(np.append, spans, (rows, nothing, nothing)))
            numbers, visits = np.append(numbers, nothing), np.append(visits, nothing)
            labels = None if labels is None else np.append(labels, nothing + IGNORE_INDEX)
        rows = lay_out(
            spans,
            self.corpus.tokens,
            self.vocabulary,
            segments=self.segments and self.pairs,
            seq=seq,
        )
        return BuiltRows(rows, spans, self._mask(rows, spans, numbers, visits), labels)

    def _spans(
        self, numbers: Int64[np.ndarray, " batch"], visits: Int64[np.ndarray, " batch"]
    ) -> tuple[Spans, Int64[np.ndarray, " batch"] | None]:
        """Find what each row holds, and its next-sentence label."""
        if not self.pairs:
            return single_spans(self.examples, numbers), None
        *spans, labels = draw_pairs(self.examples, numbers, visits, seed=self.seed)
        return pair_spans(*spans), labels

    def _mask(
        self,
        rows: Rows,
        spans: Spans,
        numbers: Int64[np.ndarray, " batch"],
        visits: Int64[np.ndarray, " batch"],
    ) -> Slots:
        """Choose tokens of each row and corrupt them, in place."""
        if self.masking is None:
            nothing = np.zeros((len(numbers), 0), dtype=np.int64)
            return Slots.of(nothing, nothing)
        word_starts = None
        if self.masking.whole_word:
            word_starts = np.zeros(rows.input_ids.shape, dtype=bool)
            spans.scatter(self.corpus.word_starts, word_starts)
        choice = choose_tokens(
            self.vocabulary.maskable[rows.input_ids],
            rate=self.masking.rate,
            seed=self.seed,
            examples=numbers,
            visits=visits,
            word_starts=word_starts,
        )
        labels = corrupt(rows.input_ids, choice, masking=self.masking, vocabulary=self.vocabulary)
        return Slots.of(choice.positions, labels)


def single_spans(examples: Examples, numbers: Int64[np.ndarray, " batch"]) -> Spans:
    """Cut examples of a single format at the document boundaries inside."""
    starts, stops = examples.starts[numbers], examples.stops[numbers]
    first, inside = examples.inner_boundaries(starts, stops)
    rows = np.repeat(np.arange(len(numbers)), inside + 1)
    # The borders of a row are its start, the boundaries inside, and its stop; spans lie between two.
    borders = examples.pieces.document_token_offsets
    boundaries = ragged_range(first - 1, inside + 1)
    return Spans(
        rows,
        np.maximum(borders[boundaries], starts[rows]),
        np.minimum(borders[boundaries + 1], stops[rows]),
    )


def pair_spans(
    starts: Int64[np.ndarray, " batch"],
    stops: Int64[np.ndarray, " batch"],
    next_starts: Int64[np.ndarray, " batch"],
    next_stops: Int64[np.ndarray, " batch"],
) -> Spans:
    """Put A and B side by side."""
    return Spans(
        np.repeat(np.arange(len(starts)), 2),
        np.stack([starts, next_starts], axis=1).ravel(),
        np.stack([stops, next_stops], axis=1).ravel(),
    )
