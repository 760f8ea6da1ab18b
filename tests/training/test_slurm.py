"""Under SLURM's environment variables, the run's own stop is the only one that answers signals."""

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

from lit_roberta.planning.cli import main as plan
from tests.training.commands import TINY, Command

TRAIN = Path(__file__).parents[2] / "train.py"
JOB = {
    "SLURM_JOB_ID": "1",
    "SLURM_JOB_NAME": "pretraining",
    "SLURM_NTASKS": "1",
    "SLURM_NTASKS_PER_NODE": "1",
    "SLURM_NNODES": "1",
    "SLURM_PROCID": "0",
    "SLURM_LOCALID": "0",
    "SLURM_NODEID": "0",
    "SLURM_JOB_NODELIST": "localhost",
    "SLURM_SRUN_COMM_HOST": "localhost",
}
SCRIPT = """
trap 'kill -USR1 $!; wait $!; scontrol requeue "$SLURM_JOB_ID"' USR1
srun "$@" &
wait
"""
"""As in the README."""


def stand_in(folder: Path, name: str, script: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@pytest.fixture
def job(tmp_path: Path) -> dict[str, str]:
    """The variables of a job, with stand-ins for the two commands that only a cluster has."""
    commands = tmp_path / "commands"
    commands.mkdir()
    stand_in(commands, "srun", 'exec "$@"')
    stand_in(commands, "scontrol", f'echo "$@" >> {tmp_path}/asked')
    path = f"{commands}:{os.environ['PATH']}"
    return {**os.environ, **JOB, "PATH": path, "OMP_NUM_THREADS": "1"}


FIT = (sys.executable, str(TRAIN), "fit", "--config=roberta", *TINY, "--ckpt_path=last")


def read_last(folder: Path) -> Any:
    return torch.load(folder / "runs/roberta/checkpoints/last.ckpt", weights_only=True)


@pytest.mark.parametrize(
    "words",
    [
        ("fit", "--trainer.max_steps=1", "--trainer.limit_val_batches=0"),
        ("fit", "--max_hours=0.0005", "--trainer.limit_val_batches=0"),
        ("plan", "--trainer.max_steps=1"),
    ],
    ids=" ".join,
)
def test_a_process_started_by_hand_hears_nothing_of_srun(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    # Lightning warns wherever it finds the command, and a warning is an error here.
    stand_in(tmp_path, "srun", "exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    name, *rest = words
    arguments = ["--config=roberta", *TINY, *rest]
    status = plan(arguments) if name == "plan" else command(name, *arguments)
    assert status == 0, command.messages


@pytest.mark.slow
@pytest.mark.parametrize(("name", "status"), [("SIGUSR1", 0), ("SIGTERM", 143)])
def test_a_signal_saves_once_and_leaves_requeueing_to_the_script(
    tmp_path: Path, job: dict[str, str], name: str, status: int
) -> None:
    stop = ("--trainer.callbacks=tests.properties.hits.StopAt", "--trainer.callbacks.update=3")
    words = (*FIT, *stop, f"--trainer.callbacks.name={name}", "--trainer.max_steps=6")
    environment = {**job, "PYTHONPATH": str(TRAIN.parent)}
    run = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300
    )
    assert run.returncode == status, run.stderr
    assert f"Stopping after update 3: {name}." in run.stderr
    assert read_last(tmp_path)["global_step"] == 3
    assert not list(tmp_path.rglob("hpc_ckpt*")), "Lightning's own handler saved, too"
    assert not (tmp_path / "asked").exists(), "Lightning's own handler requeued the job"


@pytest.mark.slow
def test_a_job_script_saves_requeues_and_goes_on(tmp_path: Path, job: dict[str, str]) -> None:
    path = tmp_path / "job.sh"
    path.write_text(SCRIPT)
    often = ("--checkpoint.every_n_updates=1", "--trainer.limit_val_batches=0")
    words = ["bash", str(path), *FIT, *often, "--trainer.max_steps=100000"]
    before = 0
    for _ in range(2):  # a requeued job is the same script, started again
        with subprocess.Popen(words, cwd=tmp_path, env=job, stderr=subprocess.PIPE) as run:
            until = time.monotonic() + 200
            while not (tmp_path / "runs").exists() or saved_update(tmp_path) <= before:
                assert time.monotonic() < until
                assert run.poll() is None, run.stderr and run.stderr.read()
                time.sleep(0.2)
            run.send_signal(signal.SIGUSR1)
            messages = run.communicate(timeout=100)[1].decode()
        assert "SIGUSR1." in messages
        assert saved_update(tmp_path) > before
        before = saved_update(tmp_path)
    assert (tmp_path / "asked").read_text() == "requeue 1\n" * 2


def saved_update(folder: Path) -> int:
    path = folder / "runs/roberta/checkpoints/last.ckpt"
    return read_last(folder)["global_step"] if path.exists() else 0
