"""Weights to start from reach every process, whole or in shards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.tokens.config import TokenizerConfig
from lit_roberta.exchange.checkpoint import read_checkpoint, write_checkpoint
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig

pytestmark = pytest.mark.slow

TRAIN = Path(__file__).parents[2] / "train.py"
WORDS = (
    "--config=bert",
    "--data.corpus=python-docs",
    "--data.general_corpus=toy",
    "--data.tokenizer.extend=5",
    "--model.extend_positions=80",
    "--model.encoder.hidden_dropout_prob=0",
    "--model.encoder.attention_probs_dropout_prob=0",
    "--trainer.accelerator=cpu",
    "--trainer.enable_progress_bar=false",
    "--trainer.max_steps=2",
)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random model of the toy's pieces."""
    config = TokenizerConfig(kind="wordpiece", vocab_size=300)
    tokenizer = PretrainingDataModule("toy", tokenizer=config).tokenizer
    encoder = EncoderConfig(
        vocab_size=tokenizer.vocab_size,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    weights = {name: 4 * weight for name, weight in BertModel(encoder).state_dict().items()}
    model = Pretrained(
        source="drawn", family="bert", encoder=encoder, weights=weights, tokenizer=tokenizer
    )
    path = tmp_path_factory.mktemp("source") / "model.ckpt"
    write_checkpoint(model, path)
    return path


def train(source: Path, folder: Path, *words: str) -> dict[str, Any]:
    """Train in a process of its own; give the scores before and after."""
    command = [sys.executable, str(TRAIN), "fit", *WORDS, *words]
    where = (f"--model.pretrained={source}", f"--trainer.default_root_dir={folder}")
    own = {"OMP_NUM_THREADS": "1"}
    done = subprocess.run([*command, *where], env=os.environ | own, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("Starting from") == 1
    return json.loads((folder / "before_and_after.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_two_processes_start_and_go_on_as_one(source: Path, tmp_path: Path, strategy: str) -> None:
    alone = train(source, tmp_path / "alone")
    two = ("--trainer.devices=2", f"--trainer.strategy={strategy}")
    together = train(source, tmp_path / "together", *two)
    for end in ("before", "after"):
        assert together[end].keys() == alone[end].keys()
        for name, value in alone[end].items():
            assert together[end][name] == pytest.approx(value, rel=1e-4, abs=1e-6), name
    one, other = (
        read_checkpoint(tmp_path / run / "checkpoints" / "last.ckpt")
        for run in ("alone", "together")
    )
    assert one.encoder == other.encoder
    for name, weight in one.weights.items():
        torch.testing.assert_close(other.weights[name], weight, rtol=1e-3, atol=1e-4)
