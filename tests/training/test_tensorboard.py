from __future__ import annotations

import csv
from pathlib import Path

import pytest
import yaml
from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    EventAccumulator,
)
from torch.utils.tensorboard import SummaryWriter

from lit_roberta.training.tensorboard import mark_resumption
from tests.training.commands import TINY, Command


def read(folder: Path) -> EventAccumulator:
    events = EventAccumulator(str(folder))
    events.Reload()
    return events


def points(folder: Path, tag: str) -> list[int]:
    return [event.step for event in read(folder).Scalars(tag)]


def test_a_run_has_all_curves_over_three_axes(command: Command) -> None:
    fit = ["fit", "--config=bert", *TINY, "--trainer.log_every_n_steps=2"]
    assert command(*fit, "--trainer.max_steps=4", "--trainer.val_check_interval=4") == 0

    folder = command.folder / "runs" / "bert"
    events = read(folder)
    assert set(events.Tags()["scalars"]) == {
        "train/masked_lm_loss",
        "train/next_sentence_loss",
        "train/lr",
        "train/grad_norm",
        "train/tokens_per_second",
        "val/masked_lm_loss",
        "val/unigram_loss",
        "val/perplexity",
        "val/masked_lm_accuracy",
        "val/next_sentence_accuracy",
    }
    assert "samples/text_summary" in events.Tags()["tensors"]
    assert "custom_scalars__config__" in events.Tags()["tensors"]
    assert points(folder, "train/masked_lm_loss") == [2, 4]
    assert points(folder, "val/masked_lm_loss") == [4]

    by_sequences = folder / "by_sequences"
    assert points(by_sequences, "by_sequences/train/masked_lm_loss") == [32, 64]
    told_by_updates_alone = {"train/lr", "train/grad_norm", "train/tokens_per_second"}
    assert set(read(by_sequences).Tags()["scalars"]) == {
        f"by_sequences/{tag}" for tag in set(events.Tags()["scalars"]) - told_by_updates_alone
    }
    by_tokens = points(folder / "by_tokens", "by_tokens/val/masked_lm_loss")
    assert len(by_tokens) == 1
    assert by_tokens[0] > 64


def test_what_is_written_twice_after_a_kill_counts_once(tmp_path: Path) -> None:
    with SummaryWriter(str(tmp_path)) as writer:
        for step in (10, 20, 30, 40):
            writer.add_scalar("loss", step, step)
    with SummaryWriter(str(tmp_path), filename_suffix=".resumed") as writer:
        mark_resumption(writer, step=20)  # the checkpoint was made at 20, the kill came after 40
        for step in (30, 40, 50):
            writer.add_scalar("loss", -step, step)
    events = read(tmp_path).Scalars("loss")
    assert [(event.step, event.value) for event in events] == [
        (10, 10.0),
        (20, 20.0),
        (30, -30.0),
        (40, -40.0),
        (50, -50.0),
    ]


def test_a_resumed_run_continues_its_curves_on_every_axis(command: Command) -> None:
    fit = ["fit", "--config=roberta", *TINY, "--trainer.log_every_n_steps=2"]
    assert command(*fit, "--trainer.max_steps=4") == 0
    assert command(*fit, "--trainer.max_steps=8", "--ckpt_path=last") == 0, command.messages
    folder = command.folder / "runs" / "roberta"
    assert points(folder, "train/masked_lm_loss") == [2, 4, 6, 8]
    tokens = points(folder / "by_tokens", "by_tokens/train/masked_lm_loss")
    assert len(tokens) == 4
    assert tokens == sorted(tokens)


def test_another_logger_gets_the_curves_too(command: Command) -> None:
    words = ["--trainer.logger=CSVLogger", "--trainer.logger.save_dir=csv"]
    fit = ["fit", "--config=roberta", *TINY, "--trainer.log_every_n_steps=2", *words]
    assert command(*fit, "--trainer.max_steps=4", "--trainer.val_check_interval=4") == 0
    (table,) = command.folder.rglob("metrics.csv")
    rows = list(csv.DictReader(table.read_text().splitlines()))
    trained = [row["step"] for row in rows if row["train/masked_lm_loss"]]
    assert trained == ["2", "4"]
    assert [row["step"] for row in rows if row["val/masked_lm_loss"]] == ["4"]


def test_a_table_keeps_its_history_and_each_step_once(command: Command) -> None:
    logger = ["--trainer.logger=CSVLogger", "--trainer.logger.save_dir=csv"]
    logger += ["--trainer.logger.name=", "--trainer.logger.version=run"]
    every = ["--trainer.log_every_n_steps=1", "--trainer.val_check_interval=6"]
    fit = ["fit", "--config=roberta", *TINY, *logger, *every, "--checkpoint.every_n_updates=6"]
    assert command(*fit, "--trainer.max_steps=6") == 0, command.messages
    table = command.folder / "csv" / "run" / "metrics.csv"
    before = list(csv.DictReader(table.read_text().splitlines()))
    # What a run that was killed later had written behind its last checkpoint.
    with table.open("a", encoding="utf-8") as file:
        csv.DictWriter(file, before[0]).writerow(before[0] | {"step": 7})
    assert command(*fit, "--trainer.max_steps=9", "--ckpt_path=last") == 0, command.messages
    assert "deleted" not in command.messages
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert rows[: len(before)] == before
    trained = [int(row["step"]) for row in rows if row["train/masked_lm_loss"]]
    assert trained == list(range(1, 10))


@pytest.mark.parametrize("logger", ["TensorBoardLogger", "CSVLogger"])
def test_every_logger_knows_the_hyperparameters(command: Command, logger: str) -> None:
    words = [f"--trainer.logger={logger}", "--trainer.logger.save_dir=logs"]
    fit = ["fit", "--config=roberta", *TINY, "--trainer.max_steps=1"]
    assert command(*fit, *words) == 0, command.messages
    (file,) = (command.folder / "logs").rglob("hparams.yaml")
    found = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert found["data.batch_size"] == 64
    assert found["seed_everything"] == 0


@pytest.mark.parametrize("kind", ["hparams", "custom_scalars", "text"])
def test_plugins_find_what_is_theirs(command: Command, kind: str) -> None:
    assert command("fit", "--config=roberta", *TINY, "--trainer.max_steps=1") == 0
    events = read(command.folder / "runs" / "roberta")
    assert kind in {
        metadata.plugin_data.plugin_name for metadata in events.summary_metadata.values()
    }
