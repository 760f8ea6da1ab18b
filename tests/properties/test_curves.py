from __future__ import annotations

import signal
from pathlib import Path

from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    EventAccumulator,
)

from tests.properties.hits import Hit
from tests.properties.remains import validations
from tests.properties.running import Run, train_in_process


def points(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Read the points as TensorBoard shows them."""
    events = EventAccumulator(str(folder)).Reload()
    return {
        tag: [(event.step, event.value) for event in events.Scalars(tag)]
        for tag in events.Tags()["scalars"]
    }


def test_curves_of_a_killed_run_have_each_point_once(tmp_path: Path) -> None:
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    assert train_in_process(Run(folder=straight, curves=True)) == 0
    # Between the save at update 6 and the kill, points of update 8 were written.
    hit = Hit(signal=signal.SIGKILL, update=8, moment="validation")
    assert train_in_process(Run(folder=killed, curves=True, save_every=6, hit=hit)) < 0
    assert train_in_process(Run(folder=killed, curves=True, save_every=6)) == 0
    for part in (".", "by_sequences", "by_tokens"):
        expected, found = points(straight / part), points(killed / part)
        assert expected.keys() == found.keys()
        for tag, curve in expected.items():
            assert [step for step, _ in found[tag]] == [step for step, _ in curve], tag
        for tag in (tag for tag in expected if "val/" in tag or tag.endswith("/lr")):
            assert found[tag] == expected[tag]


def test_curves_are_drawn_over_updates(tmp_path: Path) -> None:
    run = Run(folder=tmp_path / "run", curves=True)
    assert train_in_process(run) == 0
    curves = points(run.folder)
    assert [step for step, _ in curves["train/masked_lm_loss"]] == [2, 4, 6, 8, 10, 12]
    assert [step for step, _ in curves["val/masked_lm_loss"]] == list(validations(run.folder))
