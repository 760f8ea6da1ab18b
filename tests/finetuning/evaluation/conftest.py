from __future__ import annotations

from pathlib import Path

import pytest

from tests.finetuning.examples import write_texts
from tests.inference.models import write_model

CONFIG = """data:
  task: classification
  train: train.csv
  test: test.csv
  max_length: 16
  batch_size: 8
model:
  optimizer:
    lr: 5e-3
trainer:
  max_epochs: 8
  accelerator: cpu
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a tiny model and a task of two files."""
    monkeypatch.chdir(tmp_path)
    write_model(tmp_path / "a.ckpt")
    write_texts(tmp_path / "train.csv", copies=6)
    write_texts(tmp_path / "test.csv", copies=2)
    (tmp_path / "texts.yaml").write_text(CONFIG, encoding="utf-8")
    return tmp_path
