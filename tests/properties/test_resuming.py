from __future__ import annotations

import random
import shutil
import signal
from pathlib import Path

import pytest

from lit_roberta.training.checkpoint_files import last_checkpoint
from tests.properties.hits import SAVING, AskTwice, Hit, Moment
from tests.properties.remains import assert_same_end, read_last, series, validations
from tests.properties.running import Run, train_in_process


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "straight"
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    return folder


def assert_same_run(folder: Path, straight: Path) -> None:
    """Compare all that two runs leave, the series that they logged included."""
    assert_same_end(folder, straight)
    assert series(folder) == series(straight)


def test_every_series_has_each_point_once(straight: Path) -> None:
    logged = series(straight)
    for tag in ("train/masked_lm_loss", "csv/train/masked_lm_loss", "csv/train/lr"):
        assert [step for step, _ in logged[tag]] == [2, 4, 6, 8, 10, 12], tag
    for tag in ("val/masked_lm_loss", "csv/val/masked_lm_loss"):
        assert [step for step, _ in logged[tag]] == [4, 8, 12], tag


def test_uninterrupted_run_validates_and_saves_at_its_last_update(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    assert train_in_process(Run(folder=folder, curves=True, updates=6, save_every=100)) == 0
    assert list(validations(folder)) == [4, 6]
    assert read_last(folder)["global_step"] == 6


@pytest.mark.parametrize(
    ("moment", "update"), [("between micro-batches", 5), ("half written", 5), ("before rename", 7)]
)
def test_run_survives_being_killed(straight: Path, moment: Moment, update: int) -> None:
    folder = straight.parent / f"killed-{moment.replace(' ', '-')}"
    hit = Hit(signal=signal.SIGKILL, update=update, moment=moment)
    assert train_in_process(Run(folder=folder, curves=True, hit=hit)) == -signal.SIGKILL
    assert read_last(folder)["global_step"] <= update
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    assert_same_run(folder, straight)
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
    assert train_in_process(Run(folder=folder, curves=True, hit=hit)) == status
    assert read_last(folder)["global_step"] == 5
    assert list(validations(folder)) == [4]
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    assert_same_run(folder, straight)


def test_stop_during_a_validation_loses_neither_update_nor_validation(straight: Path) -> None:
    folder = straight.parent / "validating"
    hit = Hit(signal=signal.SIGTERM, update=4, moment="validation")
    assert train_in_process(Run(folder=folder, curves=True, hit=hit)) == 143
    assert read_last(folder)["global_step"] == 4
    assert list(validations(folder)) == [4]
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    assert_same_run(folder, straight)


def test_second_interrupt_exits_at_once_and_the_run_goes_on_from_its_last_save(
    straight: Path,
) -> None:
    folder = straight.parent / "impatient"
    assert train_in_process(Run(folder=folder, curves=True, callbacks=(AskTwice,))) == 130
    assert read_last(folder)["global_step"] == 4
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    assert_same_run(folder, straight)


@pytest.mark.parametrize("workers", [1, 2])
def test_loader_workers_change_nothing_also_when_interrupted(straight: Path, workers: int) -> None:
    folder = straight.parent / f"workers-{workers}"
    hit = Hit(signal=signal.SIGINT, update=5, to="all")
    assert train_in_process(Run(folder=folder, curves=True, workers=workers, hit=hit)) == 130
    assert train_in_process(Run(folder=folder, curves=True, workers=workers)) == 0
    assert_same_run(folder, straight)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_loader_workers_of_newer_pythons_outlive_the_signal(
    straight: Path, number: signal.Signals
) -> None:
    folder = straight.parent / f"forkserver-{number.name}"
    hit = Hit(signal=number, update=2, to="workers")
    run = Run(folder=folder, curves=True, workers=1, start_method="forkserver", hit=hit)
    assert train_in_process(run) == 0
    assert_same_run(folder, straight)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("moment", SAVING)
@pytest.mark.parametrize("update", [1, 4, 12])
def test_run_survives_being_killed_at_any_point_of_a_save(
    straight: Path, moment: Moment, update: int, workers: int
) -> None:
    """At the first save, at one that is the best and the last, and at the end."""
    folder = straight.parent / f"{moment}-{update}-{workers}".replace(" ", "-")
    hit = Hit(signal=signal.SIGKILL, update=update, moment=moment)
    run = Run(folder=folder, curves=True, workers=workers, hit=hit)
    assert train_in_process(run) == -signal.SIGKILL
    assert train_in_process(Run(folder=folder, curves=True, workers=workers)) == 0
    assert_same_run(folder, straight)
    assert not list(folder.rglob("*.part"))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("moment", ["between micro-batches", "validation"])
@pytest.mark.parametrize(
    ("name", "status"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGUSR1", 0), ("time", 0)]
)
def test_any_stop_at_any_moment_goes_on_bit_by_bit(
    straight: Path, name: str, status: int, moment: Moment, workers: int
) -> None:
    folder = straight.parent / f"{name}-{moment}-{workers}".replace(" ", "-")
    number = None if name == "time" else signal.Signals[name]
    hit = Hit(signal=number, update=4, moment=moment)
    run = Run(folder=folder, curves=True, workers=workers, hit=hit)
    assert train_in_process(run) == status
    assert read_last(folder)["global_step"] == 4
    assert train_in_process(Run(folder=folder, curves=True, workers=workers)) == 0
    assert_same_run(folder, straight)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_run_survives_twenty_kills(straight: Path, seed: int) -> None:
    folder = straight.parent / f"killed-often-{seed}"
    moments: tuple[Moment, ...] = ("between micro-batches", "validation", *SAVING)
    draw = random.Random(seed)
    kills = 0
    while kills < 20:
        stands = read_last(folder)["global_step"] if last_checkpoint(folder) else 0
        # Late kills come more than once: the run then starts with little left, and dies again.
        update = min(stands + draw.randrange(3), 11)
        hit = Hit(signal=signal.SIGKILL, update=update, moment=draw.choice(moments))
        workers = draw.randrange(3)
        every = 1 + draw.randrange(3)
        run = Run(folder=folder, curves=True, save_every=every, hit=hit, workers=workers)
        if train_in_process(run) == 0:
            shutil.rmtree(folder)  # it is through: once more, from the start
        else:
            kills += 1
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    assert_same_run(folder, straight)
