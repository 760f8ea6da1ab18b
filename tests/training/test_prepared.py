"""Training from a prepared folder: the same as from the text that it was made of."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.data.preparation.test_preparing import write_corpus
from tests.training.commands import TINY

FIT = ("train", "fit", "--config=roberta", *TINY, "--data.batch_size=8", "--trainer.max_steps=3")
JUDGE = ("--config=roberta", "--ckpt_path=last", "--trainer.enable_progress_bar=false")


class Folder:
    """Commands of the package, in processes of their own and in one folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(self, *words: str) -> tuple[int, str]:
        """Run one; give its status and the last line of what it says."""
        own = {"OMP_NUM_THREADS": "1", "LIT_ROBERTA_CACHE": str(self.path / "cache")}
        found = subprocess.run(
            [sys.executable, "-m", "lit_roberta", *words],
            cwd=self.path,
            env=os.environ | own | {"PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True,
            timeout=300,
        )
        assert b"Traceback" not in found.stderr, found.stderr.decode()
        return found.returncode, found.stderr.decode().splitlines()[-1]

    def prepare(self, output: str, *words: str) -> None:
        status, line = self.run("prepare", "--workers=0", "--output", output, *words)
        assert status == 0, line

    def fit(self, corpus: str, root: str, *words: str) -> None:
        corpus, root = f"--data.corpus={corpus}", f"--trainer.default_root_dir={root}"
        status, line = self.run(*FIT, corpus, root, *words)
        assert status == 0, line

    def weights(self, root: str) -> dict[str, Any]:
        (path,) = (self.path / root).rglob("last.ckpt")
        found: dict[str, Any] = torch.load(path, weights_only=True)["state_dict"]
        return found


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    write_corpus(tmp_path / "a.txt", rare=1)
    write_corpus(tmp_path / "b.txt", rare=2)
    return Folder(tmp_path)


def assert_equal(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert one.keys() == other.keys()
    for name, weight in one.items():
        assert torch.equal(weight, other[name]), name


@pytest.mark.slow
def test_what_does_not_fit_a_prepared_folder_is_refused(folder: Folder) -> None:
    folder.prepare("prepared", "--corpus", "a.txt")
    words = (*FIT, "--data.corpus=prepared", "--trainer.default_root_dir=run")
    for name, made, asked in (("split_by", "document", "file"), ("deduplicate", False, True)):
        status, line = folder.run(*words, f"--data.{name}={str(asked).lower()}")
        assert status == 2
        assert line.startswith(
            f"data.{name} must be what prepared was prepared with, {made!r}, got {asked!r}."
        )
    (folder.path / "prepared/train/tokens").unlink()
    status, line = folder.run(*words)
    assert status == 2
    assert line.startswith("data.corpus must be a whole prepared folder, got 'prepared'.")
    assert not list(folder.path.rglob("*.ckpt"))


@pytest.mark.slow
def test_a_prepared_folder_trains_as_its_text_wherever_it_lies(folder: Folder) -> None:
    folder.prepare("prepared", "--corpus", "a.txt")
    folder.fit("a.txt", "raw")
    folder.fit("prepared", "stored")
    assert_equal(folder.weights("raw"), folder.weights("stored"))
    status, line = folder.run("train", "validate", *JUDGE, "--trainer.default_root_dir=stored")
    assert status == 0, line
    (folder.path / "prepared").rename(folder.path / "moved")
    for path in (folder.path / "moved").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.fit("moved", "stored", "--ckpt_path=last", "--trainer.max_steps=6")
    folder.fit("a.txt", "raw", "--ckpt_path=last", "--trainer.max_steps=6")
    assert_equal(folder.weights("raw"), folder.weights("stored"))
    folder.prepare("pieces", "--corpus", "a.txt", "--tokenizer.kind", "wordpiece")
    words = ("--data.corpus=pieces", "--ckpt_path=last", "--trainer.default_root_dir=stored")
    status, line = folder.run(*FIT, *words)
    assert status == 2
    assert line.startswith("data.corpus must be encoded by the checkpoint's tokenizer, got ")


@pytest.mark.slow
def test_several_sources_come_by_line_by_file_by_folder_and_by_checkpoint(folder: Folder) -> None:
    folder.fit("{books: a.txt, news: b.txt}", "line")
    (folder.path / "text.yaml").write_text("data:\n  corpus:\n    news: b.txt\n    books: a.txt\n")
    status, line = folder.run(*FIT, "--config=text.yaml", "--trainer.default_root_dir=file")
    assert status == 0, line
    folder.prepare("both", "--corpus", "news=b.txt", "books=a.txt")
    folder.fit("both", "stored")
    assert_equal(folder.weights("line"), folder.weights("file"))
    assert_equal(folder.weights("line"), folder.weights("stored"))
    status, line = folder.run("train", "validate", *JUDGE, "--trainer.default_root_dir=line")
    assert status == 0, line


@pytest.mark.slow
def test_a_comparison_takes_a_prepared_folder(folder: Folder) -> None:
    folder.prepare("prepared", "--corpus", "a.txt")
    words = ("--seeds=1", "--budget.unit=updates", "--budget.amount=2", *TINY[:4])
    status, line = folder.run("compare", "--corpus=prepared", "--output=report", *words)
    assert status == 0, line
    assert (folder.path / "report/report.html").is_file()
