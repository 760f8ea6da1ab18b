"""Which tokens are to be predicted, and what stands there instead: one function for both recipes.

Static and dynamic masking differ in one number. The masks of an example are a function of `(seed,
example, visit)`; dynamic masking (RoBERTa) takes the epoch as the visit, static masking with `c`
copies (BERT) takes `epoch % c`. BERT's own script also draws the split of a pair again for each
copy; here the split is fixed, and copies differ in their masks and their random Bs.

In: rows of ids. Out: the same rows corrupted, with the positions to predict and their labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Int64
from numpy.typing import ArrayLike
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.data.examples.keys import visit_keys
from lit_roberta.data.rows.choosing import Choice, choose_tokens
from lit_roberta.data.rows.inputs import as_array, as_flags, number_of_each, require_rows
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.errors import must
from lit_roberta.randomness import below

_LOW_HALF = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, kw_only=True)
class MaskingConfig:
    """How many tokens are predicted, how often masks are drawn, and what replaces a token."""

    rate: float = 0.15
    """Share of the maskable tokens of an example that are predicted; at least one token is."""
    copies: int | Literal["dynamic"] | None = None
    """Masks of an example, used in turn by epoch: BERT: 10. None, or dynamic: one each epoch."""
    mask_share: float = 0.8
    """Share of the predicted tokens that become `[MASK]`."""
    random_share: float = 0.1
    """Share of the predicted tokens that become a random token; the rest stays as it is."""
    whole_word: bool = False
    """Predict whole words, whose pieces share one fate: all masked, all random or all kept."""

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise must(
                "data.masking.rate",
                "lie above 0 and at most at 1",
                self.rate,
                "For 15%, give 0.15.",
            )
        if self.copies == "dynamic":
            object.__setattr__(self, "copies", None)
        if self.copies is not None and (not isinstance(self.copies, int) or self.copies < 1):
            raise must(
                "data.masking.copies",
                "be at least 1",
                self.copies,
                "Give null for a fresh mask each epoch.",
            )
        for name in ("mask_share", "random_share"):
            if not 0 <= getattr(self, name) <= 1:
                value = getattr(self, name)
                raise must(
                    f"data.masking.{name}", "lie between 0 and 1", value, "For 80%, give 0.8."
                )
        if self.mask_share + self.random_share > 1 + 1e-9:
            raise must(
                "data.masking.mask_share + random_share",
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
) -> Int64[np.ndarray, " chosen"]:
    """Put `[MASK]`, a random token, or nothing new at the chosen places of the rows, in place.

    Args:
        input_ids: The rows; changed at the chosen places.
        choice: What to predict.
        masking: The shares of what replaces a token.
        vocabulary: Knows `[MASK]` and the tokens that a random one may be.

    Returns:
        The original tokens at the chosen places.
    """
    assert input_ids.flags.c_contiguous, "so that what follows is a view of the rows"
    flat = input_ids.reshape(-1)
    places = choice.rows * input_ids.shape[1] + choice.columns
    originals = flat[places]
    # The low half of the bits decides the fate of a token, the high half what may replace it.
    fate = choice.word_bits & _LOW_HALF
    ordinary = vocabulary.ordinary_ids
    random = ordinary[below(choice.token_bits, len(ordinary))]
    changed = fate < np.uint64((masking.mask_share + masking.random_share) * 2**32)
    masked = fate < np.uint64(masking.mask_share * 2**32)
    flat[places] = np.where(masked, vocabulary.mask_id, np.where(changed, random, originals))
    return originals


def dynamic_mask(
    input_ids: ArrayLike | Tensor,
    special_tokens_mask: ArrayLike | Tensor,
    *,
    seed: int,
    example: ArrayLike | int,
    epoch: ArrayLike | int,
    masking: MaskingConfig | None = None,
    vocabulary: Vocabulary | None = None,
    word_starts: ArrayLike | Tensor | None = None,
) -> tuple[Int64[Tensor, "*shape"], Int64[Tensor, "*shape"]]:
    """Mask rows anew in each epoch, as RoBERTa does.

    Args:
        input_ids: One row `[seq]`, or several `[batch, seq]`: a tensor, an array or lists.
        special_tokens_mask: True (or 1) at special tokens and padding, which are never chosen; of
            the same shape.
        seed: The run's seed.
        example: Number of the row's example; for several rows an array `[batch]`.
        epoch: The epoch, or one for each row.
        masking: Rate and shares; None for 15% and 80/10/10. Its `copies` are not read.
        vocabulary: The special ids. None: ids 0 to 4 are special, 4 is `[MASK]`, and random tokens
            are drawn up to the largest id given.
        word_starts: True at the first piece of each word; only whole words need it.

    Returns:
        `(input_ids, labels)`: the masked rows, and the original id at chosen positions with
        IGNORE_INDEX elsewhere. The arguments are not changed.

    Raises:
        UserError: If whole words are asked for, and nothing says where they start; or shapes do
            not fit together.

    Example:
        >>> row = torch.tensor([2, 10, 11, 12, 13, 14, 15, 3])
        >>> special = torch.tensor([1, 0, 0, 0, 0, 0, 0, 1])
        >>> _, labels = dynamic_mask(row, special, seed=0, example=0, epoch=0)
        >>> int((labels != -100).sum())  # 15% of six tokens is less than one, yet one is chosen
        1
    """
    masking = masking or MaskingConfig()
    if masking.whole_word != (word_starts is not None):
        raise must(
            "word_starts",
            "be given for whole words, and only for them",
            "none" if word_starts is None else "some",
            "Set whole_word to match.",
        )
    ids = as_array("input_ids", input_ids)
    rows = np.atleast_2d(require_rows(ids)).astype(np.int64)  # a copy, to be changed
    if vocabulary is None:
        vocabulary = Vocabulary.plain(int(rows.max(initial=0)) + 1)
    special = as_flags("special_tokens_mask", special_tokens_mask, shape=ids.shape)
    maskable = ~special & vocabulary.maskable[rows]
    keys = visit_keys(
        number_of_each("example", example, rows=len(rows)),
        number_of_each("epoch", epoch, rows=len(rows), common=True),
        seed=seed,
    )
    choice = choose_tokens(
        maskable,
        rate=masking.rate,
        keys=np.broadcast_to(keys, len(rows)),
        word_starts=(
            None if word_starts is None else as_flags("word_starts", word_starts, shape=ids.shape)
        ),
    )
    labels = np.full_like(rows, IGNORE_INDEX)
    labels[choice.rows, choice.columns] = corrupt(
        rows, choice, masking=masking, vocabulary=vocabulary
    )
    return torch.from_numpy(rows.reshape(ids.shape)), torch.from_numpy(labels.reshape(ids.shape))


def static_mask(
    input_ids: ArrayLike | Tensor,
    special_tokens_mask: ArrayLike | Tensor,
    *,
    seed: int,
    example: ArrayLike | int,
    copies: int = 1,
    epoch: int = 0,
    masking: MaskingConfig | None = None,
    vocabulary: Vocabulary | None = None,
    word_starts: ArrayLike | Tensor | None = None,
) -> tuple[Int64[Tensor, "*shape"], Int64[Tensor, "*shape"]]:
    """Mask rows the same way in every epoch, or in `copies` ways by turns, as BERT does.

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
        word_starts: As for `dynamic_mask`.

    Returns:
        As `dynamic_mask`.

    Raises:
        UserError: As `dynamic_mask`, or if there is no copy.
    """
    if copies < 1:
        raise must("copies", "be at least 1", copies, "Give 1 for one mask for ever.")
    return dynamic_mask(
        input_ids,
        special_tokens_mask,
        seed=seed,
        example=example,
        epoch=epoch % copies,
        masking=masking,
        vocabulary=vocabulary,
        word_starts=word_starts,
    )
