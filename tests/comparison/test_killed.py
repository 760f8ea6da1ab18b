"""A study that is killed in the middle gives the numbers of one that nobody disturbed."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.comparison.texts import write_text

_ROOT = Path(__file__).parents[2]
_UPDATES = 60
_SAID = "said.txt"
_RUNS = ("bert/seed-0", "roberta/seed-0")


def start(folder: Path, output: str) -> subprocess.Popen[bytes]:
    words = (
        *("--recipes", "bert", "roberta", "--seeds", "1", "--jobs", "1"),
        *("--corpus", str(folder / "text.txt"), "--output", str(folder / output)),
        *("--budget.unit", "updates", "--budget.amount", str(_UPDATES)),
        *("--model.encoder.hidden_size=16", "--model.encoder.num_attention_heads=2"),
        *("--checkpoint.every_n_updates=3", "--trainer.accelerator=cpu"),
    )
    with (folder / _SAID).open("ab") as said:
        return subprocess.Popen(
            [sys.executable, str(_ROOT / "compare.py"), *words],
            stderr=said,
            start_new_session=True,  # a group of its own, so that its workers can be hit with it
        )


def results_of(folder: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for run in _RUNS:
        found[run] = json.loads((folder / "runs" / run / "result.json").read_text("utf-8"))
        assert found[run].pop("seconds") > 0  # of a clock, as those of the curve are
        found[run]["curves"]["fed"].pop("seconds")
    return found


def wait_for(happened: Callable[[], object], *, seconds: float = 900.0) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def saves_of(run: Path, count: int) -> Callable[[], bool]:
    """Tell when a run has saved so many times from now on."""
    path, seen = run / "checkpoints" / "last.ckpt", set[int]()

    def happened() -> bool:
        if path.is_file():
            seen.add(path.stat().st_mtime_ns)
        return len(seen) > count

    return happened


@pytest.mark.slow
def test_a_killed_study_goes_on_to_the_numbers_of_an_undisturbed_one(tmp_path: Path) -> None:
    write_text(tmp_path)
    undisturbed = start(tmp_path, "undisturbed")
    assert undisturbed.wait(timeout=1800) == 0, (tmp_path / _SAID).read_text("utf-8")
    draw = random.Random(0)
    first, second = (tmp_path / "killed" / "runs" / run for run in _RUNS)
    hits = [
        (first, os.killpg, draw.randrange(1, 6)),
        (first, os.kill, draw.randrange(1, 6)),  # its worker is left, and sees it at some point
        (second, os.killpg, draw.randrange(1, 6)),
    ]
    for run, kill, saves in hits:
        process = start(tmp_path, "killed")
        wait_for(saves_of(run, saves))
        kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        assert not (run / "result.json").exists(), "the hit came too late to be in the middle"
    last = start(tmp_path, "killed")
    assert last.wait(timeout=1800) == 0, (tmp_path / _SAID).read_text("utf-8")
    assert results_of(tmp_path / "killed") == results_of(tmp_path / "undisturbed")
