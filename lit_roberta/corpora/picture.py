"""The picture of a report: how long documents and sentences are.

In: the facts of a manifest. Out: a PNG.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

_INK, _MUTED, _FAINT, _BLUE, _RED = "#1b1f24", "#57606a", "#d0d7de", "#0072b2", "#d55e00"
_STYLE: Any = {
    "axes.axisbelow": True,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _MUTED,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": _INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "font.family": "sans-serif",
    "font.size": 10.5,
    "xtick.color": _MUTED,
    "ytick.color": _MUTED,
    "text.color": _INK,
}
_MOST_LABELS = 9
_HEADROOM = 1.16
"""Of the highest bar: above it stand the names of lines."""


def draw_lengths(facts: Mapping[str, Any]) -> bytes:
    """Draw the words of documents and the tokens of sentences, each on a logarithmic axis.

    Args:
        facts: Of a manifest.
    """
    length = facts["training"]["max_length"]
    median = facts["words_per_document"]["50%"]
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(6.4, 5.6), layout="constrained")
        above, below = figure.subplots(2, 1)
        _draw_bars(above, facts["bars"]["words_per_document"], "documents")
        _mark(above, median, f"median {median:,}")
        above.set_title("Words of a document")
        _draw_bars(below, facts["bars"]["tokens_per_sentence"], "sentences")
        _mark(below, length, f"max_length {length:,}")
        below.set_title("Tokens of a sentence")
        pixels = io.BytesIO()
        figure.savefig(pixels, format="png", dpi=150, metadata={"Software": None})
    return pixels.getvalue()


def _draw_bars(axes: Axes, bars: Mapping[str, Sequence[int]], of: str) -> None:
    edges = [max(0.5, edge) for edge in bars["edges"]]  # a logarithm has no place for 0
    total = sum(bars["counts"])
    shares = [100 * count / total for count in bars["counts"]]
    widths = [0.95 * (stop - start) for start, stop in pairwise(edges)]
    axes.set_xscale("log")
    axes.bar(edges[:-1], shares, widths, align="edge", color=_BLUE)
    ticks = round_lengths(bars["edges"][0], bars["edges"][-1])
    axes.set_xticks([max(0.5, tick) for tick in ticks], [f"{tick:,}" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_ylim(0, _HEADROOM * max(shares))
    axes.set_ylabel(f"% of {of}")
    axes.grid(axis="y", color=_FAINT, linewidth=0.6)


def round_lengths(low: int, high: int) -> list[int]:
    """Give round lengths for an axis: 1, 2 and 5 times powers of ten, or those alone if many.

    Example:
        >>> round_lengths(0, 60), round_lengths(3, 40_000)
        ([0, 1, 2, 5, 10, 20, 50], [10, 100, 1000, 10000])
    """
    powers = [10**power for power in range(len(str(high)))]
    zero = [0] * (low == 0)
    fine = zero + [each for power in powers for each in (power, 2 * power, 5 * power)]
    fine = [each for each in fine if low <= each <= high]
    found = (
        fine if len(fine) <= _MOST_LABELS else [*zero, *(p for p in powers if low <= p <= high)]
    )
    return found or [low, high]


def _mark(axes: Axes, length: int, label: str) -> None:
    """Draw a line at a length, with its name beside its upper end."""
    place = max(0.5, length)
    axes.axvline(place, color=_RED, linewidth=1.6)
    low, high = axes.get_xlim()
    right = place > math.sqrt(low * high)
    axes.annotate(
        label,
        (place, 1.0),
        xycoords=("data", "axes fraction"),
        xytext=(-5 if right else 5, -4),
        textcoords="offset points",
        ha="right" if right else "left",
        va="top",
        color=_RED,
        fontsize=9.5,
    )
