from __future__ import annotations

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
import pytorch_lightning as pl
import torch

from lit_roberta.finetuning.module import FinetuningModule
from tests.finetuning.examples import write_rows, write_texts
from tests.training.commands import Command

FIT = ["fit", "--data.task=classification", "--data.train=train.csv", "--data.test=test.csv"]
QUIET = ["--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]
ROLES = {"text": "body", "pair": "title", "label": "stars"}
ONE = ["--trainer.max_steps=1"]
SMALL = ["--data.max_length=16", "--data.batch_size=8", *QUIET]


@pytest.fixture
def words(command: Command, pretrained: Path) -> list[str]:
    """A run that learns what its examples are about."""
    write_texts(command.folder / "train.csv")
    write_texts(command.folder / "test.csv", copies=2)
    learning = ["--model.optimizer.lr=5e-3", "--trainer.max_epochs=8"]
    return [*FIT, *SMALL, f"--model.pretrained={pretrained}", *learning]


def weights(folder: Path, name: str = "last") -> dict[str, Any]:
    checkpoint = torch.load(folder / f"checkpoints/{name}.ckpt", weights_only=True)
    found: dict[str, Any] = checkpoint["state_dict"]
    return found


def test_a_task_is_learned_judged_and_predicted(command: Command, words: list[str]) -> None:
    assert command(*words) == 0, command.messages
    said = command.messages
    assert "Task: classification, 2 labels: no, yes." in said
    number = r"\d\.\d{4}"
    line = (
        rf"Epoch (\d) of 8: training loss {number}, accuracy {number}; "
        rf"validation loss {number}, accuracy {number}, macro_f1 {number}\.\n"
    )
    assert re.findall(line, said) == list("12345678")
    assert "Best validation accuracy: 1.0000" in said

    assert command("test", *words[1:-2]) == 0, command.messages
    assert "test/accuracy" in command.messages
    assert "(without reading" in command.messages
    assert command("predict", *words[1:-2]) == 0, command.messages
    folder = command.folder / "runs" / "finetuning"
    rows = [json.loads(line) for line in (folder / "predictions.jsonl").read_text().splitlines()]
    assert len(rows) == 16
    right = [row["prediction"]["label"] == row["label"] for row in rows]
    assert sum(right) >= 15
    assert all(
        sum(row["prediction"]["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        for row in rows
    )


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl"])
def test_columns_are_named_on_the_command_line(
    command: Command, pretrained: Path, kind: str
) -> None:
    columns = ("label", "body", "title", "stars")  # the first is none, whatever it is called
    rows = [
        ("x", f"it is {n}", f"{('tea', 'rain')[n % 2]} {n // 2}", ["no", "yes"][n % 2])
        for n in range(24)
    ]
    between = {"csv": ",", "tsv": "\t"}.get(kind)
    lines = [
        between.join(row) if between else json.dumps(dict(zip(columns, row, strict=True)))
        for row in ([columns] * bool(between) + rows)
    ]
    (command.folder / f"a.{kind}").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["--data.task=classification", f"--data.train=a.{kind}", f"--data.test=a.{kind}"]
    words += [f"--data.reading.{role}_column={name}" for role, name in ROLES.items()]
    assert command("fit", *words, *SMALL, f"--model.pretrained={pretrained}", *ONE) == 0
    assert "Task: classification, 2 labels: no, yes." in command.messages
    assert command("predict", *words, *SMALL) == 0, command.messages
    found = (command.folder / "runs/finetuning/predictions.jsonl").read_text().splitlines()
    asked = [json.loads(line) for line in found]
    assert [(each["text"], each["pair"], each["label"]) for each in asked] == [
        row[1:] for row in rows
    ]


def test_a_model_is_judged_at_the_length_of_its_training_unless_the_command_line_says_another(
    command: Command, words: list[str]
) -> None:
    longer = command.folder / "longer.yaml"
    longer.write_text("data: {max_length: 24}\n", encoding="utf-8")
    assert command(*words[:-1], "--trainer.max_epochs=1") == 0, command.messages
    without = [word for word in words[1:-2] if not word.startswith("--data.max_length")]
    saved = command.folder / "runs" / "finetuning" / "predictions.jsonl"

    def predicted(*more: str) -> str:
        assert command("predict", *without, *more) == 0, command.messages
        return saved.read_text()

    as_trained = predicted()
    folder = "--trainer.default_root_dir=runs/finetuning"  # a file's name would be the folder's
    assert predicted(f"--config={longer}", folder) == as_trained
    assert predicted("--data.max_length=6") != as_trained


@pytest.mark.parametrize("subcommand", ["validate", "test", "predict"])
def test_sigterm_ends_what_only_judges_a_model_and_leaves_no_file(
    command: Command, words: list[str], monkeypatch: pytest.MonkeyPatch, subcommand: str
) -> None:
    assert command(*words[:-1], "--trainer.max_epochs=1") == 0, command.messages
    folder = command.folder / "runs" / "finetuning"
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    stage = "validation" if subcommand == "validate" else subcommand
    monkeypatch.setattr(
        pl.LightningModule,
        f"on_{stage}_batch_end",
        lambda *_: os.kill(os.getpid(), signal.SIGTERM),
    )
    listening = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        command(subcommand, *words[1:-2])
    assert ended.value.code == 143
    assert signal.getsignal(signal.SIGTERM) is listening
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_a_run_that_goes_on_is_the_run_that_was_not_interrupted(
    command: Command, words: list[str]
) -> None:
    base = words[:-1]
    assert command(*base, "--trainer.max_steps=6", "--trainer.default_root_dir=whole") == 0
    shape = ["--trainer.default_root_dir=parts", "--model.schedule.kind=constant"]
    constant = [*base, "--model.schedule.kind=constant"]
    assert command(*constant, "--trainer.max_steps=6", "--trainer.default_root_dir=straight") == 0
    assert command(*base, *shape, "--trainer.max_steps=3") == 0
    assert command(*base, *shape, "--trainer.max_steps=6", "--ckpt_path=last") == 0
    one, other = weights(command.folder / "straight"), weights(command.folder / "parts")
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert any(not torch.equal(one[n], weights(command.folder / "whole")[n]) for n in one)


def test_a_checkpoint_loads_alone(command: Command, words: list[str]) -> None:
    assert command(*words[:-1], "--trainer.max_steps=2") == 0, command.messages
    path = command.folder / "runs/finetuning/checkpoints/last.ckpt"
    module = FinetuningModule.load_from_checkpoint(path, weights_only=True)
    assert module.task.labels == ("no", "yes")
    assert module.model(torch.tensor([[2, 7, 3]])).shape == (1, 2)


@pytest.mark.parametrize("verb", ["fit", "validate", "test", "predict"])
def test_a_checkpoint_of_a_task_is_said_to_be_one(
    command: Command, words: list[str], verb: str
) -> None:
    assert command(*words, *ONE) == 0, command.messages
    path = next(command.folder.glob("runs/*/checkpoints/last.ckpt"))
    asked = [verb, f"--ckpt_path={path}", *QUIET]
    line = command.refuses(*asked)
    assert line.startswith("ckpt_path must be of pretraining")
    task = line.partition("add ")[2].rstrip(".").split()
    if verb != "fit":  # which would write over it
        assert command(*asked, *task) == 0, command.messages


@pytest.mark.parametrize("batch", ["--data.micro_batch_size=1", "--data.micro_batch_size=3"])
def test_the_micro_batch_does_not_change_what_is_learned(
    command: Command, words: list[str], batch: str
) -> None:
    still = [*words[:-1], "--model.head_dropout=0", "--trainer.max_steps=3"]
    assert command(*still, "--trainer.default_root_dir=one") == 0, command.messages
    assert command(*still, batch, "--trainer.default_root_dir=other") == 0, command.messages
    one, other = weights(command.folder / "one"), weights(command.folder / "other")
    for name in one:
        torch.testing.assert_close(one[name], other[name], rtol=1e-3, atol=2e-5)


def test_numbers_are_learned(command: Command, pretrained: Path) -> None:
    rows = [(f"rain {n} {'rain ' * (n % 5)}", "tea", str(float(n % 5))) for n in range(40)]
    write_rows(command.folder / "train.csv", list(rows), ("sentence1", "sentence2", "score"))
    words = ["fit", "--data.task=regression", "--data.train=train.csv", *SMALL]
    words += [f"--model.pretrained={pretrained}", "--model.optimizer.lr=5e-3"]
    assert command(*words, "--trainer.max_epochs=15") == 0, command.messages
    best = float(command.messages.split("Best validation pearson: ")[1].split()[0])
    assert best > 0.8


@pytest.mark.parametrize(
    ("freeze", "trained"), [("embeddings", "01"), ("encoder", ""), (0, "01"), (1, "1"), (2, "")]
)
def test_what_is_frozen_stays_also_in_a_run_that_goes_on(
    command: Command, words: list[str], freeze: object, trained: str
) -> None:
    told = [*words[:-1], f"--model.freeze={freeze}", "--model.schedule.kind=constant"]
    assert command(*told, "--trainer.max_steps=1") == 0, command.messages
    if freeze == 1:
        goes_on = ["--trainer.max_steps=2", "--ckpt_path=last"]
        assert command(*told, *goes_on) == 0, command.messages
    before = torch.load(command.folder / "pretrained.ckpt", weights_only=True)["state_dict"]
    after = weights(command.folder / "runs/finetuning")
    moved = {name for name in after if name in before and not after[name].equal(before[name])}
    assert not any(name.startswith("model.embeddings") for name in moved)
    layers = {name.split(".")[3] for name in moved if name.startswith("model.encoder.layers")}
    assert layers == set(trained)


def test_a_file_is_judged_where_nothing_is_left_of_what_was_learned_from(
    command: Command, words: list[str]
) -> None:
    assert command(*words[:-1], "--trainer.max_steps=2") == 0, command.messages
    (command.folder / "train.csv").unlink()
    write_texts(command.folder / "new.csv", copies=1)
    for subcommand, name in (("test", "test"), ("validate", "validation"), ("predict", "test")):
        told = ["--data.task=classification", f"--data.{name}=new.csv", *QUIET]
        assert command(subcommand, *told) == 0, command.messages
        if subcommand != "predict":
            assert "/accuracy" in command.messages
            assert "without reading" not in command.messages
