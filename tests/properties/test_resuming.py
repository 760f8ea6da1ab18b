from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.properties.running import (
    Hit,
    Moment,
    Run,
    assert_same_end,
    read_last,
    train_in_process,
    validations,
)


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "straight"
    assert train_in_process(Run(folder=folder)) == 0
    return folder


def test_uninterrupted_run_validates_and_saves_at_its_last_update(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert train_in_process(Run(folder=folder, updates=6, save_every=100)) == 0
    assert list(validations(folder)) == [4, 6]
    assert read_last(folder)["global_step"] == 6


@pytest.mark.parametrize(
    ("moment", "update"), [("between micro-batches", 5), ("write", 5), ("rename", 7)]
)
def test_run_survives_being_killed(straight: Path, moment: Moment, update: int) -> None:
    folder = straight.parent / f"killed-{moment.replace(' ', '-')}"
    hit = Hit(signal=signal.SIGKILL, update=update, moment=moment)
    assert train_in_process(Run(folder=folder, hit=hit)) == -signal.SIGKILL
    assert read_last(folder)["global_step"] <= update
    assert train_in_process(Run(folder=folder)) == 0
    assert_same_end(folder, straight)
    assert not list(folder.rglob("*.part"))


@pytest.mark.parametrize(
    ("number", "status", "moment"),
    [
        (signal.SIGINT, 130, "between micro-batches"),
        (signal.SIGTERM, 143, "after the step"),
    ],
)
def test_stopped_run_keeps_its_last_finished_update_and_goes_on(
    straight: Path, number: signal.Signals, status: int, moment: Moment
) -> None:
    folder = straight.parent / number.name
    hit = Hit(signal=number, update=5, moment=moment)
    assert train_in_process(Run(folder=folder, hit=hit)) == status
    assert read_last(folder)["global_step"] == 5
    assert list(validations(folder)) == [4]
    assert train_in_process(Run(folder=folder)) == 0
    assert_same_end(folder, straight)
