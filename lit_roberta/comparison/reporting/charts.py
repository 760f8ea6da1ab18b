"""The charts of a comparison: each one answers one question.

In: results. Out: charts with their titles and their descriptions. What is drawn is computed from
the results alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from lit_roberta.comparison.judging.claims import PairJudgement
from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.bucket_chart import draw_buckets
from lit_roberta.comparison.reporting.calibration_chart import draw_calibration
from lit_roberta.comparison.reporting.curves import draw_curves
from lit_roberta.comparison.reporting.differences_chart import draw_differences
from lit_roberta.comparison.reporting.drawing import (
    Chart,
    arm_style,
    chart_style,
    finish,
    new_figure,
    write_beside,
)
from lit_roberta.comparison.reporting.floors import LOSS_AXIS, draw_floors, floor_words
from lit_roberta.comparison.reporting.grid_chart import draw_grid
from lit_roberta.comparison.reporting.ladder_chart import draw_ladder
from lit_roberta.comparison.reporting.luck_chart import draw_luck
from lit_roberta.comparison.reporting.memorisation_chart import draw_memorisation
from lit_roberta.comparison.reporting.naming import in_lines, name_size, row_height
from lit_roberta.comparison.reporting.summaries import by_end
from lit_roberta.comparison.reporting.task_scores import draw_tasks
from lit_roberta.comparison.results import Results
from lit_roberta.statistics import mean_interval

_MANY = 12
"""Recipes beyond which their rows move together."""


def draw_charts(results: Results, pairs: Sequence[PairJudgement]) -> list[Chart]:
    """Draw every chart, the most telling one first."""
    with chart_style():
        differences = draw_differences(pairs, best=by_end(results)[0])
        charts = [
            *draw_ladder(results),
            draw_grid(results),
            draw_luck(results),
            draw_tasks(results),
            draw_memorisation(results),
            _held_out(results),
            differences,
            draw_buckets(results),
            draw_calibration(results),
            *draw_curves(results),
        ]
        return [chart for chart in charts if chart is not None]


def _held_out(results: Results) -> Chart:
    recipes, formats = results.finished(), results.formats
    labels = [in_lines(recipe.name) for recipe in recipes]
    row = row_height(labels, least=0.3 if len(recipes) <= _MANY else 0.2)
    figure = new_figure(rows=len(formats), height=0.9 + len(formats) * (0.65 + row * len(recipes)))
    words = []
    for axes, format in zip(figure.axes, formats, strict=True):
        for place, recipe in enumerate(recipes):
            losses = np.array([r.heldout[format].mlm_loss for r in results.runs_of(recipe.name)])
            own = " (its own format)" if recipe.format == format else ""
            _point(axes, place, losses, own=bool(own))
            words.append(f"{recipe.name} on {format}{own} {nats(losses.mean())}")
        axes.set_yticks(range(len(labels)), labels, fontsize=name_size(labels))
        axes.set_ylim(len(recipes) - 0.4, -0.6)
        axes.set_title(f"scored on {format}", pad=18)
        axes.grid(visible=False, axis="y")
        draw_floors(axes, results)
    _share_range(figure.axes)
    figure.axes[-1].set_xlabel(LOSS_AXIS)
    return finish(
        figure,
        name="held-out",
        title="Held-out loss in every compared format",
        description="A filled marker is a recipe in its own format, a hollow one in a rival's; "
        f"bars are 95% intervals over runs. {'; '.join(words)}. {floor_words(results)}",
        origin="heldout.FORMAT.mlm_loss of each run's result.json",
    )


def _point(axes: Axes, place: int, losses: np.ndarray, *, own: bool) -> None:
    style = arm_style(place)
    interval = mean_interval(losses)
    reach = 0.0 if interval is None else interval.half_width
    axes.errorbar(
        losses.mean(),
        place,
        xerr=reach,
        color=style["color"],
        marker=style["marker"],
        markersize=8,
        markerfacecolor=style["color"] if own else "none",
        capsize=4,
        linewidth=1.6,
        zorder=3,
    )
    write_beside(axes, (losses.mean() + reach, place), nats(losses.mean()), gap=9)


def _share_range(panels: Sequence[Axes]) -> None:
    """Give all panels the same losses, with room for a number at the right."""
    lows, highs = zip(*(axes.get_xlim() for axes in panels), strict=True)
    low, high = min(lows), max(highs)
    for axes in panels:
        axes.set_xlim(low, high + 0.08 * (high - low))
