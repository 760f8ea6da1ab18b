"""The first picture: what each recipe learned, and what it only memorised.

In: results. Out: a chart; bars for a few recipes, a line of three points each for many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.drawing import (
    ARM_COLOURS,
    INK,
    MUTED,
    PAPER,
    Chart,
    finish,
    new_figure,
    write_beside,
)
from lit_roberta.comparison.reporting.floors import LOSS_AXIS, draw_floors, floor_words
from lit_roberta.comparison.reporting.naming import in_lines, name_size, row_height
from lit_roberta.comparison.results import Recipe, Results

_MOST_BARS = 6
"""Recipes beyond which three bars each would fill a page."""


def memorisation(results: Results, recipe: Recipe) -> dict[str, list[float]]:
    """Give the three losses of each run of a recipe: own masks, fresh masks, held-out."""
    runs = results.runs_of(recipe.name)
    return {
        "own masks": [run.train_mlm_loss for run in runs],
        "fresh masks": [run.train_mlm_loss_fresh_masks for run in runs],
        "held-out": [run.heldout[recipe.format].mlm_loss for run in runs],
    }


_LONG_NAME = 40
"""Letters that fit above the bars; longer names are written smaller."""


def draw_memorisation(results: Results) -> Chart:
    """Draw the three losses of every recipe."""
    recipes = results.finished()
    measures = {recipe.name: memorisation(results, recipe) for recipe in recipes}
    many = len(recipes) > _MOST_BARS
    row = row_height(list(map(in_lines, measures)), least=0.27) if many else 1.0
    figure = new_figure(rows=1, height=(1.3 if many else 0.75) + row * len(recipes))
    (axes,) = figure.axes
    (_draw_lines if many else _draw_bars)(axes, measures)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    draw_floors(axes, results)
    axes.set_xlabel(LOSS_AXIS)
    if many:
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles[:3], labels[:3], loc="outside upper left", ncols=3, fontsize=9.5)
    words = [
        f"{name}: "
        + ", ".join(f"{measure} {nats(float(np.mean(v)))}" for measure, v in losses.items())
        for name, losses in measures.items()
    ]
    return finish(
        figure,
        name="memorisation",
        title="What was learned, and what was only memorised",
        description="Loss on training text under the masks of training, on the same text under "
        f"fresh masks, and on held-out text. {'; '.join(words)}. {floor_words(results)}",
        origin="train_mlm_loss, train_mlm_loss_fresh_masks and heldout.FORMAT.mlm_loss of each "
        "run's result.json",
    )


def _draw_bars(axes: Axes, measures: dict[str, dict[str, list[float]]]) -> None:
    ticks, labels = [], []
    for place, (name, losses) in enumerate(measures.items()):
        for row, (measure, values) in enumerate(losses.items()):
            height = float(4 * place + row)
            _bar(axes, height, values, colour=ARM_COLOURS[place % 6], strength=0.45 + 0.25 * row)
            ticks.append(height)
            labels.append(measure)
        size = 10.5 * min(1, _LONG_NAME / len(name))
        words = f" {name}"
        axes.text(0, 4 * place - 0.75, words, fontsize=size, fontweight="bold", va="center")
    axes.set_yticks(ticks, labels)
    axes.set_ylim(4 * len(measures) - 1.2, -1.4)


def _bar(
    axes: Axes, height: float, values: Sequence[float], *, colour: str, strength: float
) -> None:
    mean = float(np.mean(values))
    axes.barh(height, mean, height=0.8, color=colour, alpha=strength, zorder=2)
    if len(values) > 1:
        axes.plot(values, [height] * len(values), "|", color=INK, markersize=6, zorder=3)
    write_beside(axes, (max(values), height), nats(mean))


def _draw_lines(axes: Axes, measures: dict[str, dict[str, list[float]]]) -> None:
    """Draw a line a recipe, from its own masks over fresh ones to held-out text."""
    looks: dict[str, dict[str, Any]] = {
        "own masks": {"marker": "|", "color": ARM_COLOURS[0], "markersize": 10},
        "fresh masks": {"marker": "o", "color": ARM_COLOURS[0], "markerfacecolor": PAPER},
        "held-out": {"marker": "o", "color": ARM_COLOURS[0]},
    }
    for place, losses in enumerate(measures.values()):
        means = [float(np.mean(values)) for values in losses.values()]
        axes.plot([min(means), max(means)], [place, place], color=MUTED, linewidth=1, zorder=2)
        for (measure, look), mean in zip(looks.items(), means, strict=True):
            axes.plot(mean, place, linestyle="none", label=measure, zorder=3, **look)
    labels = list(map(in_lines, measures))
    axes.set_yticks(range(len(measures)), labels, fontsize=name_size(labels))
    axes.set_ylim(len(measures) - 0.4, -0.6)
