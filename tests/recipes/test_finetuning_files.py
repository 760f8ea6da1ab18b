from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from lit_roberta.finetuning.benchmarks.table import BENCHMARKS
from tests.finetuning.running import run_all
from tests.finetuning.sources import SOURCES
from tests.inference.models import write_model
from tests.recipes.test_recipe_files import CONFIGS, flatten

FOLDER = CONFIGS / "finetune"
FILES = sorted(FOLDER.glob("*.yaml"))
GLUE_OF_THE_PAPER = ("cola", "sst2", "mrpc", "stsb", "qqp", "mnli", "qnli", "rte")

KEYS = {
    "data.task",
    "data.max_length",
    "data.batch_size",
    "data.reading.tags_column",
    "data.reading.words_column",
    "model.optimizer.lr",
    "model.optimizer.betas",
    "model.optimizer.eps",
    "model.optimizer.weight_decay",
    "model.optimizer.clip_norm",
    "model.schedule.kind",
    "model.schedule.warmup_share",
    "trainer.max_epochs",
    "trainer.max_steps",
}
"""What a file of fine-tuning may say besides a task's options: how it is learned. Neither the
model that it starts from, nor where data lie, nor what machine it is."""


def settings(path: Path) -> dict[str, Any]:
    return flatten(yaml.safe_load(path.read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str]]:
    """Run all files in one process of their own, where no shape is checked: status and words."""
    folder = tmp_path_factory.mktemp("finetuning")
    model = write_model(folder / "pretrained.ckpt")
    commands = {}
    for path in FILES:
        place = folder / path.stem
        place.mkdir()
        source = SOURCES[settings(path)["data.task"]](place)
        small = ["--data.max_length=48", "--trainer.accelerator=cpu", "--trainer.logger=false"]
        start = [f"--model.pretrained={model}", "--trainer.enable_progress_bar=false"]
        flags = ["--trainer.fast_dev_run=true", *small, *start, *source]
        commands[path.stem] = ["fit", f"--config={path}", *flags]
    return run_all(folder, commands)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_runs(path: Path, results: dict[str, tuple[int, str]]) -> None:
    status, said = results[path.stem]
    assert status == 0, said
    assert "Finished" in said or "Best validation" in said or "The run stands" in said


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_says_how_a_task_is_learned_and_where_that_is_from(path: Path) -> None:
    found = settings(path)
    assert {key for key in found if not key.startswith("data.options.")} <= KEYS
    assert {"data.task", "data.max_length", "data.batch_size", "model.optimizer.lr"} <= set(found)
    comment = [line for line in path.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    assert any(source in " ".join(comment) for source in ("2021", "2019", "2017", "tutorial"))


def test_each_task_of_a_benchmark_has_a_file_of_its_name() -> None:
    names = {path.stem for path in FILES}
    assert {each.name for each in BENCHMARKS} <= names
    for each in BENCHMARKS:
        assert settings(FOLDER / f"{each.name}.yaml")["data.task"] == each.name


@pytest.mark.parametrize("name", GLUE_OF_THE_PAPER)
def test_glues_files_lie_in_the_grid_of_the_paper(name: str) -> None:
    found = settings(FOLDER / f"{name}.yaml")
    assert found["model.optimizer.lr"] in (1e-5, 2e-5, 3e-5)
    assert found["data.batch_size"] in (16, 32)
    assert found["model.optimizer.weight_decay"] == 0.1
    assert found["model.schedule.kind"] == "linear"
    assert found["model.schedule.warmup_share"] == 0.06
    assert found["trainer.max_epochs"] == 10


def test_the_tutorials_file_has_its_numbers() -> None:
    found = settings(FOLDER / "text_classification.yaml")
    stated = {
        "data.max_length": 128,
        "data.batch_size": 32,
        "trainer.max_epochs": 3,
        "model.optimizer.lr": 2e-5,
    }
    assert {key: found[key] for key in stated} == stated


def test_there_is_data_for_the_task_of_each_file() -> None:
    assert {settings(path)["data.task"] for path in FILES} <= set(SOURCES)
