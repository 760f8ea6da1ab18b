"""What is asked for is taken as it was meant, or refused in one line before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.evaluation import evaluating
from lit_roberta.finetuning.evaluation.evaluate_cli import main, parse
from lit_roberta.finetuning.evaluation.plan import plan_evaluation
from lit_roberta.finetuning.evaluation.task_names import GLUE, task_names
from lit_roberta.finetuning.tasks.table import all_tasks
from tests.finetuning import layouts
from tests.finetuning.layouts import write_benchmark

TEXTS = ["--task-config", "texts.yaml"]


@pytest.fixture
def no_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where a process would be started."""

    def refuse(**_: object) -> None:
        raise AssertionError("a run was started")

    monkeypatch.setattr(evaluating, "worker_pool", refuse)


@pytest.mark.usefixtures("no_runs")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.ckpt"], "--tasks must name what is to be learned"),
        (["a.ckpt", "--tasks", "nonsense", "--data", "."], "--tasks must be one of"),
        (["a.ckpt", "--tasks", "sst2"], "--data must be there for sst2"),
        (["a.ckpt", "--tasks", "sst2", "--data", "gone"], "--data must be a folder"),
        (["a.ckpt", "--tasks", "sst2", "--data", "."], "the folder of sst2 must be there"),
        (["a.ckpt", "--tasks", "glue", "--data", "."], "--data must hold a folder of glue"),
        (["a.ckpt", "--tasks", "classification", "--data", "."], "--tasks must be tasks of"),
        (["a.ckpt", "--task-config", "gone.yaml"], "--task-config must name a file"),
        (["a.ckpt", *TEXTS, *TEXTS], "--task-config must have a name of its own"),
        (["gone.ckpt", *TEXTS], "the model must be a file or a folder, got 'gone.ckpt'"),
        (["train.csv", *TEXTS], "train.csv"),
        (["a.ckpt", "a.ckpt", *TEXTS], "the models must have names of their own, got 'a'"),
        (["a.ckpt", *TEXTS, "--seeds", "0"], "--seeds must be 1 or more, got 0"),
        (["a.ckpt", *TEXTS, "--lrs", "0"], "--lrs must be above 0, got 0.0"),
        (["a.ckpt", *TEXTS, "--lrs", "1e-5", "1e-5"], "--lrs must be named once each"),
        (["a.ckpt", *TEXTS, "--batch-sizes", "-1"], "--batch-sizes must be above 0"),
        (["a.ckpt", *TEXTS, "--seeds", "1", "--significance", "true"], "--seeds must be 2 or"),
        (["a.ckpt", *TEXTS, "--significance", "true"], "--significance must have two models"),
        (["a.ckpt", *TEXTS, "--mnli-first"], "--mnli-first must have mnli among the tasks"),
        (["a.ckpt", *TEXTS, "--model.optimizer.lr", "1"], "Instead give --lrs"),
        (["a.ckpt", *TEXTS, "--data.max_length", "99"], "data.max_length must be at most"),
        (["a.ckpt", *TEXTS, "--data.train", "gone.csv"], "gone.csv"),
        (
            [
                "a.ckpt",
                *TEXTS,
                "--lrs",
                "1e-5",
                "2e-5",
                "--data.validation_share=0",
            ],
            "texts must have a validation part to choose by",
        ),
        (["a.ckpt", *TEXTS, "--output", "train.csv"], "--output must be writable"),
    ],
)
def test_bad_input_is_one_line(
    place: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    before = {path.name for path in place.iterdir()}
    assert main(words) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert said in lines[0]
    assert {path.name for path in place.iterdir()} == before


def test_a_grid_is_all_of_it_and_one_setting_is_the_tasks_own(place: Path) -> None:
    plan = plan_evaluation(parse(["a.ckpt", *TEXTS, "--seeds", "2", "--grid"]))
    tried = {(run.lr, run.batch_size, run.seed) for run in plan.runs}
    assert tried == {
        (lr, size, seed) for lr in (1e-5, 2e-5, 3e-5) for size in (16, 32) for seed in (0, 1)
    }
    assert len({run.folder for run in plan.runs}) == len({run.fingerprint for run in plan.runs})
    (run,) = plan_evaluation(parse(["a.ckpt", *TEXTS, "--seeds=1"])).runs
    assert (run.lr, run.batch_size) == (5e-3, 8)


def test_a_place_of_other_settings_is_refused_and_they_are_named(place: Path) -> None:
    words = ["a.ckpt", *TEXTS, "--seeds=1", "--output=out"]
    (run,) = plan_evaluation(parse(words)).runs
    run.folder.mkdir(parents=True)
    run._use_its_threads()
    plan_evaluation(parse(words))
    with pytest.raises(UserError, match=r"data\.max_length 12, got 16\. Give another"):
        plan_evaluation(parse([*words, "--data.max_length=12"]))
    text = (place / "train.csv").read_text("utf-8")
    (place / "train.csv").write_text(text + "more tea,no\n", encoding="utf-8")
    with pytest.raises(UserError, match="be of examples"):
        plan_evaluation(parse(words))


def test_a_name_can_be_given_and_a_run_lends_its_own(place: Path) -> None:
    inner = place / "runs" / "small" / "checkpoints"
    inner.mkdir(parents=True)
    (inner / "last.ckpt").write_bytes((place / "a.ckpt").read_bytes())
    asked = parse(["runs/small/checkpoints/last.ckpt", "other=a.ckpt", *TEXTS])
    assert [model.name for model in plan_evaluation(asked).models] == ["small", "other"]


def test_glue_is_what_is_there(tmp_path: Path) -> None:
    specs = all_tasks()
    assert set(GLUE) <= set(specs)
    for name in ("rte", "mnli"):
        (tmp_path / str(specs[name].folder)).mkdir()
    names, missing = task_names(["glue", "rte"], tmp_path)
    assert names == ["mnli", "rte"]
    assert set(missing) == set(GLUE) - {"mnli", "rte"}
    assert {"mnli", "rte"} <= set(task_names(["all"], tmp_path)[0])


def test_rte_mrpc_and_stsb_wait_for_mnli_and_no_other_task_does(place: Path) -> None:
    for name in GLUE:
        write_benchmark(place / "glue", name, layouts.GLUE)
    words = ["a.ckpt", "--tasks", "glue", "--data", "glue", "--seeds=1", "--data.max_length=32"]
    plan = plan_evaluation(parse([*words, "--mnli-first"]))
    waiting = {"rte", "mrpc", "stsb"}
    assert {run.task for run in plan.later} == waiting
    assert {run.task for run in plan.runs} == set(GLUE) - waiting
    assert not plan_evaluation(parse(words)).later


@pytest.mark.parametrize("name", ["multirc", "copa", "boolq"])
def test_a_task_is_the_same_wherever_its_folder_lies(place: Path, name: str) -> None:
    def digest(folder: str) -> str:
        words = ["a.ckpt", "--tasks", name, "--data", folder, "--data.max_length", "16"]
        (task,) = plan_evaluation(parse(words)).tasks
        return task.digest

    for folder in ("here", "there"):
        write_benchmark(place / folder, name, layouts.SUPERGLUE)
    assert digest("here") == digest("there")
    file = next((place / "there").rglob("val.jsonl"))
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([*lines[1:], ""]), encoding="utf-8")
    assert digest("here") != digest("there")
