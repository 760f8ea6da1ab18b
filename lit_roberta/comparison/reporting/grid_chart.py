"""A grid as a picture: validation loss by the values of its settings, darker where it is lower.

In: results of a grid. Out: a chart, with a panel for each combination of all settings but two.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.design_tables import grid_arm, grid_axes
from lit_roberta.comparison.reporting.drawing import (
    ARM_COLOURS,
    FAINT,
    INK,
    MUTED,
    Chart,
    finish,
    new_figure,
)
from lit_roberta.comparison.results import Results

_MOST_PANELS = 12
_PALEST, _DARKEST = 0.06, 0.6


def draw_grid(results: Results) -> Chart | None:
    """Draw the grid; None where the comparison is none, or one too large for a picture."""
    axes = grid_axes(results)
    if not axes:
        return None
    names = list(axes)
    down, across = ([""], names[-1]) if len(names) < 2 else (axes[names[-2]], names[-1])
    rest = list(product(*(axes[name] for name in names[:-2])))
    if len(rest) > _MOST_PANELS:
        return None
    losses = _losses(results)
    if not losses:
        return None
    figure = new_figure(rows=len(rest), height=0.7 + len(rest) * (0.55 + 0.42 * len(down)))
    for panel, others in zip(figure.axes, rest, strict=True):
        for row, value in enumerate(down):
            own = (*others, value) if len(names) > 1 else ()
            for column, last in enumerate(axes[across]):
                _cell(panel, row, column, losses.get((*own, last)), losses)
        _frame(panel, axes[across], down)
        panel.set_title(", ".join(f"{n} {v}" for n, v in zip(names, others, strict=False)))
        panel.set_ylabel("" if len(names) < 2 else names[-2])
    figure.axes[-1].set_xlabel(across)
    best = min(losses, key=losses.__getitem__)
    found = joined([f"{name} {value}" for name, value in zip(names, best, strict=True)])
    return finish(
        figure,
        name="grid",
        title="Validation loss by setting",
        description=f"Validation loss at the last update of {len(losses)} combinations, mean over "
        f"runs. The lowest is {nats(losses[best])}, at {found}.",
        origin="validation_loss of each run's result.json, and design.axes in results.json",
    )


def _losses(results: Results) -> dict[tuple[str, ...], float]:
    """Give the loss of each combination with a finished run."""
    losses = {}
    for values in product(*grid_axes(results).values()):
        arm = grid_arm(results, values)
        runs = [] if arm is None else results.runs_of(arm.name)
        if runs:
            losses[values] = float(np.mean([run.validation_loss for run in runs]))
    return losses


def _cell(
    axes: Axes, row: int, column: int, loss: float | None, losses: dict[tuple[str, ...], float]
) -> None:
    if loss is None:
        axes.text(column, row, "none", ha="center", va="center", color=MUTED, fontsize=9)
        return
    low, high = min(losses.values()), max(losses.values())
    strength = (high - loss) / (high - low) if high > low else 1.0
    shade = _PALEST + (_DARKEST - _PALEST) * strength
    corner = (column - 0.5, row - 0.5)
    axes.add_patch(Rectangle(corner, 1, 1, facecolor=ARM_COLOURS[0], alpha=shade, linewidth=0))
    edge = INK if loss == low else FAINT
    width = 2.0 if loss == low else 0.6
    axes.add_patch(
        Rectangle(
            corner, 1, 1, fill=False, edgecolor=edge, linewidth=width, zorder=2 + (loss == low)
        )
    )
    weight = "bold" if loss == low else "normal"
    axes.text(column, row, nats(loss), ha="center", va="center", fontsize=9.5, fontweight=weight)


def _frame(axes: Axes, across: list[str], down: list[str]) -> None:
    axes.set_xlim(-0.5, len(across) - 0.5)
    axes.set_ylim(len(down) - 0.5, -0.5)
    axes.set_xticks(range(len(across)), across)
    axes.set_yticks(range(len(down)), down)
    axes.grid(visible=False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
