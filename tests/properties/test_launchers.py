"""Two processes that train together, started as a cluster starts them, against one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.training.checkpoint_files import last_checkpoint
from tests.properties.running import read_last

pytestmark = pytest.mark.slow

TRAIN = Path(__file__).parents[2] / "train.py"
SETTINGS = (
    "--config=bert",
    # Shares of 6 and 7 sequences, and micro-batches of 3, 3 and 0 or 1.
    "--data.batch_size=13",
    "--data.micro_batch_size=3",
    "--model.encoder.hidden_size=16",
    "--model.encoder.num_hidden_layers=1",
    "--model.encoder.num_attention_heads=2",
    "--model.encoder.intermediate_size=32",
    "--model.encoder.hidden_dropout_prob=0",
    "--model.encoder.attention_probs_dropout_prob=0",
    "--trainer.accelerator=cpu",
    "--trainer.enable_progress_bar=false",
    "--trainer.val_check_interval=4",
)


def start(folder: Path, *words: str, ranks: int) -> subprocess.Popen[str]:
    """Start a run of some processes in a folder."""
    launcher = [sys.executable]
    ours = ["--trainer.default_root_dir", str(folder), *words]
    if ranks > 1:
        launcher += ["-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}"]
        ours += [f"--trainer.devices={ranks}", "--trainer.strategy=ddp"]
    return subprocess.Popen(
        [*launcher, str(TRAIN), "fit", *SETTINGS, *ours],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def train(folder: Path, *words: str, ranks: int) -> str:
    """Train to the end; give what was said."""
    process = start(folder, *words, ranks=ranks)
    _, messages = process.communicate(timeout=300)
    assert process.returncode == 0, messages
    return messages


def assert_same_training(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Compare all that training made, up to the rounding of sums in another order."""
    assert one["num_tokens"] == other["num_tokens"]
    assert one["history"]["counts"] == other["history"]["counts"]
    assert one["history"]["sums"] == pytest.approx(other["history"]["sums"], rel=1e-5)
    for name, weight in one["state_dict"].items():
        torch.testing.assert_close(weight, other["state_dict"][name], msg=name)


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("ranks") / "one"
    train(folder, "--trainer.max_steps=8", ranks=1)
    return read_last(folder)


def test_two_processes_train_as_one(one: dict[str, Any], tmp_path: Path) -> None:
    messages = train(tmp_path / "two", "--trainer.max_steps=8", ranks=2)
    assert_same_training(read_last(tmp_path / "two"), one)
    assert messages.count("Finished 8 updates") == 1
    assert "Warning" not in messages


def test_run_of_two_processes_goes_on_with_one_and_back(
    one: dict[str, Any], tmp_path: Path
) -> None:
    # The length is that of the whole run from the start: the rate follows from it.
    folder = tmp_path / "run"
    whole = ("--trainer.max_steps=8", "--ckpt_path=last")
    stop = ("--trainer.callbacks=tests.properties.running.StopAt", "--trainer.callbacks.update")
    train(folder, *whole, *stop, "3", ranks=2)
    assert read_last(folder)["global_step"] == 3
    messages = train(folder, *whole, *stop, "5", ranks=1)
    assert "processes 2, now 1" in messages
    assert read_last(folder)["global_step"] == 5
    assert "processes 1, now 2" in train(folder, *whole, ranks=2)
    assert_same_training(read_last(folder), one)


def test_signal_to_one_process_stops_all_and_saves(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(folder, "--trainer.max_steps=100000", ranks=2)
    try:
        while last_checkpoint(folder) is None:  # the first validation saves
            assert process.poll() is None
            time.sleep(0.2)
        before = read_last(folder)["global_step"]
        children = subprocess.check_output(["pgrep", "-P", str(process.pid)], text=True).split()
        os.kill(int(children[-1]), signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
    finally:
        process.kill()
    assert read_last(folder)["global_step"] > before, messages
    assert "exitcode  : 143" in messages
    assert "The run stands at update" in messages
