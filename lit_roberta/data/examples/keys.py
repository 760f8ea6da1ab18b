"""The key of an example at a visit, from which everything random about its row follows."""

from __future__ import annotations

import numpy as np
from jaxtyping import Int64, UInt64

from lit_roberta.randomness import Purpose, random_bits


def visit_keys(
    examples: Int64[np.ndarray, "..."], visits: Int64[np.ndarray, "..."], *, seed: int
) -> UInt64[np.ndarray, "..."]:
    """Hash what everything random about a row follows from: its mask, and its random B."""
    return random_bits(seed, Purpose.VISIT, examples, visits)
