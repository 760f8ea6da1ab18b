"""Runs of a comparison, fine-tuned for a task of one's own."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from lit_roberta.comparison import fine_tuning
from lit_roberta.comparison.choosing import Choice
from lit_roberta.comparison.cli import main, parse
from lit_roberta.comparison.fine_tuning import fine_tune_runs
from lit_roberta.comparison.judging.task_scores import TaskScores
from lit_roberta.comparison.not_asked import notices_of_judges_not_asked
from lit_roberta.comparison.probing import PROBES
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.results import Failure
from lit_roberta.comparison.runs.run import Run
from lit_roberta.errors import UserError
from lit_roberta.finetuning.evaluation.runs import EvaluationRun
from lit_roberta.workers import Event, WorkerPool
from tests.comparison.planted import plant_results
from tests.finetuning.evaluation.conftest import CONFIG
from tests.finetuning.examples import write_texts
from tests.inference.models import write_model

RUNS = [("bert", 0), ("bert", 1), ("roberta", 1)]


class Inline(WorkerPool[EvaluationRun]):
    """Makes runs in this process, and counts them."""

    def __init__(self) -> None:
        super().__init__(jobs=1, threads=1)
        self.made: list[EvaluationRun] = []

    def run(
        self, tasks: Sequence[EvaluationRun], on_event: Callable[[Event[EvaluationRun]], None]
    ) -> None:
        for task in tasks:
            self.made.append(task)
            task.execute(lambda *_: None)
            on_event(Event(task=task, kind="finished"))


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Inline:
    pool = Inline()

    @contextmanager
    def inline(*, jobs: int, threads: int) -> Iterator[Inline]:
        yield pool

    monkeypatch.setattr(fine_tuning, "worker_pool", inline)
    return pool


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Comparison:
    """A comparison of which three runs lie there, with a task."""
    monkeypatch.chdir(tmp_path)
    for number, (recipe, seed) in enumerate(RUNS):
        folder = tmp_path / "out" / "runs" / recipe / f"seed-{seed}" / "checkpoints"
        folder.mkdir(parents=True)
        write_model(folder / "last.ckpt", intermediate_size=16 + number)
    write_texts(tmp_path / "train.csv", copies=6)
    write_texts(tmp_path / "test.csv", copies=2)
    (tmp_path / "mood.yaml").write_text(CONFIG.replace("epochs: 8", "epochs: 2"), encoding="utf-8")
    return Comparison(output=tmp_path / "out", finetune=("mood.yaml",))


def runs() -> list[Run]:
    planted = {(run.recipe, run.seed): run for run in plant_results(seeds=2).runs}
    return [planted[key] for key in RUNS]


def tuned(asked: Comparison) -> tuple[list[TaskScores], list[Failure]]:
    return fine_tune_runs(asked, runs(), Console(file=io.StringIO()))


def test_each_run_learns_each_task_once_with_its_own_seed(asked: Comparison, pool: Inline) -> None:
    scores, failures = tuned(asked)
    assert failures == []
    assert [(run.model, run.seed) for run in pool.made] == RUNS
    for run in pool.made:
        assert run.folder == asked.output / "finetuned" / run.model / "mood" / f"seed-{run.seed}"
        assert run.source == str(
            asked.output / "runs" / run.model / f"seed-{run.seed}" / "checkpoints" / "last.ckpt"
        )
    assert [(each.recipe, each.task, each.seeds) for each in scores] == [
        ("bert", "mood", [0, 1]),
        ("roberta", "mood", [1]),
    ]
    for each in scores:
        folder = asked.output / "finetuned" / each.recipe / "mood"
        for seed, score in zip(each.seeds, each.scores, strict=True):
            stored = json.loads((folder / f"seed-{seed}" / "result.json").read_text("utf-8"))
            (test,) = stored["scores"]["test"].values()
            assert test["accuracy"] == score
        assert [len(one["each"]) for one in each.examples] == [16] * len(each.seeds)
        assert each.part == "test"

    # Nothing is made twice, and a report alone makes nothing.
    made = len(pool.made)
    assert tuned(asked) == (scores, [])
    assert tuned(replace(asked, choice=Choice(report_only=True))) == (scores, [])
    assert len(pool.made) == made


def test_a_run_that_was_made_anew_is_fine_tuned_anew_if_that_is_asked_for(
    asked: Comparison, pool: Inline
) -> None:
    tuned(asked)
    folder = asked.output / "runs" / "bert" / "seed-1" / "checkpoints"
    (folder / "last.ckpt").unlink()
    write_model(folder / "last.ckpt", intermediate_size=24)
    with pytest.raises(UserError, match="must be of model"):
        tuned(asked)
    pool.made.clear()
    tuned(replace(asked, choice=Choice(anew=True)))
    assert [(run.model, run.seed) for run in pool.made] == [("bert", 1)]


def test_a_report_alone_names_what_was_not_fine_tuned(asked: Comparison, pool: Inline) -> None:
    scores, failures = tuned(replace(asked, choice=Choice(report_only=True)))
    assert scores == []
    assert [(each.recipe, each.seed) for each in failures] == RUNS
    assert {each.message for each in failures} == {"fine-tuning for mood: not there yet"}
    assert pool.made == []


def test_judges_that_were_asked_before_and_are_not_now_are_named(
    asked: Comparison, pool: Inline
) -> None:
    nobody = replace(asked, finetune=())
    assert list(notices_of_judges_not_asked(nobody, runs())) == []
    tuned(asked)
    (asked.output / "runs" / "bert" / "seed-1" / PROBES).write_text("{}", encoding="utf-8")
    probed, learned = notices_of_judges_not_asked(nobody, runs())
    assert "probed: --probes brings" in probed
    assert "fine-tuned for mood: --finetune with" in learned
    assert list(notices_of_judges_not_asked(replace(asked, probes=True), runs())) == []
    # What was made for other runs is no part of this report anyway.
    others = [replace(run, seed=7) for run in runs()]
    assert list(notices_of_judges_not_asked(nobody, others)) == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("no file", "--finetune must name a file, got 'missing.yaml'"),
        ("no examples", "the file of examples must exist, got 'train.csv'"),
        ("a label", "label"),
        ("a length", "data.max_length must be at most 64, got 65"),
    ],
)
def test_a_task_that_nobody_can_learn_is_said_before_anything_is_trained(
    asked: Comparison, change: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = "missing.yaml" if change == "no file" else "mood.yaml"
    if change == "no examples":
        Path("train.csv").unlink()
    if change == "a length":
        longer = CONFIG.replace("max_length: 16", "max_length: 65")
        Path("mood.yaml").write_text(longer, encoding="utf-8")
    if change == "a label":
        Path("test.csv").write_text("text,label\nunheard of,unseen\n" * 9, encoding="utf-8")
    assert main(["--finetune", file, "--output", "new"]) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert not any(Path("new").rglob("*.ckpt"))


def test_the_command_line_and_python_name_tasks_alike() -> None:
    assert parse(["--finetune", "a.yaml", "b.yaml"]).finetune == ("a.yaml", "b.yaml")
    assert parse([]).finetune == ()
