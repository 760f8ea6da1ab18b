from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.finetuning.examples import write_texts
from tests.inference.models import write_model

ROOT = Path(__file__).parents[2]


def train(folder: Path, name: str, *words: str) -> tuple[dict[str, torch.Tensor], str]:
    """Fine-tune in processes of their own; give the weights and what was said."""
    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "train.py"),
            "fit",
            "--data.task=classification",
            f"--data.train={folder}/train.csv",
            "--data.max_length=16",
            "--data.batch_size=7",
            f"--model.pretrained={folder}/pretrained.ckpt",
            "--model.class_weights=[1.0, 3.0]",
            "--model.optimizer.lr=1e-3",
            "--model.optimizer.layer_decay=0.7",
            "--trainer.accelerator=cpu",
            f"--trainer.default_root_dir={folder}/{name}",
            *words,
        ],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    path = folder / name / "checkpoints" / "last.ckpt"
    weights: dict[str, torch.Tensor] = torch.load(path, weights_only=True)["state_dict"]
    return weights, done.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_texts(tmp_path / "train.csv")
    write_model(
        tmp_path / "pretrained.ckpt", hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_two_processes_learn_what_one_learns(folder: Path, strategy: str) -> None:
    length = "--trainer.max_epochs=2"
    one, said = train(folder, "one", length)
    processes = ("--trainer.devices=2", f"--trainer.strategy={strategy}")
    two, said_by_two = train(folder, "two", length, *processes)
    for name, weight in one.items():
        torch.testing.assert_close(two[name], weight, rtol=1e-3, atol=2e-5)

    def scores(text: str) -> list[str]:
        return [line.split("validation")[1] for line in text.splitlines() if "Epoch" in line]

    assert scores(said) == scores(said_by_two)
    assert len(scores(said)) == 2


@pytest.mark.slow
def test_a_run_of_one_process_goes_on_with_two(folder: Path) -> None:
    constant = ("--model.schedule.kind=constant", "--model.schedule.warmup_updates=0")
    straight, _ = train(folder, "straight", *constant, "--trainer.max_steps=8")
    train(folder, "parts", *constant, "--trainer.max_steps=4")
    two = ("--trainer.devices=2", "--trainer.strategy=ddp", "--ckpt_path=last")
    parts, _ = train(folder, "parts", *constant, "--trainer.max_steps=8", *two)
    for name, weight in straight.items():
        torch.testing.assert_close(parts[name], weight, rtol=1e-3, atol=2e-5)
