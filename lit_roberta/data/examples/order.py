"""The endless stream of examples: one permutation for each epoch, computed place by place.

A permutation of 400 million examples, stored, would cost every process 3 GB and 21 s an epoch.
This one is a function: it costs nothing to start anywhere, and nothing has to be stored to come
back.
"""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.randomness import Purpose, below, mix, random_bits

_ROUNDS = 8
"""With 4, which suffice for many examples, a small corpus shows some neighbours too often."""


def examples_at(
    places: Int64[np.ndarray, "*shape"], *, num_examples: int, seed: int
) -> Int64[np.ndarray, "*shape"]:
    """Find the examples at places of the stream.

    The epoch of a place is `place // num_examples`, and every epoch holds each example exactly
    once. The permutation is a Feistel network on pairs of digits in base
    `ceil(sqrt(num_examples))`. The few values behind the last example are sent through it again
    until they fall on one.

    Args:
        places: Places in the stream, from 0.
        num_examples: Examples of one epoch, at least 1.
        seed: The run's seed.

    Returns:
        The number of the example at each place.

    Source: Black and Rogaway 2002, "Ciphers with Arbitrary Finite Domains", section 4 (cycle
    walking).

    Example:
        >>> examples_at(np.arange(10), num_examples=5, seed=0).tolist()
        [0, 3, 4, 1, 2, 0, 4, 2, 3, 1]
    """
    epochs, values = np.divmod(places.ravel(), num_examples)
    base = math.isqrt(num_examples - 1) + 1
    keys = random_bits(seed, Purpose.ORDER, epochs, np.arange(_ROUNDS)[:, None])
    values = _permute(values, keys, base)
    while (outside := np.flatnonzero(values >= num_examples)).size:
        values[outside] = _permute(values[outside], keys[:, outside], base)
    return values.reshape(places.shape)


def _permute(
    values: Int64[np.ndarray, " places"], keys: UInt64[np.ndarray, "rounds places"], base: int
) -> Int64[np.ndarray, " places"]:
    """Permute the numbers below `base ** 2`, each by its own keys, one for each round."""
    left, right = np.divmod(values, base)
    for key in keys:
        scrambled = below(mix(key ^ right.astype(np.uint64)), base)
        left, right = right, (left + scrambled) % base
    return left * base + right
