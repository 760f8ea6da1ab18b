"""Which tokens of a row are to be predicted: the tokens, or the words, with the smallest hashes.

In: where tokens may be chosen, and the key of each row. Out: positions. It knows nothing of ids.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt64

from lit_roberta.randomness import Purpose, mix, random_bits, unit

_PLACE = np.uint64((1 << 16) - 1)
"""A position takes the low 16 bits of its hash, so that one sort gives hashes and positions."""

_NEVER = np.uint64(2**64 - 1)
"""The hash of what must not be chosen: it sorts last."""


class Choice(NamedTuple):
    """Tokens to predict: a row of positions for each row of a batch, filled from the left."""

    positions: Int64[np.ndarray, "batch chosen"]
    """Columns; 0 where unused."""
    used: Bool[np.ndarray, "batch chosen"]
    word_bits: UInt64[np.ndarray, "batch chosen"]
    """Random bits that decide the fate of a token; the pieces of a word share them."""
    token_bits: UInt64[np.ndarray, "batch chosen"]
    """Random bits that decide what replaces a token."""


def choose_tokens(
    maskable: Bool[np.ndarray, "batch seq"],
    *,
    rate: float,
    seed: int,
    examples: Int64[np.ndarray, " batch"],
    visits: Int64[np.ndarray, " batch"],
    word_starts: Bool[np.ndarray, "batch seq"] | None = None,
) -> Choice:
    """Choose the tokens to predict, the same whatever else is in the batch.

    Every token (or word) gets a hash, and the smallest are chosen: `max(1, floor(rate * n + U))` of `n`
    maskable tokens, with `U` uniform in [0, 1), so that the rate is exact in expectation at every length.
    Words are taken in hash order as long as they lie within `rate * n` tokens; the one across that limit
    is taken with the chance that makes the expected number of tokens exact, too.

    Args:
        maskable: Which tokens may be chosen.
        rate: Share of them to choose.
        seed: The run's seed, with `examples` and `visits` the key of each row.
        examples: Number of each row's example.
        visits: Visit of each row.
        word_starts: Where words start, for whole words. None: tokens.

    Returns:
        The chosen tokens, in hash order.
    """
    rows = random_bits(seed, Purpose.MASK_CHOICE, examples, visits)
    columns = np.arange(maskable.shape[1], dtype=np.uint64)
    bits = mix(rows[:, None] ^ columns)
    wanted = rate * np.count_nonzero(maskable, axis=1)
    if word_starts is None:
        hashes = np.where(maskable, bits & ~_PLACE | columns, _NEVER)
        counts = np.floor(wanted + unit(rows)).astype(np.int64)
        counts = np.maximum(counts, wanted > 0)
        chosen, words = _smallest(hashes, counts.max()), None
    else:
        hashes, words = _word_hashes(maskable, word_starts, bits)
        chosen = np.sort(hashes, axis=1)
        counts = _count_words(chosen, words, wanted, unit(rows))
        chosen = chosen[:, : counts.max()]
    used = np.arange(chosen.shape[1]) < counts[:, None]
    positions = np.where(used, (chosen & _PLACE).astype(np.int64), 0)
    token_bits = mix(chosen ^ np.uint64(Purpose.MASK_ACTION))
    word_bits = token_bits
    if words is not None:
        firsts = np.take_along_axis(words.firsts, positions, axis=1).astype(np.uint64)
        word_bits = mix((chosen & ~_PLACE | firsts) ^ np.uint64(Purpose.MASK_ACTION))
    return Choice(positions, used, word_bits, token_bits)


def _smallest(
    hashes: UInt64[np.ndarray, "batch seq"], width: int
) -> UInt64[np.ndarray, "batch chosen"]:
    """Sort out the smallest of each row; only they have to be in order."""
    if width < hashes.shape[1]:
        hashes = np.partition(hashes, width, axis=1)[:, :width]
    return np.sort(hashes, axis=1)


class _Words(NamedTuple):
    firsts: Int64[np.ndarray, "batch seq"]
    """Column of the first piece of each token's word."""
    sizes: Int64[np.ndarray, "batch seq"]
    """Pieces of each token's word."""


def _word_hashes(
    maskable: Bool[np.ndarray, "batch seq"],
    word_starts: Bool[np.ndarray, "batch seq"],
    bits: UInt64[np.ndarray, "batch seq"],
) -> tuple[UInt64[np.ndarray, "batch seq"], _Words]:
    """Give all pieces of a word the hash of its first one, so that they sort side by side."""
    rows, seq = maskable.shape
    columns = np.arange(seq)
    behind_gap = np.ones_like(maskable)
    behind_gap[:, 1:] = ~maskable[:, :-1]
    starts = maskable & (word_starts | behind_gap)
    firsts = np.maximum.accumulate(np.where(starts, columns, 0), axis=1)
    flat = np.arange(rows)[:, None] * seq + firsts
    sizes = np.bincount(flat[maskable], minlength=rows * seq)[flat]
    word_bits = np.take_along_axis(bits, firsts, axis=1) & ~_PLACE
    hashes = np.where(maskable, word_bits | columns.astype(np.uint64), _NEVER)
    return hashes, _Words(firsts, sizes)


def _count_words(
    ordered: UInt64[np.ndarray, "batch seq"],
    words: _Words,
    wanted: Float64[np.ndarray, " batch"],
    chance: Float64[np.ndarray, " batch"],
) -> Int64[np.ndarray, " batch"]:
    """Count the pieces of the words that are taken in hash order."""
    ranks = np.arange(ordered.shape[1])
    real = ordered != _NEVER
    columns = np.where(real, (ordered & _PLACE).astype(np.int64), 0)
    places = columns - np.take_along_axis(words.firsts, columns, axis=1)
    before = ranks - places
    sizes = np.take_along_axis(words.sizes, columns, axis=1)
    taken = before + (1 - chance[:, None]) * sizes <= wanted[:, None]
    return np.count_nonzero(real & (taken | (before == 0)), axis=1)
