"""The whole comparison through its real command, with worker processes and a report."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.comparison import probing
from lit_roberta.comparison.cli import main
from lit_roberta.probing.pairs import MinimalPair, built_in_pairs
from tests.comparison.texts import write_text

_ROOT = Path(__file__).parents[2]
_SMALL = (
    "--model.encoder.hidden_size=16",
    "--model.encoder.num_attention_heads=2",
    "--trainer.accelerator=cpu",
)


_TINY = ("--budget.unit", "updates", "--budget.amount", "4", "--seeds", "1")


def _words(folder: Path, *words: str) -> list[str]:
    return [
        *("--corpus", str(folder / "text.txt"), "--output", str(folder / "report"), *_SMALL),
        *("--recipes", *words),
    ]


def _changed(folder: Path, recipe: str, pattern: str, setting: str, *, name: str) -> str:
    """Write a shipped recipe with one setting changed, and give its path."""
    text = (_ROOT / "configs" / f"{recipe}.yaml").read_text("utf-8")
    path = folder / f"{name}.yaml"
    path.write_text(re.sub(pattern, setting, text))
    return str(path)


def _results(folder: Path) -> dict[str, Any]:
    values = json.loads((folder / "report" / "results.json").read_text("utf-8"))
    assert isinstance(values, dict)
    return values


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comparison")
    write_text(folder)
    return folder


def test_a_comparison_ends_in_a_report(folder: Path) -> None:
    made = subprocess.run(
        [sys.executable, str(_ROOT / "compare.py"), *_words(folder, "bert", "roberta", *_TINY)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert "Too few runs for a verdict" in made.stderr
    report = folder / "report"
    results = _results(folder)
    assert results["verdict"]["kind"] == "too-few"
    assert [(run["recipe"], run["seed"]) for run in results["runs"]] == [
        ("bert", 0),
        ("roberta", 0),
    ]
    assert results["runs"][0]["nsp_accuracy"] is not None
    assert results["runs"][1]["nsp_accuracy"] is None
    assert {"report.html", "report.md"} <= {p.name for p in report.iterdir()}
    assert (report / "pictures" / "memorisation.png").is_file()
    run = report / "runs" / "bert" / "seed-0"
    assert {"config.yaml", "checkpoints", "result.json"} <= {path.name for path in run.iterdir()}
    assert list(run.glob("events.out.tfevents.*"))


def test_finished_runs_are_kept_and_a_failed_one_is_reported_in_its_place(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The runs of the test before lie there; without them, they are made here.
    hot = _changed(folder, "roberta", r"lr: \S+", "lr: 1.0e+30", name="hot")
    ten = _changed(folder, "bert", "copies: 1", "copies: 10", name="ten")
    status = main(_words(folder, "bert", ten, "roberta", hot, *_TINY, "--jobs", "1"))
    said = capsys.readouterr().err
    assert status == 1, said
    assert "runs are there already, and unchanged." in said
    assert "hot, seed 0 failed: " in said
    results = _results(folder)
    assert [(run["recipe"], run["same_as"]) for run in results["runs"]] == [
        ("bert", None),
        ("ten", "bert"),  # in so few updates no mask comes twice
        ("roberta", None),
    ]
    assert results["verdict"]["pairs"][0]["kind"] == "same-run"
    (failure,) = results["failures"]
    assert "diverged" in failure["message"]
    assert "diverged" in (folder / "report" / "report.html").read_text("utf-8")


@pytest.mark.slow
def test_runs_that_are_there_are_probed_without_being_made_again(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The runs of the tests before lie there; without them, they are made here.
    words = (folder / "text.txt").read_text("utf-8").split()
    pairs = [MinimalPair(one, f"{one} {one}", "length") for one in ("a", words[0], words[1])]
    monkeypatch.setattr(probing, "built_in_pairs", lambda: [*pairs, *built_in_pairs()[:9]])
    assert main([*_words(folder, "bert", "roberta", *_TINY), "--probes"]) == 0
    assert [run["probes"]["phenomena"][:3] for run in _results(folder)["runs"]] == [
        ["length"] * 3
    ] * 2
    answers = [run["probes"]["right"] for run in _results(folder)["runs"]]
    assert all(len(each) == 12 and any(right is not None for right in each) for each in answers)
    text = (folder / "report" / "report.md").read_text("utf-8")
    assert "| minimal pairs about | pairs | bert | roberta | chance |" in text
    assert "Too few runs for a verdict by probes between bert and roberta" in text
    capsys.readouterr()

    # A second report asks nobody again, and one without probes says nothing of them.
    monkeypatch.setattr(probing, "load_model", None)
    assert main([*_words(folder, "bert", "roberta", *_TINY), "--probes"]) == 0
    assert [run["probes"]["right"] for run in _results(folder)["runs"]] == answers
    assert main(_words(folder, "bert", "roberta", *_TINY)) == 0
    assert [run["probes"] for run in _results(folder)["runs"]] == [None, None]
    assert "inimal pairs" not in (folder / "report" / "report.md").read_text("utf-8")


@pytest.mark.slow
def test_runs_that_other_settings_made_are_replaced_if_that_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The runs of the tests before lie there; without them, they are made here.
    runs = folder / "report" / "runs"
    if not (runs / "roberta" / "seed-0" / "result.json").is_file():
        assert main(_words(folder, "bert", "roberta", *_TINY)) == 0
    capsys.readouterr()
    words = ["3" if word == "4" else word for word in _TINY]
    assert main(_words(folder, "bert", "roberta", *words)) == 2
    assert (
        "--output must hold runs of the same text, budget and settings, got "
        f"'{runs} with 2 finished runs of others'."
    ) in capsys.readouterr().err
    assert {run["updates"] for run in _results(folder)["runs"]} == {4}
    assert main(_words(folder, "bert", "roberta", *words, "--anew")) == 0
    assert f"2 finished runs in {runs} are made anew." in capsys.readouterr().err
    assert [run["updates"] for run in _results(folder)["runs"]] == [3, 3]


@pytest.mark.slow
def test_processes_share_a_folder_run_by_run_and_a_later_one_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_text(tmp_path)
    words = _words(tmp_path, "bert", "roberta", *_TINY, "--seeds", "2")
    numbers = ("0,1", "1,2", "0-2")  # each run is wanted by two of them
    processes = [
        subprocess.Popen(
            [sys.executable, str(_ROOT / "compare.py"), *words, "--index", chosen],
            stderr=subprocess.PIPE,
            text=True,
        )
        for chosen in numbers
    ]
    said = [process.communicate(timeout=900)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    report = tmp_path / "report"
    results = sorted(report.glob("runs/*/*/result.json"))
    assert [str(path.parent.relative_to(report / "runs")) for path in results] == [
        "bert/seed-0",
        "bert/seed-1",
        "roberta/seed-0",
    ]
    for path in results:  # nobody made what another had made
        assert (path.parent / "log.txt").read_text("utf-8").count("Finished 4 updates") == 1
    assert not (report / "report.html").exists()

    # A report alone makes nothing; the whole command makes what is missing.
    assert main([*words, "--report-only"]) == 0
    assert [run["recipe"] for run in _results(tmp_path)["runs"]] == ["bert", "bert", "roberta"]
    (missing,) = _results(tmp_path)["failures"]
    assert missing["message"] == "not there yet"
    capsys.readouterr()
    assert main([*words, "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3].split("  ")[-1] == "not begun"
    assert lines[4] == "3 of 4 runs are finished."
    written = {path: path.stat().st_mtime_ns for path in results}
    assert main(words) == 0
    assert "3 of 4 runs are there already, and unchanged." in capsys.readouterr().err
    assert len(_results(tmp_path)["runs"]) == 4
    assert {path: path.stat().st_mtime_ns for path in results} == written


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_everything_in_order(tmp_path: Path, number: int, status: int) -> None:
    write_text(tmp_path)
    words = _words(tmp_path, "bert", "--budget.unit", "updates", "--budget.amount", "100000")
    process = subprocess.Popen(
        [sys.executable, str(_ROOT / "compare.py"), *words],
        stderr=subprocess.PIPE,
        text=True,
        # A test suite in the background ignores Ctrl-C, and its children would with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    run = tmp_path / "report" / "runs" / "bert" / "seed-0"
    _wait_for(lambda: list(run.glob("events.out.tfevents.*")))
    time.sleep(2)
    os.kill(process.pid, number)
    _, said = process.communicate(timeout=60)
    assert process.returncode == status
    assert "Traceback" not in said
    assert ("The same command goes on from here." in said) is (number == signal.SIGINT)
    assert (run / "checkpoints" / "last.ckpt").is_file()
    assert not (run / "result.json").exists()
    assert not (run / "error.txt").exists()


@pytest.mark.slow
def test_rates_are_tuned_and_then_used(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(_words(folder, "roberta", "--tune-lr", "1", "--anew", *_TINY)) == 0
    assert "| learning rate | roberta |" in capsys.readouterr().err
    results = _results(folder)
    chosen = [row["learning_rate"] for row in results["tuning"] if row["chosen"]]
    assert chosen == [results["recipes"][0]["learning_rate"]]
    assert results["recipes"][0]["tuned"]


@pytest.mark.slow
def test_seconds_become_updates_by_a_timing_that_is_kept(folder: Path) -> None:
    budget = ("--budget.unit", "seconds", "--budget.amount", "1", "--seeds", "1")
    assert main(_words(folder, "roberta", "--anew", *budget)) == 0
    timing = folder / "report" / "timing" / "roberta" / "result.json"
    pace = json.loads(timing.read_text("utf-8"))["seconds_per_update"]
    assert _results(folder)["runs"][0]["updates"] == max(1, round(1 / pace))


def _wait_for(happened: Callable[[], object], *, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.2)
