"""The best of a run by the task's own score, in its own direction, is what is judged later."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lit_roberta import load_task_model, predict
from lit_roberta.finetuning.checkpoint import read_finetuned
from lit_roberta.finetuning.module import FinetuningModule
from lit_roberta.finetuning.tasks.table import find_task
from tests.finetuning.examples import ROWS, write_rows
from tests.training.commands import Command

SCORES = {
    "classification": ("accuracy", [0.5, 0.9, 0.7, 0.6, 0.95]),
    "regression": ("mse", [0.9, 0.2, 0.5, 0.6, 0.1]),
    "regression by pearson": ("pearson", [0.1, 0.4, -0.9, 0.3, 0.9]),
}
"""What each epoch's validation is said to give: of the first four the second is the best."""


@pytest.fixture
def words(command: Command, pretrained: Path) -> list[str]:
    """What all runs share."""
    labels = {"yes": "1.5", "no": "-0.5"}
    rows: list[tuple[str, ...]] = [(text, labels[label]) for text, label in ROWS * 2]
    for name in ("train", "test"):
        write_rows(command.folder / f"{name}.csv", rows, ("text", "label"))
    told = ["--data.train=train.csv", "--data.validation=test.csv", "--data.test=test.csv"]
    told += [f"--model.pretrained={pretrained}", "--model.optimizer.lr=1e-3"]
    told += ["--data.max_length=16", "--data.batch_size=8", "--trainer.accelerator=cpu"]
    return [*told, "--trainer.enable_progress_bar=false"]


@pytest.mark.parametrize("what", SCORES)
@pytest.mark.filterwarnings("ignore:.*callbacks used to create the checkpoint")
def test_the_best_epoch_is_found_stopped_by_and_judged(
    what: str, command: Command, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    task, (metric, scores) = what.split()[0], SCORES[what]
    validated = [0]
    judge = FinetuningModule.on_validation_epoch_end

    def judge_and_count(self: FinetuningModule) -> None:
        validated[0] += 1
        judge(self)

    def said(*_: Any) -> dict[str, float]:
        return {metric: scores[max(0, validated[0] - 1)]}

    monkeypatch.setattr(FinetuningModule, "on_validation_epoch_end", judge_and_count)
    monkeypatch.setattr(find_task(task).task, "scores", said)
    told = [f"--data.task={task}", f'--data.metrics=["{metric}"]', *words]
    fit = ["--trainer.max_epochs=5", "--patience=2"]
    assert command("fit", *told, *fit) == 0, command.messages
    assert "no better in 2 validations in a row" in command.messages
    assert f"Best validation {metric}: {scores[1]:.4f}" in command.messages
    checkpoints = command.folder / "runs/finetuning/checkpoints"
    updates = {
        name: read_finetuned(checkpoints / f"{name}.ckpt").update for name in ("best", "last")
    }
    assert updates == {"best": 4, "last": 8}

    assert command("predict", *told) == 0, command.messages
    lines = (command.folder / "runs/finetuning/predictions.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in lines]
    for name in ("best", "last"):
        model = load_task_model(str(checkpoints / f"{name}.ckpt"), device="cpu")
        wanted = [each.as_dict() for each in predict(model, [row["text"] for row in found])]
        assert ([row["prediction"] for row in found] == wanted) is (name == "best")
