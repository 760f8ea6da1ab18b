"""Results with a known truth, for tests of what is said about them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lit_roberta.comparison.claims import Arm

PAIRS, DOCUMENTS = "sentence-pair", "doc-sentences"


def plant_arm(
    name: str,
    losses: Mapping[str, float],
    *,
    format: str = PAIRS,
    runs: int = 5,
    documents: int = 30,
    run_deviation: float = 0.02,
    document_deviation: float = 0.05,
    seed: int = 0,
) -> Arm:
    """Make an arm whose runs and documents scatter around the losses given by format."""
    random = np.random.default_rng([seed, *name.encode()])
    # Hard documents are hard for everyone, so their difficulty does not depend on the arm.
    difficulty = np.random.default_rng(seed).normal(scale=0.5, size=documents)
    counts = np.random.default_rng(seed).integers(20, 60, size=documents)
    difficulty -= (difficulty * counts).sum() / counts.sum()
    nats = {}
    for key, loss in losses.items():
        run_effects = random.normal(scale=run_deviation, size=(runs, 1))
        document_effects = random.normal(scale=document_deviation, size=documents)
        nats[key] = (loss + difficulty + run_effects + document_effects) * counts
    return Arm(name=name, format=format, seeds=tuple(range(runs)), nats=nats, counts=counts)


def plant_unigram(arm: Arm, loss: float) -> np.ndarray:
    """Make the loss of word frequencies alone, document by document."""
    return loss * arm.counts.astype(np.float64)
