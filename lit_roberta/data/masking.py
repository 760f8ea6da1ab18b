"""Which tokens are to be predicted, and what stands there instead: one function for both recipes.

Static and dynamic masking differ in one number. The masks of an example are a function of
`(seed, example, visit)`; dynamic masking (RoBERTa) takes the epoch as the visit, static masking with `c`
copies (BERT) takes `epoch % c`. BERT's own script also draws the split of a pair again for each copy; here
the split is fixed, and copies differ in their masks and their random Bs.

In: rows of ids. Out: the same rows corrupted, with the positions to predict and their labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Int, Int64, Integer, Shaped
from numpy.typing import ArrayLike
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.data.choosing import Choice, choose_tokens
from lit_roberta.data.vocabulary import Vocabulary
from lit_roberta.errors import must
from lit_roberta.randomness import below, mix, unit


@dataclass(frozen=True, kw_only=True)
class MaskingConfig:
    """How many tokens are predicted, how often masks are drawn, and what replaces a token."""

    rate: float = 0.15
    """Share of the maskable tokens of an example that are predicted; at least one token is."""
    copies: int | Literal["dynamic"] | None = None
    """Different masks of an example, used in turn by epoch: BERT 10. None or `dynamic`: a fresh one each epoch."""
    mask_share: float = 0.8
    """Share of the predicted tokens that become `[MASK]`."""
    random_share: float = 0.1
    """Share of the predicted tokens that become a random token; the rest stays as it is."""
    whole_word: bool = False
    """Predict whole words, whose pieces share one fate: all masked, all random or all kept."""

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise must("rate", "lie above 0 and at most at 1", self.rate, "For 15%, give 0.15.")
        if self.copies == "dynamic":
            object.__setattr__(self, "copies", None)
        if self.copies is not None and (not isinstance(self.copies, int) or self.copies < 1):
            raise must(
                "copies", "be at least 1", self.copies, "Give null for a fresh mask each epoch."
            )
        for name in ("mask_share", "random_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise must(name, "lie between 0 and 1", getattr(self, name), "For 80%, give 0.8.")
        if self.mask_share + self.random_share > 1 + 1e-9:
            raise must(
                "mask_share + random_share",
                "be at most 1",
                self.mask_share + self.random_share,
                "Lower one of them.",
            )

    def visit(self, epochs: Int64[np.ndarray, "..."]) -> Int64[np.ndarray, "..."]:
        """Turn epochs into visits: the whole difference between static and dynamic masking."""
        return epochs % self.copies if isinstance(self.copies, int) else epochs


def corrupt(
    input_ids: Int64[np.ndarray, "batch seq"],
    choice: Choice,
    *,
    masking: MaskingConfig,
    vocabulary: Vocabulary,
) -> Int64[np.ndarray, "batch chosen"]:
    """Put `[MASK]`, a random token, or nothing new at the chosen positions, in place.

    Args:
        input_ids: The rows; changed at the chosen positions.
        choice: What to predict.
        masking: The shares of what replaces a token.
        vocabulary: Knows `[MASK]` and the tokens that a random one may be.

    Returns:
        The original tokens at the chosen positions, IGNORE_INDEX where unused.
    """
    rows = np.nonzero(choice.used)[0]
    places = rows, choice.positions[choice.used]
    originals = input_ids[places]
    labels = np.full(choice.used.shape, IGNORE_INDEX)
    labels[choice.used] = originals
    fate = unit(choice.word_bits[choice.used])
    ordinary = vocabulary.ordinary_ids
    random = ordinary[below(mix(choice.token_bits[choice.used]), len(ordinary))]
    replaced = np.where(fate < masking.mask_share + masking.random_share, random, originals)
    input_ids[places] = np.where(fate < masking.mask_share, vocabulary.mask_id, replaced)
    return labels


def dynamic_mask(
    input_ids: Integer[Tensor, "..."],
    special_tokens_mask: Shaped[Tensor, "..."],
    *,
    seed: int,
    example: ArrayLike,
    epoch: ArrayLike,
    masking: MaskingConfig | None = None,
    vocabulary: Vocabulary | None = None,
) -> tuple[Int[Tensor, "..."], Int[Tensor, "..."]]:
    """Mask rows anew in each epoch, as RoBERTa does.

    Args:
        input_ids: One row `[seq]`, or several `[batch, seq]`.
        special_tokens_mask: True (or 1) at special tokens and padding, which are never chosen.
        seed: The run's seed.
        example: Number of the row's example; for several rows an array `[batch]`.
        epoch: The epoch, or one for each row.
        masking: Rate and shares; None for 15% and 80/10/10. Its `copies` are not read.
        vocabulary: The special ids. None: ids 0 to 4 are special, 4 is `[MASK]`, and random tokens are
            drawn up to the largest id given.

    Returns:
        `(input_ids, labels)`: the masked rows, and the original id at chosen positions with IGNORE_INDEX
        elsewhere. The arguments are not changed.

    Example:
        >>> row = torch.tensor([2, 10, 11, 12, 13, 14, 15, 3])
        >>> special = torch.tensor([1, 0, 0, 0, 0, 0, 0, 1])
        >>> _, labels = dynamic_mask(row, special, seed=0, example=0, epoch=0)
        >>> int((labels != -100).sum())  # 15% of six tokens is less than one, yet one is chosen
        1
    """
    masking = masking or MaskingConfig()
    rows = np.atleast_2d(np.array(input_ids, dtype=np.int64))
    if vocabulary is None:
        vocabulary = _plain_vocabulary(int(rows.max(initial=5)) + 1)
    special = np.atleast_2d(np.asarray(special_tokens_mask)).astype(bool)
    keys = np.broadcast_to(np.asarray(example, dtype=np.int64), len(rows))
    choice = choose_tokens(
        ~special & vocabulary.maskable[rows],
        rate=masking.rate,
        seed=seed,
        examples=keys,
        visits=np.broadcast_to(np.asarray(epoch, dtype=np.int64), len(rows)),
    )
    chosen = corrupt(rows, choice, masking=masking, vocabulary=vocabulary)
    labels = np.full_like(rows, IGNORE_INDEX)
    labels[np.nonzero(choice.used)[0], choice.positions[choice.used]] = chosen[choice.used]
    shape = tuple(input_ids.shape)
    return torch.from_numpy(rows.reshape(shape)), torch.from_numpy(labels.reshape(shape))


def static_mask(
    input_ids: Integer[Tensor, "..."],
    special_tokens_mask: Shaped[Tensor, "..."],
    *,
    seed: int,
    example: ArrayLike,
    copies: int = 1,
    epoch: int = 0,
    masking: MaskingConfig | None = None,
    vocabulary: Vocabulary | None = None,
) -> tuple[Int[Tensor, "..."], Int[Tensor, "..."]]:
    """Mask rows the same way in every epoch, or in one of `copies` ways by turns, as BERT does.

    This is `dynamic_mask` with `epoch % copies` for the epoch, and nothing else.

    Args:
        input_ids: One row `[seq]`, or several `[batch, seq]`.
        special_tokens_mask: True (or 1) at special tokens and padding, which are never chosen.
        seed: The run's seed.
        example: Number of the row's example; for several rows an array `[batch]`.
        copies: How many different masks an example has.
        epoch: Chooses among the copies.
        masking: As for `dynamic_mask`.
        vocabulary: As for `dynamic_mask`.

    Returns:
        As `dynamic_mask`.
    """
    return dynamic_mask(
        input_ids,
        special_tokens_mask,
        seed=seed,
        example=example,
        epoch=epoch % copies,
        masking=masking,
        vocabulary=vocabulary,
    )


def _plain_vocabulary(size: int) -> Vocabulary:
    return Vocabulary(
        size=size,
        pad_id=0,
        unk_id=1,
        cls_id=2,
        sep_id=3,
        mask_id=4,
        special_ids=frozenset(range(5)),
    )
