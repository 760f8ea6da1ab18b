from __future__ import annotations

import math
from pathlib import Path

import pytest

from lit_roberta.finetuning import held_out
from lit_roberta.finetuning.tasks.classification import Classification
from tests.finetuning.examples import write_texts
from tests.training.commands import Command

QUIET = ["--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]


@pytest.fixture
def words(command: Command, pretrained: Path) -> list[str]:
    """A run of two updates."""
    write_texts(command.folder / "train.csv")
    told = ["--data.task=classification", "--data.train=train.csv", "--data.max_length=16"]
    return [*told, f"--model.pretrained={pretrained}", "--trainer.max_steps=2", *QUIET]


@pytest.mark.parametrize("value", ["0.5", "1", "3"])
@pytest.mark.parametrize("part", ["val", "test", "predict"])
def test_a_part_is_judged_whole_or_not_at_all(
    command: Command, words: list[str], part: str, value: str
) -> None:
    line = command.refuses("fit", *words, f"--trainer.limit_{part}_batches={value}")
    assert line.startswith(f"trainer.limit_{part}_batches must be left out, got {value}.")


@pytest.mark.parametrize("trial", ["fast_dev_run=2", "num_sanity_val_steps=1"])
def test_a_trial_judges_some_batches_of_a_part(
    command: Command, words: list[str], trial: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(held_out, "BATCH_TOKENS", 16)  # an example is a batch
    told = [*words, "--data.validation=train.csv", f"--trainer.{trial}"]
    assert command("fit", *told) == 0, command.messages
    assert "Best validation accuracy" in command.messages
    names_its_folder = "Watch: tensorboard" in command.messages
    assert names_its_folder == any(command.folder.rglob("events.out.*"))


@pytest.mark.parametrize("subcommand", ["validate", "test", "predict"])
def test_a_part_that_is_not_there_is_named(
    command: Command, words: list[str], subcommand: str
) -> None:
    told = [*words, "--data.validation_share=0"]
    assert command("fit", *told) == 0, command.messages
    part = "validation" if subcommand == "validate" else "test"
    line = command.refuses(subcommand, *told)
    assert line.startswith(f"data.{part} must hold examples to {subcommand}, got 'none'.")
    # and its last checkpoint is judged, as a run without a validation has no best one
    assert command(subcommand, *words, f"--data.{part}=train.csv") == 0, command.messages


def test_weights_that_are_no_numbers_are_never_the_best(
    command: Command, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = Classification.losses

    def losses(self: Classification, logits: object, *others: object) -> object:
        found = learned(self, logits, *others)  # type: ignore[arg-type]
        is_judging = not logits.requires_grad  # type: ignore[attr-defined]
        return found._replace(loss=found.loss * math.nan) if is_judging else found

    monkeypatch.setattr(Classification, "losses", losses)
    line = command.refuses("fit", *words)
    assert line.startswith("the loss of the validation part must be a finite number, got 'nan")
    assert not list(command.folder.glob("runs/*/checkpoints/best.ckpt"))
