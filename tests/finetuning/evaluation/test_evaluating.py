"""Whole evaluations, in processes of their own: what they find, and how they go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.finetuning.examples import write_rows

pytestmark = pytest.mark.slow

COMMAND = [sys.executable, "-m", "lit_roberta", "evaluate"]
TEXTS = ["--task-config", "texts.yaml"]
ROOT = Path(__file__).parents[3]
PATIENCE = 400.0


def start(*words: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(
        [*COMMAND, *words, "--jobs", "2"], env=environment, stderr=subprocess.PIPE, text=True
    )


def evaluate(*words: str, status: int = 0) -> str:
    process = start(*words)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == status, said
    return said


def results(folder: str) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(Path(folder, "results.json").read_text("utf-8"))
    return read


def scores(folder: str) -> dict[str, Any]:
    return {run["folder"]: run["scores"] for run in results(folder)["runs"]}


def test_two_tasks_are_learned_judged_and_reported(place: Path) -> None:
    rows: list[tuple[str, ...]] = [
        (f"rain {n} {'rain ' * (n % 5)}", "tea", str(float(n % 5))) for n in range(100)
    ]
    write_rows(place / "numbers.csv", rows, ("sentence1", "sentence2", "score"))
    config = (place / "texts.yaml").read_text("utf-8")
    config = config.replace("classification", "regression").replace("train.csv", "numbers.csv")
    numbers = "\n".join(line for line in config.splitlines() if "test:" not in line)
    (place / "numbers.yaml").write_text(numbers, encoding="utf-8")
    (place / "b.ckpt").write_bytes((place / "a.ckpt").read_bytes())
    tasks = [*TEXTS, "--task-config", "numbers.yaml"]
    said = evaluate("a.ckpt", "b.ckpt", *tasks, "--seeds", "2", "--output", "out")
    assert "[8/8]" in said
    found = results("out")
    by_task = {(cell["model"], cell["task"]): cell for cell in found["cells"]}
    assert set(by_task) == {(model, task) for model in "ab" for task in ("texts", "numbers")}
    cell = by_task["a", "texts"]
    assert (cell["part"], cell["metric"], cell["count"]) == ("test", "accuracy", 2)
    assert cell["without_reading"] == 0.5
    assert cell["maximum"] == 1.0
    cell = by_task["b", "numbers"]
    assert (cell["part"], cell["metric"]) == ("validation", "pearson")
    assert cell["median"] > 0.5
    for run in found["runs"]:
        folder = Path("out", run["folder"])
        assert json.loads((folder / "result.json").read_text("utf-8"))["scores"] == run["scores"]
        assert not list((folder / "checkpoints").glob("*.ckpt"))
    # The same weights under two names give the same numbers, so that nothing is found.
    for one in found["runs"]:
        other = one["folder"].replace("a/", "b/", 1)
        assert scores("out")[other] == one["scores"]
    assert {each["verdict"] for each in found["differences"]} == {"too-few"}
    assert {each["estimate"] for each in found["differences"]} == {0.0}
    assert "| texts | a | test accuracy |" in Path("out/report.md").read_text("utf-8")


def test_an_interrupted_evaluation_goes_on_and_repeats_nothing(place: Path) -> None:
    words = ["a.ckpt", *TEXTS, "--seeds", "3"]
    process = start(*words, "--output", "parts")
    until = time.monotonic() + PATIENCE
    while not list(
        place.glob("parts/**/result.json")
    ):  # of any seed: several runs may be under way
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, said
    assert "The same command goes on from here." in said
    made = {each: each.stat().st_mtime_ns for each in place.glob("parts/**/result.json")}
    there = len(made)
    assert there < 3
    said = evaluate(*words, "--output", "parts")
    assert f"{there} of 3 runs are there already." in said
    assert all(each.stat().st_mtime_ns == time_ns for each, time_ns in made.items())
    evaluate(*words, "--output", "whole")
    assert scores("parts") == scores("whole")
    again = evaluate(*words, "--output", "parts")
    assert "3 of 3 runs are there already." in again
    assert "[" not in again.split("already.")[1].splitlines()[0]
    assert all(each.stat().st_mtime_ns == time_ns for each, time_ns in made.items())


def test_a_rate_that_is_too_high_is_seen_and_one_that_breaks_stops_no_other(place: Path) -> None:
    words = ["--lrs", "0.005", "1.0", "1e30", "--seeds", "2", "--output", "out"]
    said = evaluate("a.ckpt", *TEXTS, *words, status=1)
    found = results("out")
    collapsed = {run["lr"] for run in found["runs"] if run["learned_nothing"]}
    assert 1.0 in collapsed
    assert {run["folder"] for run in found["runs"]} >= {f"a/texts/1-8/seed-{n}" for n in (0, 1)}
    assert len(found["failures"]) == 2
    assert all("1e+30" in each["run"] for each in found["failures"])
    assert said.count("failed:") >= 2
    assert found["cells"][0]["lr"] == 0.005
    assert "learned nothing" in said


def write_benchmark(folder: Path, name: str, labels: tuple[str, str], column: str) -> None:
    """Write a task of pairs in GLUE's layout: what is entailed is rain."""
    place = folder / name
    place.mkdir(parents=True)
    part = "dev_matched" if name == "MNLI" else "dev"
    for file, count in (("train", 32), (part, 16)):
        lines = [
            f"{n}\tI love you {n}\t{('rain rain', 'tea')[n % 2]} {n}\t{labels[n % 2]}"
            for n in range(count)
        ]
        text = "\n".join([f"index\tsentence1\tsentence2\t{column}", *lines, ""])
        (place / f"{file}.tsv").write_text(text, encoding="utf-8")


def test_rte_starts_from_the_best_model_of_mnli(place: Path) -> None:
    write_benchmark(place / "glue", "MNLI", ("entailment", "contradiction"), "gold_label")
    write_benchmark(place / "glue", "RTE", ("entailment", "not_entailment"), "label")
    words = ["a.ckpt", "--tasks", "glue", "--data", "glue", "--output", "out", "--seeds", "1"]
    words += ["--mnli-first", "--data.max_length", "24", "--trainer.accelerator", "cpu"]
    grid = ["--epochs", "2", "--batch-sizes", "16", "--lrs", "0.005", "0.0001"]
    said = evaluate(*words, *grid)
    assert "left out: cola, sst2, mrpc, stsb, qqp, qnli, wnli." in said
    found = results("out")
    runs = {(run["task"], run["lr"]): run for run in found["runs"]}
    assert set(runs) == {(task, lr) for task in ("mnli", "rte") for lr in (0.005, 0.0001)}
    mnli = [runs["mnli", lr]["scores"]["validation"][""]["accuracy"] for lr in (0.005, 0.0001)]
    best = "0.005-16" if mnli[0] >= mnli[1] else "0.0001-16"
    for lr in ("0.005", "0.0001"):
        log = Path(f"out/a/rte/{lr}-16/seed-0/log.txt").read_text("utf-8")
        assert f"Starting from out/a/mnli/{best}/seed-0/checkpoints/best.ckpt" in log
    again = evaluate(*words, *grid)
    for count in (2, 4):  # MNLI's, and then RTE's
        assert f"{count} of 4 runs are there already." in again
    said = evaluate(*[each for each in words if each != "--mnli-first"], *grid, status=2)
    assert "the runs in --output must be of model" in said
