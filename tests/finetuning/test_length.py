from __future__ import annotations

from pathlib import Path

import pytest

from lit_roberta import FinetuningDataModule
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.finetuning.length import finetuning_length, judging_interval
from tests.finetuning.examples import write_texts

EPOCH = 4
"""Updates of 32 examples in batches of up to 8."""


@pytest.mark.parametrize(
    ("steps", "epochs", "updates"),
    [
        (-1, None, 3 * EPOCH),
        (None, -1, 3 * EPOCH),
        (-1, 2, 2 * EPOCH),
        (-1, 0.5, EPOCH // 2),
        (5, None, 5),
        (5, 2, 5),
        (50, 2, 2 * EPOCH),
    ],
)
def test_the_shorter_of_two_lengths_ends_a_run(
    tmp_path: Path, pretrained: Path, steps: int | None, epochs: float | None, updates: int
) -> None:
    data = FinetuningDataModule(
        "classification",
        train=str(write_texts(tmp_path / "train.csv")),
        validation_share=0.0,
        max_length=16,
        batch_size=8,
    )
    data.use_model(load_pretrained(str(pretrained)))
    assert finetuning_length(data, {"max_steps": steps, "max_epochs": epochs}) == updates


def test_a_run_is_judged_each_epoch_and_at_its_end() -> None:
    assert judging_interval(None, updates_per_epoch=10, total=35) == 10
    assert judging_interval(None, updates_per_epoch=10, total=4) == 4
    assert judging_interval(3, updates_per_epoch=10, total=35) == 3
