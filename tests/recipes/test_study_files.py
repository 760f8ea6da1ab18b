"""Every shipped study runs, in its fast form, from its file to its report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lit_roberta.comparison.design.study_file import study_names
from tests.comparison.texts import write_text

ROOT = Path(__file__).parents[2]
SMALL = (
    "--model.encoder.hidden_size=16",
    "--model.encoder.num_attention_heads=2",
    "--model.encoder.num_hidden_layers=1",
    "--model.encoder.intermediate_size=32",
)
FAST = {
    "batch_size": ("--tune-lr=0",),
    "data_order": ("--order-seeds=2", "--seeds=2"),
    "grid": ("--budget.amount=8",),
    "more_text": ("--budgets=2,4",),
}
"""What a study needs besides a small budget: what it is about is kept."""


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *words],
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
    )


def model_to_go_on_from(folder: Path) -> str:
    train = str(ROOT / "train.py")
    length = ("--trainer.max_steps=1", f"--trainer.default_root_dir={folder / 'before'}")
    text = f"--data.corpus={write_text(folder)}"
    subword = ("--data.tokenizer.kind=wordpiece", "--data.tokenizer.vocab_size=200")
    done = call(folder, train, "fit", "--config", "roberta", *length, text, *subword, *SMALL)
    assert done.returncode == 0, done.stderr
    checkpoint = str(folder / "before" / "checkpoints" / "last.ckpt")
    place = str(folder / "exported")
    done = call(folder, "-m", "lit_roberta", "export", checkpoint, place)
    assert done.returncode == 0, done.stderr
    return place


@pytest.mark.slow
@pytest.mark.parametrize("name", study_names())
def test_a_shipped_study_runs_from_its_file_to_its_report(name: str, tmp_path: Path) -> None:
    words = [str(ROOT / "compare.py"), "--study", name, f"--corpus={write_text(tmp_path)}"]
    words += ["--seeds=1", "--jobs=1", "--budget.unit=updates"]
    words += [] if name == "more_text" else ["--budget.amount=2"]
    if name == "initialisation":
        words += ["--set", f"MODEL={model_to_go_on_from(tmp_path)}", "--tune-lr=0"]
    else:
        words += SMALL
    done = call(tmp_path, *words, *FAST.get(name, ()), "--output=study")
    assert done.returncode == 0, done.stderr
    found = list((tmp_path / "study").rglob("results.json"))
    assert len(found) == (2 if name == "more_text" else 1)
    for path in found:
        results = json.loads(path.read_text())
        question = results["design"]["question"]
        assert question.removesuffix("?") in (path.parent / "report.html").read_text()
        assert not results["failures"]
        assert len(results["recipes"]) > 1
        assert results["runs"]


def test_the_readme_lists_every_study() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(\w+)` \|", readme, flags=re.MULTILINE)
    assert sorted(table) == study_names()
