"""From a text file of two columns to predictions, as the README has it for a new user."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lit_roberta import load_task_model, predict
from lit_roberta.exchange.export_cli import main as export
from lit_roberta.finetuning.predict_cli import main as predict_texts
from tests.finetuning.examples import ROWS
from tests.training.commands import Command

CONFIG = "--config=finetune/text_classification.yaml"
PLACE = "--trainer.default_root_dir=runs/reviews"
QUIET = ["--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]


def test_a_file_of_two_columns_becomes_predictions(
    command: Command, pretrained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{text} {copy}\t{label}" for copy in range(10) for text, label in ROWS]
    Path("reviews.tsv").write_text("\n".join(["text\tlabel", *lines, ""]), encoding="utf-8")
    data = ["--data.train=reviews.tsv", "--data.test_share=0.1", "--data.max_length=32"]
    learning = [f"--model.pretrained={pretrained}", "--model.optimizer.lr=5e-3"]
    assert command("fit", CONFIG, *data, *learning, PLACE, *QUIET) == 0, command.messages
    assert "64 examples to learn from, 8 of validation, 8 of test." in command.messages
    assert "Epoch 3 of 3: training loss" in command.messages

    # nothing but the configuration and the folder is said again
    assert command("test", CONFIG, PLACE, *QUIET) == 0, command.messages
    assert "test/accuracy" in command.messages
    assert "(without reading" in command.messages

    best = Path("runs/reviews/checkpoints/best.ckpt")
    text = "so the rain is here"
    (wanted,) = predict(load_task_model(str(best)), [text])
    assert list(wanted.probabilities) == ["no", "yes"]
    capsys.readouterr()
    assert predict_texts([str(best), text]) == 0
    assert capsys.readouterr().out.splitlines()[0] == text
    Path("new.txt").write_text(f"{text}\ntea\n", encoding="utf-8")
    assert predict_texts([str(best), "--input", "new.txt", "--output", "said.jsonl"]) == 0
    rows = [json.loads(line) for line in Path("said.jsonl").read_text("utf-8").splitlines()]
    assert [row["text"] for row in rows] == [text, "tea"]
    assert rows[0]["label"] == wanted.label
    assert rows[0]["probabilities"] == pytest.approx(dict(wanted.probabilities), abs=1e-5)
    assert export([str(best), "my-classifier"]) == 0
    assert predict(load_task_model("my-classifier"), [text])[0].label == wanted.label
