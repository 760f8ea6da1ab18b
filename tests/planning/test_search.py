from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.planning.search import largest_that_fits


class FakeDevice:
    """Holds so many sequences, and remembers what it was asked to hold."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.asked: list[int] = []

    def fits(self, size: int) -> bool:
        self.asked.append(size)
        return size <= self.room


@given(room=st.integers(0, 10_000), at_most=st.integers(1, 5_000))
def test_the_largest_size_is_found_with_few_questions(room: int, at_most: int) -> None:
    device = FakeDevice(room)
    assert largest_that_fits(device.fits, at_most=at_most) == min(room, at_most)
    assert len(set(device.asked)) == len(device.asked) <= 2 * at_most.bit_length() + 1
    assert all(1 <= size <= at_most for size in device.asked)


@given(room=st.integers(1, 10_000))
def test_nothing_is_tried_that_is_twice_too_large(room: int) -> None:
    """A size far too large can take the whole machine down on some systems."""
    device = FakeDevice(room)
    largest_that_fits(device.fits, at_most=100_000)
    assert max(device.asked) <= 2 * room
