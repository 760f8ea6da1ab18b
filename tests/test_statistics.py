from __future__ import annotations

import math
from dataclasses import astuple

import numpy as np
import pytest

from lit_roberta.statistics import (
    holm,
    mean_interval,
    ratio_interval,
    runs_needed,
    t_quantile,
    welch_interval,
)

# Student's t at probability 0.975: closed forms for 1 and 2 degrees of freedom, then the values of
# the printed tables with more digits.
QUANTILES = [
    (1, math.tan(math.pi * 0.475)),
    (2, 0.95 * math.sqrt(2 / (4 * 0.975 * 0.025))),
    (3, 3.1824463052842638),
    (5, 2.5705818366147395),
    (10, 2.2281388519649385),
    (30, 2.0422724563012373),
    (100, 1.9839715184496334),
]


@pytest.mark.parametrize(("degrees", "expected"), QUANTILES)
def test_t_quantile_agrees_with_tables(degrees: int, expected: float) -> None:
    assert t_quantile(0.975, degrees) == pytest.approx(expected, abs=1e-8)
    assert t_quantile(0.025, degrees) == pytest.approx(-expected, abs=1e-8)


def test_mean_interval_by_hand() -> None:
    interval = mean_interval(np.array([1.0, 2.0, 3.0]))
    assert interval is not None
    reach = 4.302652729749464 / math.sqrt(3)  # t(0.975, 2) * 1 / sqrt(3)
    assert interval.estimate == 2
    assert interval.low == pytest.approx(2 - reach, abs=1e-8)
    assert interval.half_width == pytest.approx(reach, abs=1e-8)
    assert interval.p_value == pytest.approx(0.0741799002274485, abs=1e-8)


def test_welch_interval_by_hand() -> None:
    # Variances 1 and 4, three values each: error sqrt(5/3), degrees (5/3)^2 / ((1/9 + 16/9) / 2).
    interval = welch_interval(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0]))
    assert interval is not None
    degrees = (5 / 3) ** 2 / ((1 / 9 + 16 / 9) / 2)
    assert interval.estimate == -2
    assert interval.half_width == pytest.approx(
        t_quantile(0.975, degrees) * math.sqrt(5 / 3), abs=1e-12
    )


def test_equal_values_give_an_interval_without_width() -> None:
    same = np.array([1.5, 1.5, 1.5])
    equal, apart = welch_interval(same, same), welch_interval(same, same + 1)
    assert equal is not None
    assert apart is not None
    assert (equal.low, equal.high, equal.p_value) == (0, 0, 1)
    assert (apart.low, apart.high, apart.p_value) == (-1, -1, 0)


def test_one_value_gives_no_interval() -> None:
    one = np.array([1.0])
    assert mean_interval(one) is None
    assert welch_interval(one, np.array([1.0, 2.0])) is None
    assert ratio_interval(one, np.array([3])) is None


def test_ratio_interval_of_equal_documents_is_the_interval_of_their_means() -> None:
    sums = np.array([3.0, 6.0, 12.0, 9.0])
    by_ratio = ratio_interval(sums, np.array([3, 3, 3, 3]))
    by_mean = mean_interval(sums / 3)
    assert by_ratio is not None
    assert by_mean is not None
    np.testing.assert_allclose(astuple(by_ratio), astuple(by_mean))


def test_ratio_interval_is_around_the_mean_per_token_and_skips_empty_documents() -> None:
    interval = ratio_interval(np.array([10.0, 0.0, 4.0]), np.array([2, 0, 8]))
    assert interval is not None
    assert interval.estimate == pytest.approx(1.4)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    draws = np.random.default_rng(0).normal(size=(2000, 2, 5)) * [[[1.0]], [[3.0]]][0]
    hits = 0
    for first, second in draws:
        interval = welch_interval(first, 3 * second)
        assert interval is not None
        hits += interval.low <= 0 <= interval.high
    assert 0.93 < hits / 2000 < 0.98  # 5 binomial standard deviations are 0.024


def test_holm_steps_down() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1, 1]
    assert holm([]) == []


def test_runs_needed_grow_as_the_difference_shrinks() -> None:
    assert runs_needed(difference=8.0, deviation=1.0) == 3
    needed = [runs_needed(difference=size, deviation=1.0) for size in (1.0, 0.5, 0.25)]
    assert needed == sorted(needed, key=lambda runs: runs or 0)
    assert needed[0] == 17  # the textbook's number for one standard deviation at 80% power
    assert runs_needed(difference=0.001, deviation=1.0) is None
    assert runs_needed(difference=0.0, deviation=1.0) is None
