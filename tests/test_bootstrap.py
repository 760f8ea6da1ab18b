from __future__ import annotations

import numpy as np
import pytest

from lit_roberta.bootstrap import two_level_interval
from lit_roberta.statistics import Interval, ratio_interval, welch_interval


def plant(
    random: np.random.Generator,
    *,
    runs: int = 10,
    documents: int = 30,
    run_deviation: float = 0.02,
    document_deviation: float = 0.05,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make two sides without a true difference between them."""
    counts = random.integers(20, 60, size=documents)
    sides = []
    for _ in range(2):
        by_run = random.normal(scale=run_deviation, size=(runs, 1))
        by_document = random.normal(scale=document_deviation, size=documents)
        sides.append((3.0 + by_run + by_document) * counts)
    return sides[0], sides[1], counts


def interval_of(
    first: np.ndarray, second: np.ndarray, counts: np.ndarray, *, paired: bool = False
) -> Interval:
    interval = two_level_interval(first, second, counts, paired=paired)
    assert interval is not None
    return interval


def test_it_is_offered_from_ten_runs_a_side() -> None:
    first, second, counts = plant(np.random.default_rng(0))
    assert two_level_interval(first, second, counts, paired=False) is not None
    assert two_level_interval(first[:9], second, counts, paired=False) is None
    assert two_level_interval(first, second[:9], counts, paired=False) is None
    assert two_level_interval(first[:, :1], second[:, :1], counts[:1], paired=False) is None


def test_it_is_the_same_each_time_and_turns_with_the_sides() -> None:
    first, second, counts = plant(np.random.default_rng(1))
    interval = interval_of(first, second, counts)
    assert interval_of(first, second, counts) == interval
    turned = interval_of(second, first, counts)
    assert turned.estimate == pytest.approx(-interval.estimate)
    assert turned.low == pytest.approx(-interval.high, abs=0.2 * interval.half_width)
    padded = [np.insert(sums, 3, 0.0, axis=-1) for sums in (first, second, counts)]
    assert interval_of(padded[0], padded[1], padded[2]) == interval  # an empty document


def test_it_is_about_the_interval_of_the_unit_that_varies_alone() -> None:
    random = np.random.default_rng(2)
    first, second, counts = plant(random, runs=40, documents=200, document_deviation=0.0)
    alone = welch_interval(first.sum(axis=1) / counts.sum(), second.sum(axis=1) / counts.sum())
    assert alone is not None
    assert interval_of(first, second, counts).half_width == pytest.approx(
        alone.half_width, rel=0.15
    )
    first, second, counts = plant(random, runs=40, documents=200, run_deviation=0.0)
    alone = ratio_interval((first - second).mean(axis=0), counts)
    assert alone is not None
    assert interval_of(first, second, counts).half_width == pytest.approx(
        alone.half_width, rel=0.15
    )


def test_what_runs_share_is_left_out_where_they_belong_together() -> None:
    random = np.random.default_rng(3)
    first, second, counts = plant(random, run_deviation=0.0, document_deviation=0.01)
    shared = random.normal(size=(10, 1)) * counts
    apart = interval_of(first + shared, second + shared, counts)
    together = interval_of(first + shared, second + shared, counts, paired=True)
    assert together.half_width < apart.half_width / 10


def test_a_difference_has_a_small_p_value_and_none_a_large_one() -> None:
    first, second, counts = plant(np.random.default_rng(4))
    same = interval_of(first, first, counts, paired=True)
    assert (same.estimate, same.low, same.high, same.p_value) == (0, 0, 0, 1)
    apart = interval_of(first, second + 0.5 * counts, counts)
    assert apart.high < 0
    assert apart.p_value < 0.01
    assert not interval_of(first, second, counts).p_value < 0.05


@pytest.mark.slow
@pytest.mark.parametrize(
    ("run_deviation", "document_deviation"), [(0.05, 0.01), (0.02, 0.05), (0.01, 0.1)]
)
def test_it_covers_the_truth_about_as_often_as_it_says(
    run_deviation: float, document_deviation: float
) -> None:
    random, hits, trials = np.random.default_rng(5), 0, 400
    for _ in range(trials):
        first, second, counts = plant(
            random, run_deviation=run_deviation, document_deviation=document_deviation
        )
        interval = interval_of(first, second, counts)
        hits += interval.low <= 0 <= interval.high
        assert (interval.p_value < 0.05) == interval.excludes_zero or interval.p_value == (
            pytest.approx(0.05, abs=0.01)
        )
    # Two binomial deviations of 400 trials are 0.022.
    assert 0.92 <= hits / trials <= 0.99
