"""Runs whose length is asked for in hours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.training import hours
from lit_roberta.training.pace import Pace
from tests.properties.remains import assert_equal
from tests.training.commands import TINY, Command

FIT = ("fit", "--config=bert", *TINY, "--data.batch_size=8")
GROWN = (
    "--data.batch_ramp.start=2",
    "--data.batch_ramp.updates=3",
    '--data.length_stages=[{"max_length": 24, "share": 0.5}]',
)


@pytest.fixture
def paces(monkeypatch: pytest.MonkeyPatch) -> list[Pace]:
    """Let every number of hours be 5 updates; keep what was measured."""
    measured: list[Pace] = []

    def five(max_hours: float, pace: Pace, **_: object) -> int:
        measured.append(pace)
        return 5

    monkeypatch.setattr(hours, "updates_in", five)
    return measured


def last(folder: Path) -> dict[str, Any]:
    checkpoint: dict[str, Any] = torch.load(folder / "checkpoints/last.ckpt", weights_only=True)
    return checkpoint


def test_trial_leaves_no_trace_in_the_run(command: Command, paces: list[Pace]) -> None:
    root = "--trainer.default_root_dir="
    assert command(*FIT, *GROWN, "--max_hours=1.5", f"{root}timed") == 0, command.messages
    assert command.messages.count("Measured: an update at length") == 2
    assert "1.5 hours make 5 updates" in command.messages
    assert command(*FIT, *GROWN, "--trainer.max_steps=5", f"{root}counted") == 0
    timed, counted = last(Path("timed")), last(Path("counted"))
    assert timed.pop("hours") == {"max_hours": 1.5, "updates": 5}
    assert counted.pop("hours") is None
    assert_equal(timed, counted, "checkpoint")
    assert sorted(path.name for path in Path("timed/checkpoints").iterdir()) == sorted(
        path.name for path in Path("counted/checkpoints").iterdir()
    )


def test_every_stage_a_validation_and_a_save_are_timed(
    command: Command, paces: list[Pace]
) -> None:
    assert command(*FIT, *GROWN, "--max_hours=1") == 0, command.messages
    (pace,) = paces
    assert len(pace.stages) == 2
    assert all(stage.per_update + stage.per_sequence > 0 for stage in pace.stages)
    assert pace.validation > 0
    assert pace.save > 0


def test_hours_are_measured_once_and_kept(command: Command, paces: list[Pace]) -> None:
    timed = [*FIT, "--max_hours=1"]
    assert command(*timed, "--trainer.max_steps=3") == 0, command.messages
    assert "The run is shorter than its hours: 3 updates." in command.messages
    again = [*timed, "--ckpt_path=last"]
    line = command.refuses(*FIT, "--max_hours=2", "--ckpt_path=last")
    assert line.startswith("max_hours must stay the checkpoint's 1, got 2.0. They came to 5 updat")
    assert command(*again) == 0, command.messages
    assert "Length: the 5 updates that 1 hours were found to make" in command.messages
    assert len(paces) == 1
    checkpoint = last(command.folder / "runs/bert")
    assert checkpoint["global_step"] == 5
    assert checkpoint["hours"] == {"max_hours": 1.0, "updates": 5}


def test_hours_of_a_run_that_was_started_without_are_refused(command: Command) -> None:
    assert command(*FIT, "--trainer.max_steps=1") == 0, command.messages
    line = command.refuses(*FIT, "--max_hours=1", "--ckpt_path=last")
    assert line.startswith("max_hours must be left out of a run that was started without, got 1")


@pytest.mark.parametrize("value", ["0", "-2", ".nan", ".inf"])
def test_hours_that_are_none_are_refused(command: Command, value: str) -> None:
    assert command.refuses(*FIT, f"--max_hours={value}").startswith("max_hours must be above 0")
    assert not (command.folder / "runs/bert/checkpoints").exists()


def test_hours_without_room_for_an_update_are_refused(command: Command) -> None:
    line = command.refuses(*FIT, "--max_hours=1e-7")
    assert line.startswith("max_hours must have room for an update and its validation, got 1e-07")


def test_a_trial_run_measures_nothing(command: Command, paces: list[Pace]) -> None:
    assert command(*FIT, "--max_hours=1", "--trainer.fast_dev_run=1") == 0, command.messages
    assert not paces
