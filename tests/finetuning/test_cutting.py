"""Where rows are cut, against every way there is to cut them."""

from __future__ import annotations

from itertools import pairwise, product

from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.cutting import cheapest_cuts, even_cuts


def tokens(lengths: list[int], stops: list[int], cost: int) -> int:
    """Count what some cuts come to."""
    parts = pairwise([0, *stops])
    return sum((stop - start) * lengths[start] + cost for start, stop in parts)


@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=9).map(lambda each: sorted(each)[::-1]),
    st.integers(1, 10),
    st.integers(0, 50),
)
def test_no_way_to_cut_is_cheaper(lengths: list[int], at_once: int, cost: int) -> None:
    found = cheapest_cuts(lengths, at_once=at_once, cost=cost)
    ways = [
        [place for place, cuts in enumerate(way, start=1) if cuts] + [len(lengths)]
        for way in product([False, True], repeat=len(lengths) - 1)
    ]
    allowed = [
        way for way in ways if all(stop - start <= at_once for start, stop in pairwise([0, *way]))
    ]
    assert found in allowed
    assert tokens(lengths, found, cost) == min(tokens(lengths, way, cost) for way in allowed)


def test_rows_of_one_length_are_one_part_and_free_cuts_leave_no_padding() -> None:
    assert cheapest_cuts([30] * 16, at_once=16, cost=1) == [16]
    assert cheapest_cuts([9, 9, 5, 5, 2], at_once=5, cost=0)[-1] == 5
    assert tokens([9, 9, 5, 5, 2], cheapest_cuts([9, 9, 5, 5, 2], at_once=5, cost=0), 0) == 30
    assert cheapest_cuts([], at_once=3, cost=1) == []
    assert even_cuts(0, at_once=3) == []


@given(st.integers(1, 40), st.integers(1, 12))
def test_even_cuts_are_of_one_size(count: int, at_once: int) -> None:
    sizes = [stop - start for start, stop in pairwise([0, *even_cuts(count, at_once=at_once)])]
    assert sum(sizes) == count
    assert set(sizes[:-1]) <= {at_once}
    assert 1 <= sizes[-1] <= at_once
