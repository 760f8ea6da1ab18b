from __future__ import annotations

import math
from pathlib import Path

import pytest
import pytorch_lightning as pl
import torch

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.model.config import EncoderConfig
from lit_roberta.objectives import Sums
from lit_roberta.training.held_out_metrics import HeldOutMetrics
from lit_roberta.training.module import PretrainingModule


def sums(loss: float, num_labels: int, num_correct: int) -> Sums:
    return Sums(torch.tensor(loss), torch.tensor(num_labels), torch.tensor(num_correct))


def test_every_token_weighs_alike_whatever_batch_it_came_in() -> None:
    metrics = HeldOutMetrics()
    metrics.add_masked_lm(sums(2.0, 2, 1))
    metrics.add_masked_lm(sums(40.0, 10, 2))
    metrics.add_masked_lm(sums(0.0, 0, 0))  # a batch without anything to predict
    values = metrics.compute()
    assert values["masked_lm_loss"] == pytest.approx(42 / 12)
    assert values["masked_lm_accuracy"] == pytest.approx(3 / 12)
    assert values["perplexity"] == pytest.approx(math.exp(42 / 12))


def test_what_was_not_measured_is_left_out_and_each_evaluation_starts_anew() -> None:
    metrics = HeldOutMetrics()
    metrics.add_next_sentence(sums(1.0, 4, 3))
    assert metrics.compute() == {"next_sentence_accuracy": 0.75}
    assert metrics.compute() == {}


def test_diverged_model_gets_nan_and_no_error() -> None:
    metrics = HeldOutMetrics()
    metrics.add_masked_lm(sums(math.nan, 2, 0))
    assert math.isnan(metrics.compute()["perplexity"])


def test_batch_size_changes_no_validation_result(tmp_path: Path) -> None:
    results = []
    for size in (1, 7, None):
        data = PretrainingDataModule("toy", format="sentence-pair", micro_batch_size=size)
        encoder = EncoderConfig(
            vocab_size=data.vocab_size,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
        )
        trainer = pl.Trainer(
            accelerator="cpu",
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            default_root_dir=tmp_path,
        )
        module = PretrainingModule(encoder, next_sentence=True)
        results += trainer.validate(module, datamodule=data, verbose=False)
    for other in results[1:]:
        assert other == pytest.approx(results[0], rel=1e-6)
