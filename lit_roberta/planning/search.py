"""The largest micro-batch that fits, found by asking."""

from __future__ import annotations

from collections.abc import Callable


def largest_that_fits(fits: Callable[[int], bool], *, at_most: int) -> int:
    """Find the largest size that fits: doubling up, then halving the gap.

    Args:
        fits: Tells whether a size fits; what is smaller than a size that fits, fits too. It is
            asked some 2 log2(size) times, and never twice for one size.
        at_most: The largest size that is wanted, at least 1.

    Returns:
        From 0, where not even one fits, to `at_most`.

    Example:
        >>> largest_that_fits(lambda size: size <= 37, at_most=1000)
        37
    """
    fitting, too_large = 0, at_most + 1
    size = 1
    while fitting < at_most and too_large > at_most:
        if fits(size):
            fitting, size = size, min(2 * size, at_most)
        else:
            too_large = size
    while too_large - fitting > 1:
        size = (fitting + too_large) // 2
        if fits(size):
            fitting = size
        else:
            too_large = size
    return fitting
