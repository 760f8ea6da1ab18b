"""Random numbers computed from what they are for, never from the state of a generator.

This is the one idea that the package stands on: everything random about training is a function of
`(seed, purpose, numbers)`. An update, a mask or a partner sentence can be computed again at any
time, in any order and in any process, so nothing about randomness has to be stored, sent or
restored.

The hash is the finalizer of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom
number generators"), applied once for each number that is mixed in. It is vectorised: give arrays
and the result broadcasts like any numpy expression.
"""

from __future__ import annotations

import zlib
from enum import IntEnum
from functools import lru_cache

import numpy as np
from jaxtyping import Float64, Int64, UInt64
from numpy.typing import ArrayLike

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


class Purpose(IntEnum):
    """What a random number is for. Two purposes never share a number.

    The values are part of every run's identity: append, and never renumber.
    """

    ORDER = 1
    MASK_CHOICE = 3
    MASK_ACTION = 4
    NEXT_SENTENCE_LABEL = 6
    NEXT_SENTENCE_PARTNER = 7
    SEGMENT_SPLIT = 8
    SHORT_SEQUENCE = 9
    DROPOUT = 10
    INITIAL_WEIGHTS = 11
    HELD_OUT_DRAW = 13
    SAMPLE = 14
    VISIT = 15
    SOURCE = 16
    EXCERPT = 17
    HELD_OUT_WORD = 18


def mix(bits: UInt64[np.ndarray, "..."]) -> UInt64[np.ndarray, "..."]:
    """Scramble 64 bits so that each input bit moves about half of the output bits."""
    if bits.ndim == 0:  # numpy warns where a scalar wraps, and not where an array does
        return np.asarray(mix(bits[np.newaxis])[0])
    bits = bits + _GOLDEN
    # In place from here on: new memory would cost more than the arithmetic.
    shifted = bits >> np.uint64(30)
    bits ^= shifted
    bits *= _FIRST
    bits ^= np.right_shift(bits, np.uint64(27), out=shifted)
    bits *= _SECOND
    bits ^= np.right_shift(bits, np.uint64(31), out=shifted)
    return bits


def random_bits(
    seed: int, purpose: Purpose, *numbers: ArrayLike | int
) -> UInt64[np.ndarray, "..."]:
    """Hash a seed, a purpose and any count of numbers to 64 random bits.

    Args:
        seed: The run's seed, or a constant where the run must not matter.
        purpose: What the number is for.
        numbers: Whole numbers or arrays of them; they broadcast, so a column of keys and a row of
            counters give a matrix. Their order counts.

    Returns:
        Uniform 64-bit numbers, in the shape that `numbers` broadcast to.

    Example:
        >>> bits = random_bits(0, Purpose.ORDER, [[0], [1]], [0, 1, 2])
        >>> bits.shape, bool((bits[0] != bits[1]).all())
        ((2, 3), True)
    """
    state = _first_state(seed, purpose)
    for number in numbers:
        state = mix(np.asarray(state ^ np.asarray(number).astype(np.uint64)))
    return state


@lru_cache(maxsize=256)
def _first_state(seed: int, purpose: Purpose) -> UInt64[np.ndarray, ""]:
    """Mix what is the same in call after call."""
    # A seed of any size or sign counts in full.
    state = mix(np.asarray(seed % 2**64, dtype=np.uint64))
    return mix(np.asarray(state ^ np.uint64(purpose)))


def keyed_bits(
    keys: UInt64[np.ndarray, "..."], purpose: Purpose, numbers: UInt64[np.ndarray, "..."] | int = 0
) -> UInt64[np.ndarray, "..."]:
    """Draw from keys that were hashed before, with one hash for each draw.

    Args:
        keys: What `random_bits` gave, for instance for an example and its visit.
        purpose: What the draw is for; draws for different purposes are independent.
        numbers: Which draw it is, below 2**32; broadcasts with `keys`.

    Returns:
        Uniform 64-bit numbers.
    """
    return mix(keys ^ np.uint64(purpose << 32) ^ np.asarray(numbers, dtype=np.uint64))


def below(bits: UInt64[np.ndarray, "..."], limit: ArrayLike | int) -> Int64[np.ndarray, "..."]:
    """Turn random bits into whole numbers from 0 to `limit - 1`.

    The upper 32 bits are scaled, so `limit` must not exceed 2**32; the bias is below
    `limit / 2**32`.

    Example:
        >>> below(np.array([0, 2**63, 2**64 - 1], dtype=np.uint64), 10).tolist()
        [0, 5, 9]
    """
    scaled = (bits >> np.uint64(32)) * np.asarray(limit).astype(np.uint64)
    return (scaled >> np.uint64(32)).astype(np.int64)


def unit(bits: UInt64[np.ndarray, "..."]) -> Float64[np.ndarray, "..."]:
    """Turn random bits into numbers from 0 (included) to 1 (not included)."""
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53


def name_number(name: str) -> int:
    """Turn a name into a number that can be mixed in, the same in every process."""
    return zlib.crc32(name.encode())
