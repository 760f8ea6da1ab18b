from __future__ import annotations

from pathlib import Path

import pytest
import pytorch_lightning as pl

from lit_roberta import FinetuningDataModule, start_finetuning
from tests.finetuning.examples import write_texts


@pytest.mark.filterwarnings("ignore:.*does not have many workers.*")
def test_lightnings_trainer_fine_tunes(tmp_path: Path, pretrained: Path) -> None:
    train = str(write_texts(tmp_path / "train.csv"))
    data = FinetuningDataModule("classification", train=train, max_length=16, batch_size=8)
    module = start_finetuning(str(pretrained), data)
    trainer = pl.Trainer(
        fast_dev_run=2, accelerator="cpu", enable_progress_bar=False, enable_model_summary=False
    )
    trainer.fit(module, datamodule=data)
    assert trainer.global_step == 2
    assert 0 <= float(trainer.callback_metrics["val/accuracy"]) <= 1
