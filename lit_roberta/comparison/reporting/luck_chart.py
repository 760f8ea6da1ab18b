"""Two kinds of luck as a picture and a table: what the order does, and what initial weights do.

In: results of several orders of one text. Out: a chart, whose upper panel holds the runs and whose
lower one what they differ by; a table with a row for each order.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes

from lit_roberta.comparison.judging.luck import Luck
from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.curves import draw_legend, legend_figure
from lit_roberta.comparison.reporting.drawing import (
    ARM_COLOURS,
    INK,
    Chart,
    arm_style,
    finish,
    write_beside,
)
from lit_roberta.comparison.reporting.floors import LOSS_AXIS
from lit_roberta.comparison.reporting.naming import name_size
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results


def luck_table(results: Results) -> Table | None:
    """One row an order, one column for each set of initial weights. None: that was not asked."""
    losses = results.luck_losses()
    if losses is None:
        return None
    arms: list[str | None] = [recipe.name for recipe in results.finished()]
    return Table(
        name="luck",
        caption="Held-out loss of each run, in nats per masked token: a row is an order of the "
        "text, a column a set of initial weights. If the order were all, rows would differ and "
        "columns agree.",
        header=["order", *_weights(results), "mean"],
        rows=[
            [str(name), *(f"{loss:.3f}" for loss in (*row, row.mean()))]
            for name, row in zip(arms, losses, strict=True)
        ],
        arms=arms,
        besides="heldout.FORMAT.mlm_loss of runs/RECIPE/seed-N/result.json, one cell a run.",
    )


def draw_luck(results: Results) -> Chart | None:
    """Draw the runs and what they differ by; None where that was not asked."""
    luck, losses = results.luck(), results.luck_losses()
    if luck is None or losses is None:
        return None
    weights = _weights(results)
    rows = len(losses)
    figure = legend_figure(weights, rows=2, height=2.9 + 0.3 * rows, ratios=[rows + 0.6, 3.4])
    runs, parts = figure.axes
    _draw_runs(runs, losses, names=[recipe.name for recipe in results.finished()], weights=weights)
    _draw_parts(parts, luck)
    draw_legend(figure, runs)
    return finish(
        figure,
        name="luck",
        title="What runs of one recipe differ by",
        description="Held-out loss of each run by the order of its text and its initial weights, "
        f"and the standard deviation that each adds. {luck.sentences()[1]}",
        origin="heldout.FORMAT.mlm_loss of each run's result.json",
    )


def _weights(results: Results) -> list[str]:
    seeds = [run.seed for run in results.runs_of(results.finished()[0].name)]
    return [f"weights {seed}" for seed in seeds]


def _draw_runs(
    axes: Axes,
    losses: Float64[np.ndarray, "orders weights"],
    *,
    names: list[str],
    weights: list[str],
) -> None:
    for column, name in enumerate(weights):
        style = arm_style(column) | {"linestyle": "none"}
        axes.plot(losses[:, column], range(len(losses)), **style, label=name, markersize=7)
    axes.plot(losses.mean(axis=1), range(len(losses)), "|", color=INK, markersize=14, label="mean")
    axes.set_yticks(range(len(names)), names, fontsize=name_size(names))
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(LOSS_AXIS)


def _draw_parts(axes: Axes, luck: Luck) -> None:
    """Draw the three standard deviations, with intervals where there are any."""
    names = ["order", "initial weights", "both together"]
    values = [luck.order.deviation, luck.weights.deviation, luck.rest]
    axes.barh(range(3), values, height=0.55, color=ARM_COLOURS[0], alpha=0.5, zorder=2)
    ends = [luck.order.high, luck.weights.high, luck.rest]
    for place, source in enumerate((luck.order, luck.weights)):
        axes.plot([source.low, source.high], [place, place], color=ARM_COLOURS[0], zorder=3)
    for place, (value, end) in enumerate(zip(values, ends, strict=True)):
        write_beside(axes, (max(value, end), place), nats(value))
    axes.set_yticks(range(3), names)
    axes.set_ylim(2.5, -0.5)
    axes.set_xlim(0, 1.15 * max(*ends, 1e-3))
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("standard deviation that it adds, nats")
