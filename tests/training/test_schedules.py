from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.errors import UserError
from lit_roberta.training.schedules import ScheduleConfig, ScheduleKind, learning_rate_factor

KINDS: tuple[ScheduleKind, ...] = (
    "linear",
    "polynomial",
    "cosine",
    "constant",
    "warmup-stable-decay",
)


def factors(total: int, schedule: ScheduleConfig) -> list[float]:
    return [learning_rate_factor(u, total=total, schedule=schedule) for u in range(total)]


def test_warm_up_ends_at_the_peak_and_never_starts_at_zero() -> None:
    linear = ScheduleConfig(warmup_updates=4)
    assert factors(8, linear) == [0.25, 0.5, 0.75, 1.0, 1.0, 0.75, 0.5, 0.25]


def test_squared_decay_is_the_documents_formula() -> None:
    squared = ScheduleConfig(kind="polynomial", power=2.0, warmup_share=0.0)
    assert factors(10, squared) == pytest.approx([(1 - u / 10) ** 2 for u in range(10)])


def test_cosine_is_half_way_in_the_middle() -> None:
    cosine = ScheduleConfig(kind="cosine", warmup_share=0.0)
    assert learning_rate_factor(50, total=100, schedule=cosine) == pytest.approx(0.5)


def test_plateau_falls_over_its_share_of_the_whole_run() -> None:
    schedule = ScheduleConfig(kind="warmup-stable-decay", warmup_updates=400, decay_share=0.2)
    factors = [learning_rate_factor(u, total=1000, schedule=schedule) for u in range(1000)]
    assert factors.index(1.0) == 399
    assert factors[800] == 1.0
    assert factors[801] < 1.0
    assert factors[999] == pytest.approx(1 / 200)


def test_plateau_ends_in_a_linear_decay() -> None:
    plateau = ScheduleConfig(kind="warmup-stable-decay", warmup_share=0.0, decay_share=0.5)
    assert factors(8, plateau) == pytest.approx([1, 1, 1, 1, 1, 0.75, 0.5, 0.25])


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(KINDS), st.integers(1, 500), st.integers(0, 600), st.integers(0, 1000))
def test_rate_is_positive_and_at_most_its_peak(
    kind: ScheduleKind, total: int, warmup: int, update: int
) -> None:
    schedule = ScheduleConfig(kind=kind, warmup_updates=warmup)
    assert 0 < learning_rate_factor(update, total=total, schedule=schedule) <= 1


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(KINDS), st.integers(2, 300), st.floats(0, 1))
def test_rate_rises_to_its_peak_and_never_rises_again(
    kind: ScheduleKind, total: int, share: float
) -> None:
    schedule = ScheduleConfig(kind=kind, warmup_share=share)
    warmup = schedule.num_warmup_updates(total)
    values = factors(total, schedule)
    assert values[:warmup] == sorted(set(values[:warmup]))
    assert values[warmup:] == sorted(values[warmup:], reverse=True)
    assert max(values) == 1.0


@pytest.mark.parametrize(
    ("name", "value"),
    [("warmup_share", 1.5), ("warmup_share", -0.1), ("warmup_updates", -1), ("power", 0.0)],
)
def test_impossible_schedules_are_refused(name: str, value: float) -> None:
    with pytest.raises(UserError, match=rf"model\.schedule\.{name} must"):
        ScheduleConfig(**{name: value})  # type: ignore[arg-type]
