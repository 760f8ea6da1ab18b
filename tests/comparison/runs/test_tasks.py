from __future__ import annotations

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.comparison.runs import tasks
from lit_roberta.comparison.runs.claiming import claimed_run, is_claimed
from lit_roberta.comparison.runs.run import Run, write_json
from lit_roberta.comparison.runs.stored import Aim, differs_by_code, scoring_digest
from lit_roberta.comparison.runs.tasks import (
    Task,
    execute,
    finished,
    only_scored,
    superseded,
    without_damaged_checkpoints,
)
from lit_roberta.errors import UserError
from tests.comparison.planted import plant_results
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


def silent(done: int, total: int, loss: float | None) -> None:
    pass


def test_a_run_writes_its_whole_result(task: Task) -> None:
    assert not finished(task)
    execute(task, silent)
    assert finished(task)
    run = Run.from_json(json.loads((task.folder / "result.json").read_text("utf-8")))
    assert (run.recipe, run.seed, run.updates, run.sequences) == ("bert", 3, 6, 96)
    assert set(run.heldout) == {"sentence-pair", "doc-sentences"}
    assert run.curves.validation[-1][0] == 6
    fed = run.curves.fed
    assert {len(values) for values in fed.values()} == {len(run.curves.validation)}
    assert fed["updates"] == [update for update, _ in run.curves.validation]
    for unit, total in (
        ("sequences", run.sequences),
        ("tokens", run.tokens),
        ("passes", run.text_passes),
        ("flops", run.flops),
    ):
        assert fed[unit][-1] == total  # the last point is the end
        assert fed[unit] == sorted(fed[unit])
    assert fed["seconds"] == sorted(fed["seconds"])
    assert run.nsp_accuracy is not None
    assert run.flops > 0
    assert (task.folder / "checkpoints" / "last.ckpt").is_file()
    assert "6 updates" in (task.folder / "log.txt").read_text("utf-8")
    assert not list(task.folder.glob("*.part"))


def test_what_is_missing_of_the_scores_is_made_of_the_last_checkpoint(
    task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    execute(task, silent)
    at_once = _result(task)
    (task.folder / "result.json").unlink()
    execute(replace(task, formats=["sentence-pair"]), silent)
    one = _result(task)
    assert set(one["heldout"]) == {"sentence-pair"}
    assert not finished(task)
    assert only_scored(task)
    checkpoint = task.folder / "checkpoints" / "last.ckpt"
    written = checkpoint.stat().st_mtime_ns
    execute(task, silent)
    assert checkpoint.stat().st_mtime_ns == written  # nothing was trained
    assert _result(task) == {**at_once, "seconds": one["seconds"]}

    # A study that asks for fewer formats takes none away, and one by other code scores them all.
    few = replace(task, formats=["doc-sentences"])
    assert finished(few)
    monkeypatch.setattr(tasks, "scoring_digest", lambda: "other code")
    assert not finished(few)
    execute(few, silent)
    assert _result(task) == {**at_once, "seconds": one["seconds"], "scored_by": "other code"}
    assert finished(task)
    checkpoint.unlink()
    monkeypatch.undo()
    assert not only_scored(task)


def test_a_run_that_another_process_makes_is_left_to_it(task: Task) -> None:
    with claimed_run(task.folder):
        assert is_claimed(task.folder)
        with pytest.raises(UserError, match="another process is making it"):
            execute(task, silent)
    assert not is_claimed(task.folder)
    assert not task.folder.exists()


def test_versions_are_told_from_what_a_run_is() -> None:
    assert differs_by_code("run-code", "run-newer")
    assert not differs_by_code("run-code", "run-code")
    assert not differs_by_code("run-code", "other-code")


def _result(task: Task) -> dict[str, Any]:
    values = json.loads((task.folder / "result.json").read_text("utf-8"))
    assert isinstance(values, dict)
    return values


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
    assert superseded(task) is ("other" in content)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"fingerprint": "second"},
        {"tokens": "many"},
        {"curves": {}},
        {"curves": None},
        {"guesses": 3},
        {"heldout": {"sentence-pair": {"mlm_loss": 3.0}}},
        {"heldout": {}},
        {"unknown": 1},
        {"nsp_accuracy": "high"},
        {"scored_by": "other code"},
    ],
)
def test_a_result_is_only_taken_if_nothing_of_it_is_missing(
    task: Task, change: dict[str, Any]
) -> None:
    planted = replace(plant_results().runs[0], fingerprint="first", scored_by=scoring_digest())
    task.folder.mkdir(parents=True)
    write_json(task.folder / "result.json", {**asdict(planted), **change})
    assert finished(task) is (not change)
    assert superseded(task) is (change == {"fingerprint": "second"})
    values = asdict(planted)
    del values["epochs"]
    write_json(task.folder / "result.json", values)
    assert not finished(task)


@pytest.mark.parametrize(
    ("aim", "field"), [("validation", "validation_loss"), ("timing", "seconds_per_update")]
)
def test_a_result_for_one_number_has_that_number(task: Task, aim: Aim, field: str) -> None:
    task = replace(task, aim=aim)
    task.folder.mkdir(parents=True)
    for values, whole in (({}, False), ({field: "3"}, False), ({field: 3.5}, True)):
        write_json(task.folder / "result.json", {"fingerprint": "first", **values})
        assert finished(task) is whole


@pytest.mark.parametrize("name", ["last.ckpt", "best.ckpt"])
def test_an_unfinished_run_with_a_damaged_checkpoint_starts_afresh(task: Task, name: str) -> None:
    task = replace(task, aim="validation")
    execute(task, silent)
    straight = (task.folder / "result.json").read_text("utf-8")
    (task.folder / "result.json").unlink()
    assert without_damaged_checkpoints(task) is None
    path = task.folder / "checkpoints" / name
    path.unlink()  # the other name may be the same file
    path.write_bytes(b"junk")
    assert without_damaged_checkpoints(replace(task, fingerprint="second")) is None
    assert without_damaged_checkpoints(task) == (
        f"{path} can't be read: bert, seed 3 starts afresh."
    )
    execute(task, silent)
    assert (task.folder / "result.json").read_text("utf-8") == straight


def test_a_run_that_diverges_says_so(task: Task) -> None:
    hot = replace(
        task,
        arguments=(
            *task.arguments,
            "--model.optimizer.lr=1e30",
            "--model.schedule.warmup_share=0",
        ),
    )
    with pytest.raises(UserError, match=r"^Update \d+ \(counted from 0\) has diverged: "):
        execute(hot, silent)
    assert not finished(hot)
