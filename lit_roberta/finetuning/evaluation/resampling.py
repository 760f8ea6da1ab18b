"""Examples drawn with replacement, the same ones for every run that was judged on as many."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64, Int64

NUM_RESAMPLES = 400
_SEED = 20190726


def resamples(count: int) -> Int64[np.ndarray, "resamples count"]:
    """Draw examples with replacement: for one number of examples always the same."""
    generator = np.random.default_rng((_SEED, count))
    return generator.integers(0, count, size=(NUM_RESAMPLES, count), dtype=np.int64)


def resampled_means(each: Sequence[float]) -> Float64[np.ndarray, " resamples"]:
    """Give the means over the same draws, of a score that is one."""
    return np.asarray(each, np.float64)[resamples(len(each))].mean(axis=1)
