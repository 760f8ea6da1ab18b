from __future__ import annotations

from pathlib import Path

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.model.bert import BertModel
from lit_roberta.planning import room
from lit_roberta.planning.longest import longest_update
from lit_roberta.planning.room import find_room, survives
from lit_roberta.planning.search import largest_that_fits
from lit_roberta.planning.trial import try_update
from lit_roberta.planning.unstarted import UnstartedRun, build_unstarted
from tests.training.commands import TINY


def build(*words: str) -> UnstartedRun:
    return build_unstarted(["--config=roberta", *TINY, *words])


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_running_out_of_memory_is_no_and_any_other_fault_is_one() -> None:
    def fail(error: Exception) -> None:
        raise error

    assert survives(lambda: None)
    assert not survives(lambda: fail(torch.OutOfMemoryError("CUDA out of memory")))
    with pytest.raises(RuntimeError, match="ours"):
        survives(lambda: fail(RuntimeError("ours")))


@pytest.mark.slow
def test_on_a_device_sizes_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that holds 19 sequences at once, and is asked through the real training step."""
    forward, largest = BertModel.forward, [0]

    def limited(self: BertModel, input_ids: torch.Tensor, *others: torch.Tensor) -> object:
        largest[0] = max(largest[0], len(input_ids))
        if len(input_ids) > 19:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return forward(self, input_ids, *others)

    run = build()
    monkeypatch.setattr(BertModel, "forward", limited)
    fits = room._by_trying(run, 64)
    assert largest_that_fits(fits, at_most=64) == 19
    assert largest[0] == 32


@pytest.mark.parametrize("recipe", ["roberta", "bert"])
def test_the_longest_update_trains(recipe: str) -> None:
    run = build_unstarted([f"--config={recipe}", *TINY])
    update = longest_update(run.datamodule, 3, share=5, seq=room.longest_sequence(run))
    assert [cut.stop - cut.start for cut in update.cuts] == [3, 2]
    assert (update.labels != -100).sum() == update.num_labels
    try_update(run, update)


def test_on_a_cpu_the_estimate_is_held_against_what_is_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = build()
    monkeypatch.setattr(room, "available_memory", lambda: 8 * 2**20)
    found = find_room(run)
    largest = found.largest_micro_batch_size
    assert largest is not None
    assert 1 <= largest < found.share == 64
    assert not found.fits
    assert found.usable_micro_batch_size == largest
    free = room.free_memory(run)
    assert free is not None
    for size, fits in ((largest, True), (largest + 1, False)):
        assert (4.5 * room.estimate(run, size, share=64).peak <= free) is fits


def test_a_whole_share_may_fit_where_a_large_part_of_it_would_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = build()
    whole = room.estimate(run, 64, share=64)
    monkeypatch.setattr(room, "available_memory", lambda: 2 * whole.peak)
    assert 4.5 * room.estimate(run, 63, share=64).peak > 2 * whole.peak + whole.weights
    assert find_room(run).largest_micro_batch_size == 64


def test_memory_that_holds_nothing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "available_memory", lambda: 0)
    with pytest.raises(UserError, match=r"^The memory must hold the model and one sequence"):
        find_room(build())


def test_where_the_system_says_nothing_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "available_memory", lambda: None)
    found = find_room(build("--data.micro_batch_size=5"))
    assert found.largest_micro_batch_size is None
    assert found.usable_micro_batch_size == found.micro_batch_size == 5
    assert found.fits
