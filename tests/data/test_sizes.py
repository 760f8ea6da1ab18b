from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.growth import BatchRamp, LengthStage, check_stages, stage_starts
from lit_roberta.data.sizes import StageSize, UpdateSizes
from lit_roberta.errors import UserError

LAST = 60
"""Behind every ramp and stage that is drawn here."""


class Drawn(NamedTuple):
    """What sizes are made of, as plain numbers."""

    starts: list[int]
    batches: list[int]
    ramp: tuple[int, int, int] | None


@st.composite
def drawn_sizes(draw: st.DrawFn) -> Drawn:
    starts = [0, *sorted(draw(st.lists(st.integers(0, 40), max_size=2)))]
    batches = [draw(st.integers(1, 40)) for _ in starts]
    ramps = st.tuples(st.integers(1, min(batches)), st.integers(1, 50), st.integers(1, 12))
    return Drawn(starts, batches, draw(st.none() | ramps))


def build(drawn: Drawn) -> UpdateSizes:
    stages = zip(drawn.starts, drawn.batches, strict=True)
    ramp = BatchRamp()
    if drawn.ramp is not None:
        ramp = BatchRamp(start=drawn.ramp[0], updates=drawn.ramp[1], step=drawn.ramp[2])
    return UpdateSizes(
        tuple(StageSize(start, 8 + place, batch) for place, (start, batch) in enumerate(stages)),
        ramp,
    )


def batch_by_hand(sizes: UpdateSizes, number: int) -> int:
    """Follow the rule as it is written down, update by update."""
    full = next(s.batch_size for s in reversed(sizes.stages) if s.start <= number)
    start, updates, step = sizes.ramp.start, sizes.ramp.updates, sizes.ramp.step
    if start is None or updates is None or number >= updates:
        return full
    return start + step * ((full - start) * number // (step * updates))


@settings(max_examples=40, deadline=None)
@given(drawn=drawn_sizes())
def test_closed_form_is_the_sum_of_all_updates_before(drawn: Drawn) -> None:
    sizes = build(drawn)
    batches = [batch_by_hand(sizes, number) for number in range(LAST)]
    before = [0, *accumulate(batches)]
    for number in range(LAST):
        size = sizes.at(number)
        stage = sizes.stages[size.stage]
        assert size.batch_size == batches[number]
        assert size.max_length == stage.max_length
        assert size.place == before[number] - before[stage.start]
        assert sizes.sequences(0, number) == before[number]
        assert sizes.sequences(7, number) == max(0, before[number] - before[7])
        assert sizes.sequences(0, number) == sum(
            sizes.sequences(0, number, stage=place) for place in range(len(sizes.stages))
        )
        assert sizes.smallest_batch <= size.batch_size


@settings(max_examples=40, deadline=None)
@given(drawn=drawn_sizes())
def test_many_updates_at_once_are_the_single_ones(drawn: Drawn) -> None:
    sizes = build(drawn)
    for stage, (start, _, _) in enumerate(sizes.stages):
        stop = sizes.stop_of(stage)
        numbers = np.arange(start, LAST if stop is None else stop)
        assert sizes.batch_sizes(numbers, stage=stage).tolist() == [
            sizes.at(number).batch_size for number in numbers.tolist()
        ]


@settings(max_examples=40, deadline=None)
@given(drawn=drawn_sizes(), total=st.integers(0, 120))
def test_spans_hold_every_update_once_and_each_is_as_long_as_it_can_be(
    drawn: Drawn, total: int
) -> None:
    sizes = build(drawn)
    spans = list(sizes.spans(total))
    told = [span[2:] for span in spans for _ in range(span.start, span.stop)]
    assert told == [sizes.at(number)[:3] for number in range(total)]
    assert all(one[2:] != other[2:] for one, other in pairwise(spans))


@settings(max_examples=40, deadline=None)
@given(drawn=drawn_sizes())
def test_batch_grows_within_a_stage_by_whole_steps_and_reaches_its_full_size(
    drawn: Drawn,
) -> None:
    sizes = build(drawn)
    ramp = sizes.ramp
    for stage, (start, _, full) in enumerate(sizes.stages):
        stop = sizes.stop_of(stage)
        batches = [
            sizes.at(number).batch_size for number in range(start, LAST if stop is None else stop)
        ]
        assert batches == sorted(batches)
        assert all(batch <= full for batch in batches)
        for number, batch in enumerate(batches, start=start):
            if number >= ramp.length:
                assert batch == full
            else:
                assert (batch - (ramp.start or 0)) % ramp.step == 0


def test_a_ramp_of_any_length_costs_no_memory() -> None:
    ramp = BatchRamp(start=1, updates=2**31 - 1)
    sizes = UpdateSizes((StageSize(0, 512, 2**31 - 1),), ramp)
    assert sizes.at(10**9).batch_size == 1 + (2**31 - 2) * 10**9 // (2**31 - 1)
    assert sizes.at(2**40).batch_size == 2**31 - 1
    assert sizes.sequences(0, 2**31 - 1) == (2**31 - 1) * 2**30 - (2**31 - 1) + 1


@settings(deadline=None)
@given(
    shares=st.lists(st.floats(0.01, 0.4), max_size=2),
    total=st.integers(1, 3_000_000),
)
def test_stages_start_at_their_shares_and_a_longer_run_moves_them_by_one_at_most(
    shares: list[float], total: int
) -> None:
    stages = [LengthStage(max_length=8, share=share) for share in shares]
    starts, longer = stage_starts(stages, total=total), stage_starts(stages, total=total + 1)
    assert starts[0] == 0
    assert list(starts) == sorted(starts)
    for place, start in enumerate(starts):
        assert abs(start - sum(shares[:place]) * total) <= 0.5 + 1e-6
        assert longer[place] - start in (0, 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"start": 0, "updates": 5}, "data.batch_ramp.start must lie between 1 and"),
        ({"start": 4, "updates": -1}, "data.batch_ramp.updates must lie between 1 and"),
        ({"start": 4, "updates": 5, "step": 0}, "data.batch_ramp.step must lie between 1 and"),
        ({"start": 2**31, "updates": 5}, "data.batch_ramp.start must lie between 1 and"),
        ({"start": 4}, "data.batch_ramp.updates must be given with data.batch_ramp.start"),
        ({"updates": 4}, "data.batch_ramp.start must be given with data.batch_ramp.updates"),
    ],
)
def test_ramps_that_make_no_sense_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        BatchRamp(**settings)


def test_a_ramp_that_would_fall_is_refused() -> None:
    with pytest.raises(UserError, match=r"data\.batch_ramp\.start must be at most the batch, 8"):
        UpdateSizes((StageSize(0, 32, 16), StageSize(5, 64, 8)), BatchRamp(start=9, updates=2))


@pytest.mark.parametrize("share", [0.0, 1.0, -0.1, 1.5, float("nan")])
def test_a_share_is_a_part_of_the_run(share: float) -> None:
    with pytest.raises(UserError, match=r"data\.length_stages\.share must lie between 0 and 1"):
        LengthStage(max_length=128, share=share)


def test_stages_leave_something_and_do_not_exceed_the_rest() -> None:
    stages = [LengthStage(max_length=64, share=0.5), LengthStage(max_length=128, share=0.5)]
    with pytest.raises(UserError, match=r"data\.length_stages must have shares that sum to less"):
        check_stages(stages, max_length=512)
    with pytest.raises(UserError, match=r"max_length must be at most data\.max_length, 64"):
        check_stages(stages[1:], max_length=64)
    check_stages(stages[:1], max_length=64)
    with pytest.raises(UserError, match=r"data\.length_stages\.batch_size must lie between 1"):
        LengthStage(max_length=64, share=0.5, batch_size=0)
