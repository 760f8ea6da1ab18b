"""Killed in a ramp of the batch or at the start of another length, a run goes on bit for bit.

Of 12 updates, the first 4 have a growing batch, and from update 6 on examples are longer.
"""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from lit_roberta.batch import Update
from tests.properties.hits import Hit
from tests.properties.remains import assert_same_end, read_last
from tests.properties.running import Run, build, train_in_process


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "straight"
    assert train_in_process(Run(folder=folder, grows=True)) == 0
    return folder


def kill_and_go_on(straight: Path, *, update: int, workers: int) -> None:
    """Kill a run within an update, having saved it just before; compare how it ends."""
    folder = straight.parent / f"killed-{update}-{workers}"
    hit = Hit(signal=signal.SIGKILL, update=update)
    run = Run(folder=folder, grows=True, save_every=1, workers=workers, hit=hit)
    assert train_in_process(run) == -signal.SIGKILL
    assert read_last(folder)["global_step"] == update
    assert train_in_process(Run(folder=folder, grows=True, workers=workers)) == 0
    assert_same_end(folder, straight)


def test_a_run_that_grows_counts_what_it_was_fed(straight: Path) -> None:
    _, data = build(Run(folder=straight, grows=True))
    checkpoint = read_last(straight)
    assert checkpoint["stage_starts"] == [0, 6]
    assert checkpoint["history"]["stage"] == 1
    sizes = data.sizes(12)
    assert [sizes.at(number).batch_size for number in range(5)] == [2, 5, 9, 12, 16]
    updates = [data.training.stream(sizes.stage_of(u), sizes=sizes)[u] for u in range(12)]
    assert checkpoint["num_tokens"] == sum(update.num_tokens for update in updates)
    assert checkpoint["history"]["counts"] == _labels_by_epoch(updates)


def _labels_by_epoch(updates: list[Update]) -> list[int]:
    """Count the labels of each epoch of each stage, in their order."""
    by_epoch: dict[tuple[int, int], int] = {}
    for update in updates:
        key = (update.stage, update.epoch)
        by_epoch[key] = by_epoch.get(key, 0) + update.num_labels
    return [by_epoch[key] for key in sorted(by_epoch)]


@pytest.mark.parametrize(("update", "workers"), [(2, 0), (6, 0), (5, 2)])
def test_a_run_that_grows_survives_being_killed(straight: Path, update: int, workers: int) -> None:
    kill_and_go_on(straight, update=update, workers=workers)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 1, 2])
@pytest.mark.parametrize("update", range(1, 12))
def test_a_run_that_grows_survives_being_killed_at_any_update(
    straight: Path, update: int, workers: int
) -> None:
    if (update, workers) not in [(2, 0), (6, 0), (5, 2)]:
        kill_and_go_on(straight, update=update, workers=workers)


def test_a_run_that_is_made_longer_keeps_its_stages(straight: Path) -> None:
    folder = straight.parent / "longer"
    assert train_in_process(Run(folder=folder, grows=True, updates=4)) == 0
    assert read_last(folder)["stage_starts"] == [0, 2]
    assert train_in_process(Run(folder=folder, grows=True, updates=12)) == 0
    assert read_last(folder)["stage_starts"] == [0, 2]
