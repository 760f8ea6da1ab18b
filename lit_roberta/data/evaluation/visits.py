"""Examples as one visit shows them: trained text under its own masks or fresh ones, and pairs.

In: packed examples. Out: batches that say which document each prediction belongs to.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64
from torch.utils.data import Dataset

from lit_roberta.batch import IGNORE_INDEX, HeldOutBatch
from lit_roberta.data.evaluation.heldout_masks import HELD_OUT_SEED
from lit_roberta.data.evaluation.sampling import first_by_hash
from lit_roberta.data.examples.keys import visit_keys
from lit_roberta.data.examples.packing import Examples, PackingConfig, pack
from lit_roberta.data.rows.building import ExampleBuilder
from lit_roberta.data.rows.collation import to_batch, with_documents
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary


class _ExampleBatches(Dataset[HeldOutBatch]):
    """Examples at one visit, in batches."""

    def __init__(
        self,
        builder: ExampleBuilder,
        numbers: Int64[np.ndarray, " examples"],
        *,
        batch_size: int,
        seed: int,
        visit: int,
    ) -> None:
        self._builder = builder
        order = np.argsort(-builder.examples.lengths_of(numbers), kind="stable")
        self._numbers = numbers[order]
        self._keys = visit_keys(self._numbers, np.array(visit), seed=seed)
        self._batch_size = batch_size

    def __len__(self) -> int:
        return -(-len(self._numbers) // self._batch_size)

    def __getitem__(self, index: int) -> HeldOutBatch:
        first = range(0, len(self._numbers), self._batch_size)[index]
        batch = slice(first, first + self._batch_size)
        built = self._builder.build(self._numbers[batch], self._keys[batch])
        rows, slots = np.nonzero(built.slots.labels != IGNORE_INDEX)
        tokens = built.spans.tokens_at(rows, built.slots.positions[rows, slots])
        return with_documents(
            to_batch(built.rows, built.slots, built.next_sentence_labels),
            self._builder.examples.documents_of(tokens),
        )


class VisitDataset(_ExampleBatches):
    """Training examples as one visit shows them: their own masks, or masks that no run has shown.

    Args:
        corpus: The training text.
        examples: Its examples, as packed.
        vocabulary: The special ids.
        masking: How tokens are chosen and replaced.
        batch_size: Rows scored at once.
        seed: The run's seed.
        segments: Whether B gets segment 1.
        visit: The visit: key of the masks and of the random Bs.
        max_tokens: Only as many examples as hold so many tokens, in hash order, and at least one.
            None: all.
    """

    def __init__(
        self,
        corpus: TokenizedCorpus,
        examples: Examples,
        vocabulary: Vocabulary,
        *,
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
            segments=segments,
        )
        numbers = _first_examples(examples, max_tokens=max_tokens)
        super().__init__(builder, numbers, batch_size=batch_size, seed=seed, visit=visit)


def _first_examples(examples: Examples, *, max_tokens: int | None) -> Int64[np.ndarray, " taken"]:
    """Take examples in hash order, as many as hold `max_tokens`, and at least one."""
    if max_tokens is None:
        return np.arange(len(examples))
    # None has fewer than the two special tokens, so more of them can't fit.
    order = first_by_hash(len(examples), at_most=max(1, max_tokens // 2))
    total = np.cumsum(examples.lengths_of(order))
    return order[: max(1, int(np.searchsorted(total, max_tokens, side="right")))]


class PairDataset(_ExampleBatches):
    """Held-out pairs, half of them with a random B, to score next-sentence prediction.

    Nothing is masked.

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
            segments=True,
        )
        super().__init__(
            builder,
            np.arange(len(examples)),
            batch_size=batch_size,
            seed=HELD_OUT_SEED,
            visit=0,
        )
