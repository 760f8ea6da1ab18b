from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.growth import BatchRamp, LengthStage, stage_starts
from lit_roberta.data.sizes import StageSize, UpdateSizes
from lit_roberta.errors import UserError
from lit_roberta.training.pace import Pace, StagePace, updates_in

STAGES = [LengthStage(max_length=16, share=0.75)]
RAMP = BatchRamp(start=2, updates=10)


def grown(total: int) -> UpdateSizes:
    first, second = stage_starts(STAGES, total=total)
    return UpdateSizes((StageSize(first, 16, 8), StageSize(second, 64, 4)), RAMP)


def test_a_line_goes_through_what_was_measured() -> None:
    line = StagePace.through((2, 1.0), (10, 3.0))
    assert (line.per_update, line.per_sequence) == (0.5, 0.25)
    assert StagePace.through((10, 3.0)) == StagePace(per_update=0.0, per_sequence=0.3)


@pytest.mark.parametrize("small", [5.0, 0.1])
def test_two_measurements_that_make_no_line_are_one(small: float) -> None:
    # A small batch that takes longer than a large one, or less than its sequences alone would.
    line = StagePace.through((2, small), (10, 3.0))
    assert line == StagePace(per_update=0.0, per_sequence=0.3)


@settings(max_examples=20, deadline=None)
@given(
    paces=st.tuples(*[st.floats(0.0, 2.0)] * 3, st.floats(0.1, 2.0)),
    validation=st.floats(0.0, 5.0),
    save=st.floats(0.0, 1.0),
    every=st.sampled_from([None, 7, 0.25]),
)
def test_hours_are_filled_and_not_exceeded(
    paces: tuple[float, ...], validation: float, save: float, every: object
) -> None:
    pace = Pace(
        stages=[
            StagePace(per_update=paces[0], per_sequence=paces[1] + 0.1),
            StagePace(per_update=paces[2], per_sequence=paces[3]),
        ],
        validation=validation,
        save=save,
    )
    total = updates_in(0.05, pace, sizes_of=grown, validate_every=every, save_every=5)

    def seconds(total: int) -> float:
        """Add up the run update by update."""
        sizes = grown(total)
        updates = 0.0
        for number in range(total):
            size = sizes.at(number)
            stage = pace.stages[size.stage]
            updates += stage.per_update + stage.per_sequence * size.batch_size
        interval = {"None": total // 20, "7": 7, "0.25": math.floor(total / 4)}[str(every)]
        validations = math.ceil(total / max(1, interval))
        return updates + validation * validations + save * (1 + validations + total // 5)

    assert seconds(total) <= 180 * (1 + 1e-9)
    # A longer run may have a validation less, where its interval becomes longer.
    assert seconds(total + 1) > 180 - 2 * (validation + save)


def test_validations_by_the_clock_take_their_share() -> None:
    pace = Pace(stages=[StagePace(per_update=1.0, per_sequence=0.0)], validation=60.0, save=0.0)
    constant = UpdateSizes.constant(4, max_length=16)
    every = {"minutes": 6}
    total = updates_in(
        1.0, pace, sizes_of=lambda _: constant, validate_every=every, save_every=1000
    )
    assert total == 3600 - 10 * 60


def test_hours_without_room_for_an_update_are_refused() -> None:
    pace = Pace(stages=[StagePace(per_update=5.0, per_sequence=0.0)], validation=0.0, save=0.0)
    constant = UpdateSizes.constant(4, max_length=16)
    with pytest.raises(UserError, match=r"^max_hours must have room for an update"):
        updates_in(0.001, pace, sizes_of=lambda _: constant, validate_every=None, save_every=9)
