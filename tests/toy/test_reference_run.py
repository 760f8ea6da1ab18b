from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


SCRIPT = """
import json, sys
from lit_roberta.training.cli import run
metrics = run(sys.argv[1:]).trainer.callback_metrics
print(json.dumps({name: float(value) for name, value in metrics.items()}))
"""


def command_line(*arguments: str) -> dict[str, float]:
    """Run a command line in a process of its own, where no shape is checked at every call."""
    command = [sys.executable, "-c", SCRIPT, *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # so small a model has no use for more
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    values: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return values


@pytest.mark.slow
def test_reference_run_learns_context_and_not_only_word_frequencies(tmp_path: Path) -> None:
    # 80 passes over the text: the toy is there to be learned from, not only to be read.
    recipe = ["--config", "configs/bert.yaml", "--data.masking.copies", "dynamic"]
    length = ["--trainer.max_steps", "1300", "--model.optimizer.lr", "1e-3"]
    where = ["--trainer.default_root_dir", str(tmp_path), "--trainer.accelerator", "cpu"]
    command_line("fit", *recipe, *length, *where)
    checkpoint = str(tmp_path / "checkpoints" / "last.ckpt")
    scores = command_line("test", *recipe, *where, "--ckpt_path", checkpoint)
    assert scores["test/masked_lm_loss"] < scores["test/unigram_loss"] - 0.5
