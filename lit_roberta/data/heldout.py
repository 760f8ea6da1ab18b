"""Text to judge a model by, as batches: held-out text, trained text, and pairs.

In: a part of the corpus. Out: batches that say which document each prediction belongs to. Nothing here
depends on how many sequences are scored at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Int64
from torch.utils.data import Dataset

from lit_roberta.batch import IGNORE_INDEX, HeldOutBatch
from lit_roberta.data.building import ExampleBuilder
from lit_roberta.data.choosing import Choice
from lit_roberta.data.collation import Slots, Spans, lay_out, to_batch, to_tensor
from lit_roberta.data.heldout_masks import (
    HELD_OUT_SEED,
    NEVER,
    held_out_masks,
    num_draws,
    sample_documents,
    select_documents,
)
from lit_roberta.data.heldout_rows import HeldOutRows, lay_out_held_out
from lit_roberta.data.masking import MaskingConfig, corrupt
from lit_roberta.data.packing import PAIR_FORMATS, Examples, Format, PackingConfig, pack
from lit_roberta.data.store import TokenizedCorpus
from lit_roberta.data.vocabulary import Vocabulary
from lit_roberta.errors import must
from lit_roberta.randomness import Purpose, random_bits


class _Plan(NamedTuple):
    """Which rows one batch holds, under which draw."""

    draw: int
    rows: Int64[np.ndarray, " batch"]


class HeldOutDataset(Dataset[HeldOutBatch]):
    """Held-out text under fixed masks.

    Over all draws every maskable token is predicted exactly once, and the same tokens in every format.

    Args:
        corpus: A held-out part of the text.
        vocabulary: The special ids.
        format: The input format; B is always the true next.
        max_length: Longest row, in tokens, special tokens included.
        masking: Rate and shares; its copies are not read, because held-out masks never move.
        batch_size: Rows scored at once.
        segments: Whether B gets segment 1: only for a model that was trained on pairs.
        draws: How many of the draws, from the first. None: all, so that each token is predicted once.
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
        self._segments = segments and format in PAIR_FORMATS
        self._masks = held_out_masks(
            self._corpus, vocabulary, documents=documents, masking=masking
        )
        self._rows = lay_out_held_out(self._corpus, format=format, max_length=max_length)
        self._plans = self._plan(batch_size)

    def __len__(self) -> int:
        return len(self._plans)

    def __getitem__(self, index: int) -> HeldOutBatch:
        plan = self._plans[index]
        taken = self._rows.take(plan.rows)
        rows = lay_out(taken.spans, self._corpus.tokens, self._vocabulary, segments=self._segments)
        drawn = np.full(rows.input_ids.shape, NEVER)
        taken.spans.scatter(self._masks.draws, drawn)
        _blank(drawn, taken)
        where, columns = np.nonzero(drawn == plan.draw)
        tokens = taken.spans.tokens_at(where, columns)
        counts = np.bincount(where, minlength=len(drawn))
        used = np.arange(counts.max(initial=0)) < counts[:, None]
        positions, words, bits = (np.zeros(used.shape, dtype) for dtype in ("i8", "u8", "u8"))
        positions[used] = columns
        words[used] = self._masks.bits(self._masks.firsts[tokens])
        bits[used] = self._masks.bits(tokens)
        choice = Choice(positions, used, words, bits)
        labels = corrupt(
            rows.input_ids, choice, masking=self._masking, vocabulary=self._vocabulary
        )
        documents = np.zeros((len(used), used.shape[1] + 1), dtype=np.int64)
        documents[:, 1:][used] = self._masks.documents[tokens]
        return HeldOutBatch(
            to_batch(rows, Slots.of(positions, labels), None), to_tensor(documents)
        )

    def _plan(self, batch_size: int) -> list[_Plan]:
        """Take, for each draw, the rows in which it predicts something, longest first."""
        spans, predicted = self._rows
        lengths = spans.lengths(int(spans.rows[-1]) + 1)
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
    columns = spans.columns()[context]
    widths = (spans.stops - spans.starts)[context]
    for row, column, width in zip(spans.rows[context], columns, widths, strict=True):
        drawn[row, column : column + width] = NEVER


class _ExampleBatches(Dataset[HeldOutBatch]):
    """Examples at one visit, in batches."""

    def __init__(
        self,
        builder: ExampleBuilder,
        numbers: Int64[np.ndarray, " examples"],
        *,
        batch_size: int,
        visit: int,
    ) -> None:
        self._builder = builder
        order = np.argsort(-builder.examples.lengths[numbers], kind="stable")
        self._numbers = numbers[order]
        self._batch_size = batch_size
        self._visit = visit

    def __len__(self) -> int:
        return -(-len(self._numbers) // self._batch_size)

    def __getitem__(self, index: int) -> HeldOutBatch:
        if not 0 <= index < len(self):
            raise IndexError(index)
        numbers = self._numbers[index * self._batch_size :][: self._batch_size]
        built = self._builder.build(numbers, np.full_like(numbers, self._visit))
        batch = to_batch(built.rows, built.slots, built.next_sentence_labels)
        used = built.slots.labels != IGNORE_INDEX
        where, slots = np.nonzero(used)
        tokens = built.spans.tokens_at(where, built.slots.positions[where, slots])
        documents = np.zeros(used.shape, dtype=np.int64)
        borders = self._builder.examples.pieces.document_token_offsets
        documents[used] = np.searchsorted(borders, tokens, side="right") - 1
        return HeldOutBatch(batch, to_tensor(documents))


class VisitDataset(_ExampleBatches):
    """Training examples as one visit shows them: their own masks, or masks that no run has shown.

    Args:
        corpus: The training text.
        examples: Its examples, as packed.
        vocabulary: The special ids.
        packing: The format that the examples were packed in.
        masking: How tokens are chosen and replaced.
        batch_size: Rows scored at once.
        seed: The run's seed.
        segments: Whether B gets segment 1.
        visit: The visit: key of the masks and of the random Bs.
        max_tokens: Only as many examples as hold so many tokens, in hash order, and at least one. None: all.
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
        seed: int,
        segments: bool,
        visit: int,
        max_tokens: int | None = None,
    ) -> None:
        builder = ExampleBuilder(
            corpus=corpus,
            examples=examples,
            vocabulary=vocabulary,
            masking=masking,
            seed=seed,
            segments=segments and packing.format in PAIR_FORMATS,
        )
        numbers = np.arange(len(examples))
        if max_tokens is not None:
            order = np.argsort(random_bits(HELD_OUT_SEED, Purpose.SAMPLE, numbers), kind="stable")
            total = np.cumsum(examples.lengths[order])
            numbers = order[: max(1, int(np.searchsorted(total, max_tokens, side="right")))]
        super().__init__(builder, numbers, batch_size=batch_size, visit=visit)


class PairDataset(_ExampleBatches):
    """Held-out pairs, half of them with a random B, to score next-sentence prediction. Nothing is masked.

    Args:
        corpus: A held-out part of the text.
        vocabulary: The special ids.
        packing: A pair format.
        batch_size: Rows scored at once.

    Raises:
        UserError: If the part has too few documents for random Bs.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        vocabulary: Vocabulary,
        *,
        packing: PackingConfig,
        batch_size: int,
    ) -> None:
        examples = pack(corpus, packing, seed=HELD_OUT_SEED)
        builder = ExampleBuilder(
            corpus=corpus,
            examples=examples,
            vocabulary=vocabulary,
            masking=None,
            seed=HELD_OUT_SEED,
            segments=True,
        )
        super().__init__(builder, np.arange(len(examples)), batch_size=batch_size, visit=0)
