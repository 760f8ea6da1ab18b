"""Names at the left of a chart: their lines, the size of their letters, the height of their rows.

In: names that a person gave. Out: what leaves room for the chart beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

_LINE = 30
"""Letters of a name that stay in one line."""
_MOST_LINES = 3
_SLACK = 6
"""Letters that a line may lose because words are not cut."""
_POINTS_PER_INCH = 72
_LINE_HEIGHT = 1.2
"""Of a line, in heights of its letters."""
_LONG_NAME = 44
"""Letters of 7 points that take half of a chart's width."""


def in_lines(name: str, *, line: int = _LINE) -> str:
    """Break a long name into lines, at most three, to stand at the left of a chart.

    Args:
        name: Of an arm, say.
        line: Letters that stay in one line.
    """
    width = max(line, -(-len(name) // _MOST_LINES) + _SLACK)
    return name if len(name) <= line else "\n".join(wrap(name, width, break_on_hyphens=False))


def row_height(names: Sequence[str], *, least: float) -> float:
    """Give the height of a row, in inches, that has room for the lines of its name.

    Args:
        names: With their line breaks.
        least: For names of one line.
    """
    lines = max((name.count("\n") + 1 for name in names), default=1)
    return max(least, _LINE_HEIGHT * lines * name_size(names) / _POINTS_PER_INCH)


def name_size(names: Sequence[str]) -> float:
    """Give the size of letters, in points, at which names at the left leave room for a chart."""
    longest = max((len(line) for name in names for line in name.splitlines()), default=0)
    if longest > _LONG_NAME:  # half of the width is theirs, however small that makes them
        return 7.0 * _LONG_NAME / longest
    return 10.5 if longest <= 20 else 8.5 if longest <= 30 else 7.0
