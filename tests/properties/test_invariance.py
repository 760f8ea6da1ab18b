from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl

from tests.properties.remains import assert_equal, read_last
from tests.properties.running import Run, build, train_in_process

WHAT_TRAINING_MADE = ("state_dict", "optimizer_states", "history", "num_tokens", "global_step")


def trained(root: Path, name: str, **settings: Any) -> dict[str, Any]:
    """Train a run of its own; give what is in its last checkpoint."""
    folder = root / name
    assert train_in_process(Run(folder=folder, **settings)) == 0
    return read_last(folder)


def test_validating_and_saving_more_often_changes_nothing_in_training(tmp_path: Path) -> None:
    seldom = trained(tmp_path, "seldom", validate_every=100, save_every=100)
    often = trained(tmp_path, "often", validate_every=1, save_every=1)
    for key in WHAT_TRAINING_MADE:
        assert_equal(seldom[key], often[key], key)


def test_micro_batch_changes_a_whole_run_by_rounding_only(tmp_path: Path) -> None:
    whole = trained(tmp_path, "whole", micro_batch_size=None, dropout=0.0)
    for size in (4, 1):
        cut = trained(tmp_path, f"cut-{size}", micro_batch_size=size, dropout=0.0)
        assert cut["num_tokens"] == whole["num_tokens"]
        assert cut["history"]["counts"] == whole["history"]["counts"]
        assert cut["history"]["sums"] == pytest.approx(whole["history"]["sums"], rel=1e-4)


def test_two_runs_are_bit_equal_and_another_seed_is_not(tmp_path: Path) -> None:
    one, again = trained(tmp_path, "one"), trained(tmp_path, "again")
    assert_equal(one, again, "checkpoint")
    other = trained(tmp_path, "other", seed=1)
    assert one["history"]["sums"] != other["history"]["sums"]


def test_validation_gives_the_same_numbers_each_time(tmp_path: Path) -> None:
    module, data = build(Run(folder=tmp_path / "run"))
    trainer = pl.Trainer(
        accelerator="cpu",
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        default_root_dir=tmp_path,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*does not have many workers.*")
        first, second = (
            trainer.validate(module, datamodule=data, verbose=False) for _ in range(2)
        )
    assert first == second
    assert {"val/masked_lm_loss", "val/perplexity", "val/unigram_loss"} <= first[0].keys()
