"""Two processes that train as one through the command line, however they are started."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from lit_roberta.errors import UserError
from lit_roberta.training.checkpoint_files import last_checkpoint
from tests.properties.remains import read_last

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
TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2")
TWO = ("--trainer.devices=2",)
ONE_LINE = "a fault of the user's."


class FailOn(Callback):
    """Let one process fail as a full disk does, while the other waits for it."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.global_rank == self.rank and trainer.global_step == 2:
            raise UserError(ONE_LINE)


def start(
    folder: Path,
    *words: str,
    launcher: tuple[str, ...] = (),
    environment: dict[str, str] | None = None,
) -> subprocess.Popen[str]:
    """Start a run in a folder."""
    command = [sys.executable, *launcher, str(TRAIN), "fit", *SETTINGS]
    return subprocess.Popen(
        [*command, "--trainer.default_root_dir", str(folder), *words],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})},
    )


def train(folder: Path, *words: str, launcher: tuple[str, ...] = ()) -> str:
    """Train to the end; give what was said."""
    process = start(folder, *words, launcher=launcher)
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


def children_of(process: subprocess.Popen[str]) -> list[int]:
    found = subprocess.run(
        ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False
    )
    return [int(number) for number in found.stdout.split()]


def is_running(number: int) -> bool:
    """Tell whether a process runs; one that has ended may stay listed until it is asked for."""
    found = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(number)], capture_output=True, text=True, check=False
    )
    return bool(found.stdout.strip()) and not found.stdout.startswith("Z")


def wait_for_save(process: subprocess.Popen[str], folder: Path) -> int:
    """Wait for the first validation, which saves; give the update."""
    while last_checkpoint(folder) is None:
        assert process.poll() is None
        time.sleep(0.2)
    return int(read_last(folder)["global_step"])


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("ranks") / "one"
    train(folder, "--trainer.max_steps=8")
    return read_last(folder)


@pytest.mark.parametrize("launcher", [(), TORCHRUN], ids=["devices", "torchrun"])
@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_two_processes_train_as_one(
    one: dict[str, Any], tmp_path: Path, launcher: tuple[str, ...], strategy: str
) -> None:
    words = (*TWO, f"--trainer.strategy={strategy}", "--trainer.max_steps=8")
    messages = train(tmp_path / "two", *words, launcher=launcher)
    assert_same_training(read_last(tmp_path / "two"), one)
    assert messages.count("Finished 8 updates") == 1
    assert "Warning" not in messages


def test_two_tasks_of_slurm_train_as_one(one: dict[str, Any], tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    of_job = {"JOB_ID": "41", "NTASKS": "2", "NTASKS_PER_NODE": "2", "NNODES": "1", "NODEID": "0"}
    of_job |= {"NODELIST": "127.0.0.1", "JOB_NAME": "train"}
    job = {f"SLURM_{name}": value for name, value in of_job.items()} | {"MASTER_PORT": str(port)}
    tasks = [
        start(
            tmp_path / "two",
            *TWO,
            "--trainer.max_steps=8",
            environment={**job, "SLURM_PROCID": task, "SLURM_LOCALID": task},
        )
        for task in ("0", "1")
    ]
    said = [task.communicate(timeout=300)[1] for task in tasks]
    assert [task.returncode for task in tasks] == [0, 0], said
    assert_same_training(read_last(tmp_path / "two"), one)


def test_run_of_two_processes_goes_on_with_one_and_back(
    one: dict[str, Any], tmp_path: Path
) -> None:
    # The length is that of the whole run from the start: the rate follows from it.
    folder = tmp_path / "run"
    whole = ("--trainer.max_steps=8", "--ckpt_path=last")
    stop = ("--trainer.callbacks=tests.properties.hits.StopAt", "--trainer.callbacks.update")
    train(folder, *whole, *stop, "3", *TWO)
    assert read_last(folder)["global_step"] == 3
    messages = train(folder, *whole, *stop, "5")
    assert "processes 2, now 1" in messages
    assert read_last(folder)["global_step"] == 5
    messages = train(folder, *whole, *TWO, "--trainer.strategy=fsdp2")
    assert "processes 1, now 2; weights whole, now in shards" in messages
    assert messages.count("Text: the checkpoint's") == 1
    assert_same_training(read_last(folder), one)


def test_signal_to_one_process_of_torchrun_stops_all_and_saves(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    process = start(folder, *TWO, "--trainer.max_steps=100000", launcher=TORCHRUN)
    try:
        before = wait_for_save(process, folder)
        os.kill(children_of(process)[-1], signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
    finally:
        process.kill()
    assert read_last(folder)["global_step"] > before, messages
    assert "exitcode  : 143" in messages
    assert "The run stands at update" in messages


@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
@pytest.mark.parametrize("to_first", [True, False], ids=["first", "second"])
def test_signal_to_one_process_stops_both_and_saves(
    tmp_path: Path, strategy: str, to_first: bool
) -> None:
    folder = tmp_path / "run"
    words = (*TWO, f"--trainer.strategy={strategy}", "--trainer.max_steps=100000")
    process = start(folder, *words)
    try:
        before = wait_for_save(process, folder)
        (child,) = children_of(process)
        os.kill(process.pid if to_first else child, signal.SIGTERM)
        _, messages = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 143, messages
    assert read_last(folder)["global_step"] > before, messages
    assert "The run stands at update" in messages


@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_process_that_fails_leaves_none_waiting(
    tmp_path: Path, rank: int, strategy: str
) -> None:
    callback = "--trainer.callbacks=tests.properties.test_launchers.FailOn"
    words = (*TWO, f"--trainer.strategy={strategy}", callback, f"--trainer.callbacks.rank={rank}")
    process = start(tmp_path / "run", *words, "--trainer.max_steps=8")
    children: list[int] = []
    try:
        while process.poll() is None and not children:
            children = children_of(process)
            time.sleep(0.1)
        _, messages = process.communicate(timeout=90)
    finally:
        process.kill()
    assert ONE_LINE in messages
    assert process.returncode not in (0, None)
    if rank == 0:
        assert process.returncode == 2
        assert "Traceback" not in messages
    assert not any(map(is_running, children))


@pytest.mark.parametrize("launcher", [(), TORCHRUN], ids=["devices", "torchrun"])
def test_what_can_not_be_done_ends_every_process_with_its_line(
    tmp_path: Path, launcher: tuple[str, ...]
) -> None:
    for words, line in {
        ("--data.corpus=nowhere.txt",): "data.corpus must exist, got 'nowhere.txt'.",
        ("--data.batch_size=1",): "must be at least the number of devices, 2, got 1.",
    }.items():
        process = start(tmp_path / "run", *TWO, *words, launcher=launcher)
        _, messages = process.communicate(timeout=90)
        assert line in messages
        if not launcher:
            assert messages.count(line) == 1
            assert process.returncode == 2
