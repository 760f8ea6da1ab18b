"""Bad updates in real runs, each in a process of its own."""

from __future__ import annotations

import json
import signal
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.properties.hits import Hit
from tests.properties.planted import LeaveOut, PlantBad
from tests.properties.remains import assert_equal, read_last, series, validations
from tests.properties.running import ERROR, Run, build, train_in_process, train_in_processes

Kind = Literal["nan", "huge", "gradient"]
BAD = (5, 9)


def planted(kind: Kind = "nan", numbers: tuple[int, ...] = BAD) -> Any:
    return partial(PlantBad, numbers, kind)


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that passes over the bad updates from the start."""
    folder = tmp_path_factory.mktemp("runs") / "without"
    run = Run(folder=folder, curves=True, callbacks=(partial(LeaveOut, BAD),))
    assert train_in_process(run) == 0
    return folder


def assert_same_run(folder: Path, without: Path, *, rollbacks: int) -> None:
    """Compare all that two runs leave, but for how one got there."""
    assert validations(folder) == validations(without)
    one, other = read_last(folder), read_last(without)
    assert one["divergence"].pop("rollbacks") == rollbacks
    assert other["divergence"].pop("rollbacks") == 0
    for checkpoint in (one, other):
        checkpoint["conditions"].pop("data.num_workers")
    assert_equal(one, other, "checkpoint")
    assert series(folder) == series(without)


def test_rollback_leaves_no_trace_of_bad_updates(without: Path) -> None:
    folder = without.parent / "rolled-back"
    run = Run(folder=folder, curves=True, action="rollback", callbacks=(planted(),))
    assert train_in_process(run) == 0
    assert_same_run(folder, without, rollbacks=2)


def test_run_that_is_killed_after_a_rollback_goes_on_as_if_nothing_had_happened(
    without: Path,
) -> None:
    folder = without.parent / "killed"
    hit = Hit(signal=signal.SIGKILL, update=5, rollbacks=1)
    run = Run(folder=folder, curves=True, action="rollback", callbacks=(planted(),), hit=hit)
    assert train_in_process(run) == -signal.SIGKILL
    stored = read_last(folder)["divergence"]
    assert (stored["left_out"], stored["rollbacks"]) == ([5], 1)
    # With another action: what was left out stays left out.
    rest = Run(folder=folder, curves=True, action="rollback", callbacks=(planted(),), workers=1)
    assert train_in_process(rest) == 0
    assert_same_run(folder, without, rollbacks=2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nan", "huge", "gradient"])
@pytest.mark.parametrize("workers", [0, 2])
def test_rollback_from_any_kind_of_bad_update(without: Path, kind: Kind, workers: int) -> None:
    folder = without.parent / f"{kind}-{workers}"
    callbacks = (planted(kind),)
    run = Run(folder=folder, curves=True, action="rollback", callbacks=callbacks, workers=workers)
    assert train_in_process(run) == 0
    assert_same_run(folder, without, rollbacks=2)


@pytest.mark.slow
@pytest.mark.parametrize("strategy", ["ddp", "fsdp2"])
def test_processes_that_train_together_go_back_together(
    tmp_path: Path, strategy: Literal["ddp", "fsdp2"]
) -> None:
    together: Any = {"ranks": 2, "strategy": strategy, "curves": True}
    straight = Run(folder=tmp_path / "without", callbacks=(partial(LeaveOut, BAD),), **together)
    assert train_in_processes(straight) == [0, 0]
    folder = tmp_path / "run"
    run = Run(folder=folder, action="rollback", callbacks=(planted(),), **together)
    assert train_in_processes(run) == [0, 0]
    assert_same_run(folder, straight.folder, rollbacks=2)


@pytest.mark.slow
def test_bad_update_before_the_first_save_goes_back_to_the_start(tmp_path: Path) -> None:
    without, folder = tmp_path / "without", tmp_path / "run"
    start = Run(folder=without, curves=True, callbacks=(partial(LeaveOut, (0, 1)),))
    assert train_in_process(start) == 0
    callbacks = (planted(numbers=(0, 1)),)
    run = Run(folder=folder, curves=True, action="rollback", callbacks=callbacks)
    assert train_in_process(run) == 0
    assert_same_run(folder, without, rollbacks=1)


def test_stopped_run_names_the_update_and_its_examples_and_saves_nothing_behind_it(
    tmp_path: Path,
) -> None:
    run = Run(folder=tmp_path / "run", callbacks=(planted("huge", (7,)),))
    assert train_in_process(run) == 2
    assert read_last(run.folder)["global_step"] == 6
    message = (run.folder.parent / ERROR).read_text()
    assert "Update 7 (counted from 0) has diverged: its loss of 1" in message
    assert "No weights after it were saved." in message

    report = json.loads((run.folder / "divergence.json").read_text())
    assert report["update"] == 7
    assert report["bad_updates"] == [7]
    _, data = build(run)
    examples = data.update_contents(7).examples
    assert [each["example"] for each in report["examples"]] == examples.tolist()
    assert f"Its examples: {examples[0]} (document " in message
    for each in report["examples"]:
        assert f"number {each['document']} " not in each["text"]  # of all documents, not the part
        assert each["text"].startswith("the ")

    # It is no accident: the update comes again, and can be passed over.
    assert train_in_process(run) == 2
    assert train_in_process(Run(folder=run.folder, callbacks=run.callbacks, action="skip")) == 0


@pytest.mark.slow
def test_skipped_update_costs_only_itself(tmp_path: Path) -> None:
    folders = []
    for kind in ("nan", "huge", "gradient"):
        folders.append(tmp_path / kind)
        callbacks = (planted(kind, (4, 5)),)
        run = Run(folder=folders[-1], action="skip", callbacks=callbacks)
        assert train_in_process(run) == 0
    states = [read_last(folder)["state_dict"] for folder in folders]
    assert_equal(states[0], states[1], "weights")
    assert_equal(states[0], states[2], "weights")


@pytest.mark.slow
def test_run_that_keeps_diverging_is_given_up(
    tmp_path: Path,
) -> None:
    callbacks = (planted(numbers=tuple(range(5, 40))),)
    run = Run(folder=tmp_path / "run", updates=40, save_every=1, action="rollback")
    run = Run(**{**vars(run), "callbacks": callbacks})
    assert train_in_process(run) == 2
    assert "The run went back 3 times before" in (run.folder.parent / ERROR).read_text()
    assert read_last(run.folder)["divergence"]["rollbacks"] == 3

    skipping = Run(folder=tmp_path / "skip", updates=40, callbacks=callbacks, action="skip")
    assert train_in_process(skipping) == 2
    message = (skipping.folder.parent / ERROR).read_text()
    assert message.startswith("The run has diverged: its last 21 updates were left out.")
