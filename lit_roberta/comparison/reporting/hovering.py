"""Where the points of a drawn chart lie, and what to say when somebody touches them.

In: axes that have their place, and the lines in them. Out: plain values for the page's script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.drawing import colour_variable


@dataclass(frozen=True, kw_only=True)
class Line:
    """One recipe's curve."""

    name: str
    colour: str
    x: Float64[np.ndarray, " points"]
    losses: Float64[np.ndarray, "runs points"]


def places_of(axes: Axes, lines: Sequence[Line], *, what: str) -> dict[str, Any]:
    """Give each line's points in the coordinates of the SVG, with their values as text.

    Args:
        axes: Those of a figure that was just drawn as SVG.
        lines: What is drawn in them.
        what: Stands on the axis below, in words.
    """
    figure = axes.get_figure()
    assert figure is not None, "axes are part of a figure"
    height = figure.bbox.height
    box = axes.get_window_extent()
    return {
        "what": what,
        "plot": [
            round(float(each), 1) for each in (box.x0, height - box.y1, box.x1, height - box.y0)
        ],
        "lines": [
            {
                "name": line.name,
                "colour": colour_variable(line.colour),
                **_points(axes, line, height),
            }
            for line in lines
        ],
    }


def _points(axes: Axes, line: Line, height: float) -> dict[str, Any]:
    means = line.losses.mean(axis=0)
    drawn = axes.transData.transform(np.column_stack([line.x, means]))
    return {
        "x": [round(float(x), 1) for x in drawn[:, 0]],
        "y": [round(float(height - y), 1) for y in drawn[:, 1]],
        "at": [_amount(x) for x in line.x],
        "loss": [_loss(column) for column in line.losses.T],
    }


def _amount(value: float) -> str:
    """Write how far a run was: whole numbers where they are large."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _loss(values: Float64[np.ndarray, " runs"]) -> str:
    """Write a mean over runs, with the lowest and the highest where they are several."""
    mean = nats(float(values.mean()))
    if len(values) < 2:
        return mean
    return f"{mean} ({nats(float(values.min()))} to {nats(float(values.max()))})"
