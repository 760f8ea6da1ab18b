from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.data.preparation.lengths import QUANTILES, Lengths

lists = st.lists(st.integers(0, 10**12), max_size=60)


def counted(*parts: list[int]) -> Lengths:
    lengths = Lengths()
    for part in parts:
        lengths.add(np.array(part, dtype=np.int64))
    return lengths


@given(first=lists, second=lists)
def test_quantiles_are_those_of_all_lengths_to_one_in_a_hundred(
    first: list[int], second: list[int]
) -> None:
    lengths = counted(first, second)
    both = [*first, *second]
    assert (len(lengths), lengths.total) == (len(both), sum(both))
    if not both:
        assert lengths.quantiles() == {}
        return
    true = np.percentile(both, QUANTILES, method="closest_observation")
    ordered = sorted(both)
    for quantile, found in zip(QUANTILES, lengths.quantiles().values(), strict=True):
        exact = ordered[round((len(both) - 1) * quantile / 100)]
        assert found <= exact
        assert found == exact if exact < 1024 else exact - found <= 0.011 * exact
    assert lengths.quantiles()["0%"] == true[0] == min(both)
    assert lengths.quantiles()["100%"] == max(both)


@given(lengths=st.lists(st.integers(0, 10**9), min_size=1, max_size=60))
def test_bars_hold_every_length_once(lengths: list[int]) -> None:
    bars = counted(lengths).bars()
    edges, counts = bars["edges"], bars["counts"]
    assert len(edges) == len(counts) + 1
    assert edges == sorted(set(edges))
    exact = [length for length in lengths if length < 1024]
    for start, stop, count in zip(edges, edges[1:], counts, strict=False):
        if stop <= 1024:
            assert count == sum(start <= length < stop for length in exact)
    assert sum(counts) == len(lengths)
    assert counts[0]
    assert counts[-1]


@pytest.mark.parametrize("least", [100, 1869, 50_000, 10**7])
@pytest.mark.parametrize("times", [1.2, 1.5, 2, 4, 16])
def test_a_shape_is_seen_however_near_the_lengths_are(least: int, times: float) -> None:
    bars = counted(np.linspace(least, least * times, 400).astype(int).tolist()).bars()
    assert 8 <= len(bars["counts"]) <= 18
    assert sum(bars["counts"]) == 400


@pytest.mark.parametrize("length", [0, 1, 5, 1024])
def test_what_is_shorter_is_counted_exactly(length: int) -> None:
    assert counted([0, 1, 1, 4, 5, 6, 2000]).below(length) == {0: 0, 1: 1, 5: 4, 1024: 6}[length]
