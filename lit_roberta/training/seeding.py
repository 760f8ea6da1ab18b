"""Dropout of an update is seeded by the update, not by what ran before it.

This is the one place that touches torch's default generators, because dropout kernels read no
other. Their states are put back afterwards, so that callbacks of a user keep a stream of their
own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
import torch

from lit_roberta.randomness import Purpose, random_bits

_BLOCK = 1024
"""Updates whose seeds are computed together."""


def dropout_seed(seed: int, *, update: int, rank: int) -> int:
    """Compute the seed of the dropout of one rank in one update.

    31 bits, because the CPU's generator reads the low 32 alone: a seed that kept the run's seed
    in its upper half would ignore it.
    """
    block, place = divmod(update, _BLOCK)
    return _block_of_seeds(seed, block, rank)[place]


@lru_cache(maxsize=4)
def _block_of_seeds(seed: int, block: int, rank: int) -> list[int]:
    """Compute the seeds of many updates at once: for one alone it takes as long as for a few."""
    updates = np.arange(block * _BLOCK, (block + 1) * _BLOCK)
    bits = random_bits(seed, Purpose.DROPOUT, updates, rank)
    return (bits >> np.uint64(33)).tolist()


@contextmanager
def seeded_dropout(seed: int, *, device: torch.device) -> Iterator[None]:
    """Seed the default generators of the CPU and of a device; put their states back at the end.

    The generators are seeded directly: `torch.manual_seed` goes through every backend and costs
    75 times as much.
    """
    generators = [torch.default_generator]
    if device.type == "cuda":
        generators.append(torch.cuda.default_generators[device.index or 0])
    states = [generator.get_state() for generator in generators]
    for generator in generators:
        generator.manual_seed(seed)
    try:
        yield
    finally:
        for generator, state in zip(generators, states, strict=True):
            generator.set_state(state)
