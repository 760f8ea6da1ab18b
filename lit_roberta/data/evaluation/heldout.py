"""Held-out text as batches, in any input format, under masks that never move.

In: a part of the corpus. Out: batches that say which document each prediction belongs to. Nothing
here depends on how many sequences are scored at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Int64
from torch.utils.data import Dataset

from lit_roberta.batch import HeldOutBatch
from lit_roberta.data.evaluation.heldout_masks import NEVER, held_out_masks, num_draws
from lit_roberta.data.evaluation.heldout_rows import HeldOutRows, lay_out_held_out
from lit_roberta.data.evaluation.sampling import sample_documents, select_documents
from lit_roberta.data.examples.packing import PAIR_FORMATS, Format
from lit_roberta.data.rows.choosing import Choice, places_of
from lit_roberta.data.rows.collation import lay_out, line_up, to_batch, with_documents
from lit_roberta.data.rows.masking import MaskingConfig, corrupt
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.errors import must


class _Plan(NamedTuple):
    """Which rows one batch holds, under which draw."""

    draw: int
    rows: Int64[np.ndarray, " batch"]


class _Chosen(NamedTuple):
    """What one batch predicts."""

    rows: HeldOutRows
    places: tuple[Int64[np.ndarray, " predictions"], Int64[np.ndarray, " predictions"]]
    """Row and column of each predicted token, row after row."""
    tokens: Int64[np.ndarray, " predictions"]
    """Which tokens of the corpus these are."""


class WordBounds(NamedTuple):
    """Where in a word predicted tokens stand, by the tokenizer's own words."""

    begins: Bool[np.ndarray, " predictions"]
    ends: Bool[np.ndarray, " predictions"]


class HeldOutDataset(Dataset[HeldOutBatch]):
    """Held-out text under fixed masks.

    Over all draws every maskable token is predicted exactly once, and the same tokens in every
    format.

    Args:
        corpus: A held-out part of the text.
        vocabulary: The special ids.
        format: The input format; B is always the true next.
        max_length: Longest row, in tokens, special tokens included.
        masking: Rate and shares; its copies are not read, because held-out masks never move.
        batch_size: Rows scored at once.
        segments: Whether B gets segment 1, as a model that was trained on pairs expects.
        draws: How many of the draws, from the first. None: all, so that each token is predicted
            once.
        max_tokens: Only as many whole documents as hold so many tokens, in hash order. None: all.

    Raises:
        UserError: If the part is empty, or `draws` is not one of those there are.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        vocabulary: Vocabulary,
        *,
        format: Format,
        max_length: int,
        masking: MaskingConfig,
        batch_size: int,
        segments: bool,
        draws: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        if not corpus.num_tokens:
            raise must("held-out text", "hold at least one sentence", "none", "Give a longer one.")
        self.num_draws = num_draws(masking) if draws is None else draws
        if not 1 <= self.num_draws <= num_draws(masking):
            raise must(
                "draws",
                f"lie between 1 and {num_draws(masking)} at a rate of {masking.rate}",
                draws,
                "Leave it out for all of them.",
            )
        documents = sample_documents(corpus, max_tokens=max_tokens)
        self._corpus = select_documents(corpus, documents)
        self._vocabulary = vocabulary
        self._masking = masking
        self._segments = segments
        self._pairs = format in PAIR_FORMATS
        self._masks = held_out_masks(
            self._corpus, vocabulary, documents=documents, masking=masking
        )
        self._rows = lay_out_held_out(self._corpus, format=format, max_length=max_length)
        self._plans = self._plan(batch_size)

    def __len__(self) -> int:
        return len(self._plans)

    @property
    def tokens_per_word(self) -> float:
        """How many tokens of a word are predicted over all draws, on average.

        A word is what the tokenizer never merges with its neighbours, so that their number does
        not depend on how many words its vocabulary has.
        """
        return float(np.mean(self._masks.draws != NEVER) / np.mean(self._corpus.word_starts))

    def __getitem__(self, index: int) -> HeldOutBatch:
        taken, drawn, tokens = self._chosen(index)
        rows = lay_out(
            taken.spans,
            self._corpus.tokens,
            self._vocabulary,
            segments=self._segments,
            pairs=self._pairs,
        )
        where, columns = drawn
        choice = Choice(
            places_of(np.bincount(where, minlength=len(rows.lengths))),
            where,
            columns,
            self._masks.bits(self._masks.firsts[tokens]),
            self._masks.bits(tokens),
        )
        labels = corrupt(
            rows.input_ids, choice, masking=self._masking, vocabulary=self._vocabulary
        )
        slots = line_up(choice, labels)
        return with_documents(to_batch(rows, slots, None), self._masks.documents[tokens])

    def word_bounds(self, index: int) -> WordBounds:
        """Tell of each token that a batch predicts, row after row, where in a word it stands."""
        tokens = self._chosen(index).tokens
        starts = np.append(self._corpus.word_starts, True)
        return WordBounds(starts[tokens], starts[tokens + 1])

    def _chosen(self, index: int) -> _Chosen:
        """Find what a batch predicts."""
        plan = self._plans[index]
        taken = self._rows.take(plan.rows)
        drawn = np.full((len(plan.rows), int(taken.spans.lengths()[0])), NEVER)
        taken.spans.scatter(self._masks.draws, drawn)
        _blank(drawn, taken)
        where, columns = np.nonzero(drawn == plan.draw)
        return _Chosen(taken, (where, columns), taken.spans.tokens_at(where, columns))

    def _plan(self, batch_size: int) -> list[_Plan]:
        """Take, for each draw, the rows in which it predicts something, longest first."""
        spans, predicted = self._rows
        lengths = spans.lengths()
        plans = []
        for draw in range(self.num_draws):
            before = np.append(0, np.cumsum(self._masks.draws == draw))
            hits = (before[spans.stops] - before[spans.starts]) * predicted
            rows = np.unique(spans.rows[hits > 0])
            rows = rows[np.argsort(-lengths[rows], kind="stable")]
            plans += [
                _Plan(draw, rows[first : first + batch_size])
                for first in range(0, len(rows), batch_size)
            ]
        return plans


def _blank(drawn: Int64[np.ndarray, "batch seq"], rows: HeldOutRows) -> None:
    """Predict nothing in the spans that are context only."""
    spans = rows.spans
    context = np.flatnonzero(~rows.predicted)
    for row, start, stop in zip(
        spans.rows[context], spans.columns[context], spans.closes[context], strict=True
    ):
        drawn[row, start:stop] = NEVER
