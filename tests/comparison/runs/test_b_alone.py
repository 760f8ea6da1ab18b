from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.utils.data import Dataset

from lit_roberta.batch import Batch, HeldOutBatch
from lit_roberta.comparison.runs.b_alone import accuracy_from_b_alone

CLS, SEP = 2, 3


class Pairs(Dataset[HeldOutBatch]):
    """One batch of pairs whose B shows its label as clearly as is asked for."""

    def __init__(self, *, clarity: float, seed: int, size: int = 400) -> None:
        random = np.random.default_rng(seed)
        labels = random.integers(0, 2, size)
        told = np.where(random.random(size) < clarity, labels, random.integers(0, 2, size))
        rows = [
            [CLS, 5 + int(a), SEP, 7 + int(label), int(noise), SEP]
            for a, label, noise in zip(labels, told, random.integers(10, 20, size), strict=True)
        ]
        self.batch = Batch(
            input_ids=torch.tensor(rows),
            segment_ids=torch.tensor([[0, 0, 0, 1, 1, 1]] * size),
            attention_mask=None,
            positions=torch.zeros(size, 1, dtype=torch.long),
            labels=torch.full((size, 1), -100),
            next_sentence_labels=torch.tensor(labels),
        )

    def __len__(self) -> int:
        return 1

    def __getitem__(self, index: int) -> HeldOutBatch:
        return HeldOutBatch(self.batch, torch.zeros_like(self.batch.labels))


@pytest.mark.parametrize(
    ("clarity", "least", "most"), [(0.0, 0.4, 0.6), (0.6, 0.7, 0.9), (1, 1, 1)]
)
def test_it_finds_what_b_gives_away_and_reads_nothing_of_a(
    clarity: float, least: float, most: float
) -> None:
    # A tells its label in every pair, and must not help.
    accuracy = accuracy_from_b_alone(
        Pairs(clarity=clarity, seed=0),
        Pairs(clarity=clarity, seed=1),
        vocab_size=20,
        sep_id=SEP,
    )
    assert least <= accuracy <= most
