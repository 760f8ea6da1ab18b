from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lit_roberta.comparison.run import Run, write_json
from lit_roberta.comparison.tasks import Task, execute, finished
from lit_roberta.errors import UserError
from tests.comparison.texts import write_text


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


@pytest.fixture
def task(tmp_path: Path) -> Task:
    small = ("hidden_size=16", "num_hidden_layers=1", "num_attention_heads=2")
    return Task(
        recipe="bert",
        seed=3,
        updates=6,
        arguments=(
            "fit",
            "--config=bert",
            f"--data.corpus={write_text(tmp_path)}",
            *(f"--model.encoder.{size}" for size in small),
            "--trainer.devices=1",
            "--trainer.accelerator=cpu",
        ),
        folder=tmp_path / "runs" / "bert",
        fingerprint="first",
        formats=["sentence-pair", "doc-sentences"],
    )


def silent(done: int, total: int) -> None:
    pass


def test_a_run_writes_its_whole_result(task: Task) -> None:
    assert not finished(task)
    execute(task, silent)
    assert finished(task)
    run = Run.from_json(json.loads((task.folder / "result.json").read_text("utf-8")))
    assert (run.recipe, run.seed, run.updates, run.sequences) == ("bert", 3, 6, 96)
    assert set(run.heldout) == {"sentence-pair", "doc-sentences"}
    assert run.curves.validation[-1][0] == 6
    assert run.nsp_accuracy is not None
    assert run.flops > 0
    assert (task.folder / "checkpoints" / "last.ckpt").is_file()
    assert "6 updates" in (task.folder / "log.txt").read_text("utf-8")
    assert not list(task.folder.glob("*.part"))


def test_an_unfinished_run_goes_on_and_another_one_starts_anew(task: Task) -> None:
    execute(replace(task, aim="validation"), silent)
    straight = (task.folder / "result.json").read_text("utf-8")
    (task.folder / "result.json").unlink()
    (task.folder / "left").touch()
    execute(replace(task, aim="validation"), silent)
    assert (task.folder / "left").exists()  # the folder was kept: nothing had changed
    assert (task.folder / "result.json").read_text("utf-8") == straight
    other = replace(task, aim="validation", fingerprint="second", seed=4)
    assert not finished(other)
    execute(other, silent)
    assert not (task.folder / "left").exists()
    assert (task.folder / "result.json").read_text("utf-8") != straight


def test_nothing_of_another_program_is_removed(task: Task) -> None:
    task.folder.mkdir(parents=True)
    (task.folder / "thesis.txt").write_text("mine")
    with pytest.raises(UserError, match="be empty or the comparison's own"):
        execute(task, silent)
    assert (task.folder / "thesis.txt").read_text() == "mine"


@pytest.mark.parametrize("content", ["", "{", "[]", '{"fingerprint": "other"}'])
def test_what_is_not_this_runs_result_is_not_taken_for_it(task: Task, content: str) -> None:
    task.folder.mkdir(parents=True)
    (task.folder / "result.json").write_text(content)
    assert not finished(task)
    write_json(task.folder / "result.json", {"fingerprint": "first"})
    assert finished(task)


def test_a_run_that_diverges_says_so(task: Task) -> None:
    hot = replace(
        task,
        arguments=(
            *task.arguments,
            "--model.optimizer.lr=1e30",
            "--model.schedule.warmup_share=0",
        ),
    )
    with pytest.raises(UserError, match="the run has diverged"):
        execute(hot, silent)
    assert not finished(hot)
