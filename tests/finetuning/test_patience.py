from __future__ import annotations

from pathlib import Path

import pytest

from tests.finetuning.examples import write_texts
from tests.training.commands import Command


@pytest.fixture
def words(command: Command, pretrained: Path) -> list[str]:
    """A run that does not get better: next to nothing is learned."""
    write_texts(command.folder / "train.csv")
    told = ["--data.task=classification", "--data.train=train.csv", "--data.max_length=16"]
    told += [f"--model.pretrained={pretrained}", "--model.optimizer.lr=1e-12"]
    told += ["--trainer.max_epochs=9", "--trainer.accelerator=cpu"]
    return ["fit", *told, "--trainer.enable_progress_bar=false"]


@pytest.mark.slow  # five seconds
@pytest.mark.filterwarnings("ignore:.*callbacks used to create the checkpoint")
def test_a_run_stops_early_and_goes_on_with_more_patience(
    command: Command, words: list[str]
) -> None:
    assert command(*words, "--patience=1") == 0, command.messages
    assert "no better in 1 validations in a row. To go on" in command.messages
    assert "Epoch 2 of 9" in command.messages
    assert "Epoch 3 of 9" not in command.messages

    assert command(*words, "--patience=4", "--ckpt_path=last") == 0, command.messages
    assert "Epoch 5 of 9" in command.messages
    assert "Epoch 6 of 9" not in command.messages
    assert "no better in 4 validations" in command.messages

    assert command(*words, "--ckpt_path=last") == 0, command.messages
    assert "Epoch 9 of 9" in command.messages
    assert "Stopped early" not in command.messages
