"""Models leave from every kind of training: distributed, compiled, in mixed precision."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Literal

import pytest
import torch
from safetensors.torch import load_file
from torch.testing import assert_close

from lit_roberta.exchange.checkpoint import read_checkpoint
from lit_roberta.exchange.exporting import export
from tests.exchange.theirs import load
from tests.properties.running import Run, train_in_processes
from tests.training.commands import TINY

pytest.importorskip("transformers", reason="the export's reader is not installed")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def weights_of(folder: Path, place: Path) -> dict[str, torch.Tensor]:
    exported = export(read_checkpoint(folder / "checkpoints" / "last.ckpt"), place)
    assert exported.check is not None
    return load_file(place / "model.safetensors")


@pytest.mark.parametrize("pairs", [True, False], ids=["pairs", "singles"])
def test_two_processes_export_what_one_does(tmp_path: Path, pairs: bool) -> None:
    found = {}
    for way in ("one", "ddp", "fsdp2"):
        (tmp_path / way).mkdir()
        strategy: Literal["ddp", "fsdp2"] = "fsdp2" if way == "fsdp2" else "ddp"
        run = Run(
            folder=tmp_path / way / "run",
            updates=6,
            dropout=0.0,
            pairs=pairs,
            ranks=1 if way == "one" else 2,
            strategy=strategy,
        )
        assert not any(train_in_processes(run))
        found[way] = weights_of(run.folder, tmp_path / way / "out")
        load(tmp_path / way / "out", "BertForMaskedLM" if pairs else "RobertaForMaskedLM")
    for way in ("ddp", "fsdp2"):
        assert_close(found[way], found["one"])  # to the rounding of sums


@pytest.mark.parametrize("word", ["--compile=true", "--trainer.precision=bf16-mixed"])
def test_whatever_trained_it_the_weights_leave_as_they_are(tmp_path: Path, word: str) -> None:
    command = ("train", "fit", "--config=roberta", *TINY, "--trainer.max_steps=3", word)
    subprocess.run(
        [sys.executable, "-m", "lit_roberta", *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        check=True,
        timeout=600,
    )
    run = tmp_path / "runs/roberta"
    stored = torch.load(run / "checkpoints/last.ckpt", weights_only=True)["state_dict"]
    weights = weights_of(run, tmp_path / "out")
    assert {weight.dtype for weight in weights.values()} == {torch.float32}
    ours = stored["model.embeddings.token.weight"]
    assert torch.equal(weights["roberta.embeddings.word_embeddings.weight"], ours)
