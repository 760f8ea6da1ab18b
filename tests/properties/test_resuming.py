from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.properties.hits import SAVING, AskTwice, Hit, Moment
from tests.properties.remains import assert_same_end, read_last, validations
from tests.properties.running import Run, train_in_process


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
    ("moment", "update"), [("between micro-batches", 5), ("half written", 5), ("before rename", 7)]
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
        (signal.SIGUSR1, 0, "after the step"),
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


def test_stop_during_a_validation_loses_neither_update_nor_validation(straight: Path) -> None:
    folder = straight.parent / "validating"
    hit = Hit(signal=signal.SIGTERM, update=4, moment="validation")
    assert train_in_process(Run(folder=folder, hit=hit)) == 143
    assert read_last(folder)["global_step"] == 4
    assert list(validations(folder)) == [4]
    assert train_in_process(Run(folder=folder)) == 0
    assert_same_end(folder, straight)


def test_second_interrupt_exits_at_once_and_the_run_goes_on_from_its_last_save(
    straight: Path,
) -> None:
    folder = straight.parent / "impatient"
    assert train_in_process(Run(folder=folder, callbacks=(AskTwice,))) == 130
    assert read_last(folder)["global_step"] == 4
    assert train_in_process(Run(folder=folder)) == 0
    assert_same_end(folder, straight)


@pytest.mark.parametrize("workers", [1, 2])
def test_loader_workers_change_nothing_also_when_interrupted(straight: Path, workers: int) -> None:
    folder = straight.parent / f"workers-{workers}"
    hit = Hit(signal=signal.SIGINT, update=5, to="all")
    assert train_in_process(Run(folder=folder, workers=workers, hit=hit)) == 130
    assert train_in_process(Run(folder=folder, workers=workers)) == 0
    assert_same_end(folder, straight)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_loader_workers_of_newer_pythons_outlive_the_signal(
    straight: Path, number: signal.Signals
) -> None:
    folder = straight.parent / f"forkserver-{number.name}"
    hit = Hit(signal=number, update=2, to="workers")
    run = Run(folder=folder, workers=1, start_method="forkserver", hit=hit)
    assert train_in_process(run) == 0
    assert_same_end(folder, straight)


@pytest.mark.slow
def test_run_survives_twenty_kills(straight: Path) -> None:
    folder = straight.parent / "killed-often"
    moments: tuple[Moment, ...] = ("between micro-batches", "validation", *SAVING)
    for number in range(20):
        # At or after the update that the run stands at by then; most kills cost an update or two.
        hit = Hit(signal=signal.SIGKILL, update=number // 2, moment=moments[number % len(moments)])
        run = Run(folder=folder, save_every=1, hit=hit, workers=number % 3)
        assert train_in_process(run) in (-signal.SIGKILL, 0)
    assert train_in_process(Run(folder=folder, save_every=1)) == 0
    assert_same_end(folder, straight)
