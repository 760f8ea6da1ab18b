"""The curves of training and validation: progress, and no evidence about who is better.

In: results. Out: charts whose points say where they lie, so that a page can show their values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.drawing import (
    MUTED,
    WIDTH,
    Chart,
    arm_style,
    finish,
    new_figure,
)
from lit_roberta.comparison.reporting.hovering import Line, places_of
from lit_roberta.comparison.reporting.progress import UNITS, Unit, progress
from lit_roberta.comparison.reporting.summaries import by_end
from lit_roberta.comparison.results import Recipe, Results
from lit_roberta.statistics import mean_interval

_FEW_POINTS = 4
"""Below this, the points themselves are drawn: a line of one point can't be seen."""

MOST_COLOURED = 12
"""With more recipes than this, only the best at the end are told apart by colour."""
_BEST_COLOURED = 6

_BEHIND = {"color": MUTED, "linestyle": "-", "marker": ""}
"""How a recipe looks that is not told apart by colour."""


def draw_curves(results: Results) -> list[Chart]:
    """Draw training loss by epoch and validation loss by each unit, where there are two points."""
    charts = []
    if any(len(run.curves.training) > 1 for run in results.runs):
        charts.append(_training(results))
    if any(len(run.curves.validation) > 1 for run in results.runs):
        charts += [_validation(results, unit) for unit in UNITS]
    return charts


def validation_chart(unit: Unit) -> str:
    """Name the chart of validation loss by a unit."""
    return "validation-loss" if unit is UNITS[0] else f"validation-loss-{unit.name}"


@dataclass(frozen=True, kw_only=True)
class _Curve:
    """One recipe in a chart."""

    name: str
    style: dict[str, Any]
    coloured: bool
    x: Float64[np.ndarray, " points"]
    losses: Float64[np.ndarray, "runs points"]


def _training(results: Results) -> Chart:
    curves = []
    for place, recipe in enumerate(results.finished()):
        runs = [run.curves.training for run in results.runs_of(recipe.name)]
        epochs = min(map(len, runs))
        losses = np.array([[loss for _, loss in run[:epochs]] for run in runs], dtype=np.float64)
        x = np.arange(1, epochs + 1, dtype=np.float64)
        curves.append(_curve(results, place, recipe, x, losses))
    figure = legend_figure([curve.name for curve in curves if curve.coloured])
    (axes,) = figure.axes
    for curve in curves:
        _draw(axes, curve)
    _number_axis(axes, "epoch: pass over the recipe's own examples", whole=True)
    axes.set_ylabel("training loss, nats")
    draw_legend(figure, axes)
    return finish(
        figure,
        name="training-loss",
        title="Training loss by epoch",
        description="Masked-language-model loss in training mode under each run's own masks, mean "
        f"over runs. {_ends(curves)}. Epochs of different recipes differ in length.",
        origin="curves.training of each run's result.json",
        hover=lambda: places_of(axes, _lines(curves), what="epoch"),
    )


def _validation(results: Results, unit: Unit) -> Chart:
    curves = []
    for place, recipe in enumerate(results.finished()):
        way = progress(results.runs_of(recipe.name), unit)
        curves.append(_curve(results, place, recipe, way.places, way.losses))
    named = [curve.name for curve in curves if curve.coloured]
    figure = legend_figure([*named, "word frequencies"])
    (axes,) = figure.axes
    for curve in curves:
        _draw(axes, curve)
        _draw_end(axes, curve)
    unigram = results.text.unigram_loss
    axes.axhline(unigram, color=MUTED, linestyle="--", linewidth=1.2, label="word frequencies")
    _number_axis(axes, unit.label, whole=unit.name == "updates")
    axes.set_ylabel("validation loss, nats")
    draw_legend(figure, axes)
    return finish(
        figure,
        name=validation_chart(unit),
        title=f"Validation loss by {unit.label}",
        description="Masked-language-model loss on the validation part, each recipe in its own "
        f"format, mean over runs. {_ends(curves)}. Word frequencies alone give {nats(unigram)}.",
        origin="curves.validation and curves.fed of each run's result.json",
        hover=lambda: places_of(axes, _lines(curves), what=unit.label),
    )


def _curve(
    results: Results,
    place: int,
    recipe: Recipe,
    x: Float64[np.ndarray, " points"],
    losses: Float64[np.ndarray, "runs points"],
) -> _Curve:
    """Give a recipe its looks: that of its place, or a grey one where there are too many."""
    coloured = recipe.name in coloured_recipes(results)
    return _Curve(
        name=recipe.name,
        style=arm_style(place) if coloured else _BEHIND,
        coloured=coloured,
        x=x,
        losses=losses,
    )


def coloured_recipes(results: Results) -> list[str]:
    """Name the recipes that curves tell apart by colour: all, or the best of very many."""
    recipes = results.finished()
    if len(recipes) <= MOST_COLOURED:
        return [recipe.name for recipe in recipes]
    return by_end(results)[:_BEST_COLOURED]


def _draw(axes: Axes, curve: _Curve) -> None:
    """Draw the mean over runs, and a band from the lowest to the highest."""
    style = curve.style | ({} if len(curve.x) < _FEW_POINTS else {"marker": ""})
    axes.plot(
        curve.x,
        curve.losses.mean(axis=0),
        label=curve.name if curve.coloured else None,
        linewidth=1.8 if curve.coloured else 0.8,
        zorder=3 if curve.coloured else 2,
        **style,
    )
    if len(curve.losses) > 1 and curve.coloured:
        low, high = curve.losses.min(axis=0), curve.losses.max(axis=0)
        axes.fill_between(curve.x, low, high, color=style["color"], alpha=0.18, linewidth=0)


def _draw_end(axes: Axes, curve: _Curve) -> None:
    """Mark the end point, with its interval over runs."""
    ends = curve.losses[:, -1]
    interval = mean_interval(ends)
    marker = curve.style["marker"] or "."
    axes.errorbar(
        curve.x[-1],
        ends.mean(),
        yerr=0.0 if interval is None else interval.half_width,
        **curve.style | {"linestyle": "none", "marker": marker},
        markersize=7,
        capsize=3,
        linewidth=1.4,
        zorder=4,
    )


def legend_figure(
    names: Sequence[str],
    *,
    rows: int = 1,
    height: float = 3.1,
    ratios: Sequence[float] | None = None,
) -> Figure:
    """Make a figure with room for a legend of these names above its panels."""
    lines = -(-len(names) // _columns(names))
    return new_figure(rows=rows, height=height + 0.21 * lines, ratios=ratios)


_LONGEST_NAME = 56
"""Letters that fit into a line of a legend; longer names are written smaller."""


def _columns(names: Sequence[str]) -> int:
    """Give the number of columns of a legend, by the longest name in it."""
    longest = max(map(len, names), default=1)
    return max(1, min(3, int(WIDTH * 72 / (48 + 5.6 * longest))))


def draw_legend(figure: Figure, axes: Axes) -> None:
    """Name what is drawn in some axes, above all of them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper left",
        ncols=_columns(labels),
        fontsize=9.5 * min(1, _LONGEST_NAME / max(map(len, labels), default=1)),
        handlelength=2.4,
        columnspacing=1.2,
    )


def _number_axis(axes: Axes, label: str, *, whole: bool) -> None:
    """Give an axis round numbers from zero, few enough to stand apart."""
    axes.set_xlim(left=0)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 5, 10], integer=whole))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: short_number(value)))
    axes.set_xlabel(label)


def _lines(curves: Sequence[_Curve]) -> list[Line]:
    return [
        Line(name=curve.name, colour=curve.style["color"], x=curve.x, losses=curve.losses)
        for curve in curves
    ]


def _ends(curves: Sequence[_Curve]) -> str:
    return joined([f"{each.name} ends at {nats(each.losses[:, -1].mean())}" for each in curves])


def short_number(value: float | int) -> str:
    """Write a large number as a reader of an axis wants it.

    Example:
        >>> [short_number(value) for value in (0, 500, 20_000, 1_500_000, 3e12)]
        ['0', '500', '20k', '1.5M', '3T']
    """
    for limit, letter in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:.4g}{letter}"
    return f"{value:.4g}"
