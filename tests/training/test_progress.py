from __future__ import annotations

import io

import pytest
from rich.console import Console

from lit_roberta.training import cli, trainer_settings
from lit_roberta.training.progress import UpdateProgress, time_left
from tests.training.commands import TINY, Command

WITH_BAR = [word for word in TINY if "progress" not in word]


def test_the_rest_of_a_run_follows_from_the_pace_of_this_start() -> None:
    assert time_left(100.0, done=50, remaining=100) == "0:03:20"
    assert time_left(1.0, done=0, remaining=100) == "?"


def test_a_bar_in_a_terminal_shows_updates_loss_and_pace(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=160, legacy_windows=False)
    monkeypatch.setattr(
        trainer_settings, "UpdateProgress", lambda **more: UpdateProgress(console=console, **more)
    )
    words = ["--trainer.max_steps=3", "--data.micro_batch_size=4", "--trainer.log_every_n_steps=1"]
    assert cli.run(["fit", "--config=bert", *WITH_BAR, *words]).exit_status == 0
    shown = screen.getvalue()
    assert "3 of 3 updates" in shown
    assert "loss" in shown
    assert "tokens/s" in shown
    assert "validation" in shown


def test_a_log_file_gets_a_line_now_and_then(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lit_roberta.training.progress._SECONDS_BETWEEN_LINES", 0.0)
    assert command("fit", "--config=roberta", *WITH_BAR, "--trainer.max_steps=2") == 0
    assert "1 of 2 updates" in command.messages
    assert "2 of 2 updates, 0:00:00 left" in command.messages
