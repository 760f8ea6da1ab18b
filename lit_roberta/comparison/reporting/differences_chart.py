"""The differences that the verdict rests on, with both intervals.

In: judgements on pairs. Out: a chart; of very many pairs those with the best recipe.
"""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from lit_roberta.comparison.judging.claims import Difference, PairJudgement
from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.drawing import (
    ARM_COLOURS,
    MUTED,
    Chart,
    finish,
    new_figure,
)
from lit_roberta.comparison.reporting.naming import in_lines, name_size, row_height

_MOST_ROWS = 20
_ONE_LINE = 40
"""Letters of two names that stand beside each other."""


def draw_differences(pairs: Sequence[PairJudgement], *, best: str) -> Chart | None:
    """Draw the pairs.

    Args:
        pairs: All of them.
        best: The recipe whose pairs are shown where all are too many.

    Returns:
        None where no pair has an interval over runs.
    """
    rows = [(pair, each) for pair in pairs for each in pair.differences if each.over_runs]
    shown, which = rows, ""
    if len(rows) > _MOST_ROWS:
        shown = [row for row in rows if best in (row[0].first, row[0].second)]
        which = f" Only the pairs with {best} are shown, which ends lowest on validation text."
    if not shown:
        return None
    names = ["\n".join(_lines(pair, each.format)) for pair, each in shown]
    row = row_height(names, least=0.62 if len(shown) <= _MOST_ROWS else 0.4)
    figure = new_figure(rows=1, height=0.9 + row * len(shown))
    (axes,) = figure.axes
    axes.axvline(0, color=MUTED, linewidth=1.2, zorder=1)
    for place, (_, each) in enumerate(shown):
        _interval(axes, place - 0.17, each, "over_runs", marker="o", colour=ARM_COLOURS[0])
        _interval(axes, place + 0.17, each, "over_documents", marker="s", colour=ARM_COLOURS[1])
    axes.set_yticks(range(len(shown)), names, fontsize=name_size(names))
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("first minus second, nats (below 0 the first is better)")
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    figure.legend(unique.values(), unique.keys(), loc="outside upper left", ncols=2, fontsize=9.5)
    words = [f"{p.first} minus {p.second} on {d.format} {nats(d.estimate)}" for p, d in shown]
    return finish(
        figure,
        name="differences",
        title="The differences that the verdict rests on",
        description=f"95% intervals over runs and over documents.{which} {joined(words)}.",
        origin="verdict.pairs in results.json",
    )


def _lines(pair: PairJudgement, format: str) -> list[str]:
    """Name a row: in two lines, or in more where the recipes have long names."""
    first, second = f"{pair.first} \N{MINUS SIGN}", pair.second
    if len(first) + len(second) < _ONE_LINE:
        return [f"{first} {second}", f"on {format}"]
    return [in_lines(first), in_lines(second), f"on {format}"]


def _interval(
    axes: Axes, height: float, difference: Difference, unit: str, *, marker: str, colour: str
) -> None:
    interval = getattr(difference, unit)
    if interval is None:
        return
    axes.errorbar(
        interval.estimate,
        height,
        xerr=interval.half_width,
        fmt=marker,
        color=colour,
        capsize=3,
        markersize=5,
        linewidth=1.6,
        label=unit.replace("_", " "),
        zorder=3,
    )
