"""Which tokens of a row are to be predicted: the tokens, or the words, with the smallest hashes.

In: where tokens may be chosen, and the key of each row. Out: places. It knows nothing of ids.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64, UInt32, UInt64

from lit_roberta.randomness import Purpose, keyed_bits, unit

_COLUMN_BITS = np.uint32(16)
_COLUMN = np.uint32(0xFFFF)
_NEVER = np.uint32(0xFFFFFFFF)
"""The rank of what must not be chosen: it sorts last."""


class Choice(NamedTuple):
    """Tokens to predict, row after row."""

    used: Bool[np.ndarray, "batch most"]
    """As many from the left as each row has."""
    rows: Int64[np.ndarray, " chosen"]
    columns: Int64[np.ndarray, " chosen"]
    word_bits: UInt64[np.ndarray, " chosen"]
    """Random bits that decide whether a token is masked, replaced or kept, the same in a word."""
    token_bits: UInt64[np.ndarray, " chosen"]
    """Random bits that decide which token replaces it."""


class _Words(NamedTuple):
    firsts: Int64[np.ndarray, "batch seq"]
    """Column of the first piece of each token's word."""
    sizes: Int64[np.ndarray, "batch seq"]
    """Pieces of each token's word."""


def choose_tokens(
    maskable: Bool[np.ndarray, "batch seq"],
    *,
    rate: float,
    keys: UInt64[np.ndarray, " batch"],
    word_starts: Bool[np.ndarray, "batch seq"] | None = None,
) -> Choice:
    """Choose the tokens to predict, the same whatever else is in the batch.

    Every token (or word) gets a hash, and the smallest are chosen: `max(1, floor(rate * n + U))`
    of `n` maskable tokens, with `U` uniform in [0, 1), so that the rate is exact in expectation
    at every length. Words are taken in hash order as long as they lie within `rate * n` tokens;
    the one across that limit is taken with the chance that makes the expected number exact, too.

    Args:
        maskable: Which tokens may be chosen.
        rate: Share of them to choose.
        keys: The key of each row, from its example and its visit.
        word_starts: Where words start, for whole words. None: tokens.

    Returns:
        The chosen tokens, those of a row in hash order.
    """
    ranks = _ranks(keys, maskable.shape[1])
    wanted = rate * maskable.sum(axis=1)
    chance = unit(keys)
    words = None
    if word_starts is None:
        counts = (wanted + chance).astype(np.int64)
        counts = np.maximum(counts, wanted > 0)
        ordered = _sorted(ranks, maskable)
    else:
        words = _find_words(maskable, word_starts)
        ordered = _sorted(_word_ranks(ranks, words), maskable)
        counts = _count_words(ordered, words, wanted, chance)
    used = places_of(counts)
    rows = used.nonzero()[0]
    columns = ordered[:, : used.shape[1]][used] & np.uint64(_COLUMN)
    token_bits = word_bits = keyed_bits(keys[rows], Purpose.MASK_ACTION, columns)
    if words is not None:
        firsts = words.firsts[rows, columns].astype(np.uint64)
        word_bits = keyed_bits(keys[rows], Purpose.MASK_ACTION, firsts)
    return Choice(used, rows, columns.astype(np.int64), word_bits, token_bits)


def places_of(counts: Int64[np.ndarray, " batch"]) -> Bool[np.ndarray, "batch most"]:
    """Mark as many places of each row, from the left, as it needs."""
    return np.arange(int(counts.max())) < counts[:, None]


def _ranks(keys: UInt64[np.ndarray, " batch"], seq: int) -> UInt32[np.ndarray, "batch seq"]:
    """Hash each column of each row to 16 bits, and put its number behind them.

    So one sort of 32-bit numbers, eight times as fast as of 64-bit ones, gives hash order and
    columns at once, without ties. Where hashes are equal the first column wins, which changes the
    chance of a token by about 2**-16. One 64-bit hash serves four columns.
    """
    assert seq <= _COLUMN, "a column has 16 bits"
    quarters = np.arange(-(-seq // 4), dtype=np.uint64)
    hashes = keyed_bits(keys[:, None], Purpose.MASK_CHOICE, quarters).view(np.uint16)[:, :seq]
    ranks = hashes.astype(np.uint32)
    ranks <<= _COLUMN_BITS
    ranks |= np.arange(seq, dtype=np.uint32)
    return ranks


def _sorted(
    ranks: UInt32[np.ndarray, "batch seq"], maskable: Bool[np.ndarray, "batch seq"]
) -> UInt32[np.ndarray, "batch seq"]:
    """Sort the ranks of each row in place, what must not be chosen to its end."""
    # The same as `ranks[~maskable] = _NEVER`, and several times as fast.
    never = maskable.astype(np.uint32)
    never -= np.uint32(1)
    ranks |= never
    ranks.sort(axis=1)
    return ranks


def _find_words(
    maskable: Bool[np.ndarray, "batch seq"], word_starts: Bool[np.ndarray, "batch seq"]
) -> _Words:
    """Find the word of each token; what is not maskable ends a word."""
    rows, seq = maskable.shape
    behind_gap = np.ones_like(maskable)
    behind_gap[:, 1:] = ~maskable[:, :-1]
    starts = maskable & (word_starts | behind_gap)
    firsts = np.maximum.accumulate(np.where(starts, np.arange(seq), 0), axis=1)
    flat = np.arange(rows)[:, None] * seq + firsts
    return _Words(firsts, np.bincount(flat[maskable], minlength=rows * seq)[flat])


def _word_ranks(
    ranks: UInt32[np.ndarray, "batch seq"], words: _Words
) -> UInt32[np.ndarray, "batch seq"]:
    """Give all pieces of a word the hash of its first one, so that they sort side by side."""
    word_ranks = np.take_along_axis(ranks, words.firsts, axis=1)
    return (word_ranks & ~_COLUMN) | (ranks & _COLUMN)


def _count_words(
    ordered: UInt32[np.ndarray, "batch seq"],
    words: _Words,
    wanted: Float64[np.ndarray, " batch"],
    chance: Float64[np.ndarray, " batch"],
) -> Int64[np.ndarray, " batch"]:
    """Count the pieces of the words that are taken in hash order, at least one word."""
    columns = np.minimum(ordered & _COLUMN, ordered.shape[1] - 1).astype(np.int64)
    place_in_word = columns - np.take_along_axis(words.firsts, columns, axis=1)
    before = np.arange(ordered.shape[1]) - place_in_word
    sizes = np.take_along_axis(words.sizes, columns, axis=1)
    taken = before + (1 - chance[:, None]) * sizes <= wanted[:, None]
    return np.count_nonzero((taken | (before == 0)) & (ordered != _NEVER), axis=1)
