"""The end points of several budgets as a picture: what more training brought to whom.

In: results, one for each budget. Out: a chart whose points are ends of runs of their own, never
points on the way of a longer one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter, NullLocator

from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.curves import draw_legend, legend_figure, short_number
from lit_roberta.comparison.reporting.drawing import Chart, arm_style, chart_style, finish
from lit_roberta.comparison.reporting.hovering import Line, places_of
from lit_roberta.comparison.results import Results
from lit_roberta.statistics import mean_interval

NAME = "budgets"


@dataclass(frozen=True, kw_only=True)
class _Ends:
    """Where the runs of one recipe ended, by budget."""

    name: str
    style: dict[str, Any]
    amounts: list[float]
    losses: list[Float64[np.ndarray, " runs"]]


def draw_budgets(found: Sequence[Results]) -> Chart | None:
    """Draw each recipe's held-out loss by budget; None where one budget is all there is.

    Args:
        found: The smallest budget first.
    """
    recipes = _ends(found)
    if len(found) < 2:
        return None
    with chart_style():
        figure = legend_figure([each.name for each in recipes], height=3.4)
        (axes,) = figure.axes
        for each in recipes:
            _draw(axes, each)
        unit = str(found[0].budget["unit"])
        label = f"budget of each run, {unit}"
        _budget_axis(axes, [float(results.budget["amount"]) for results in found], label)
        axes.set_ylabel("held-out loss, nats")
        draw_legend(figure, axes)
        return finish(
            figure,
            name=NAME,
            title="Held-out loss by budget",
            description="Held-out loss at the last update, each recipe in its own format, mean "
            f"over runs, by {label}. {'; '.join(map(_words, recipes))}.",
            origin="heldout.FORMAT.mlm_loss of each run's result.json, in the folders of the "
            "budgets",
            hover=lambda: places_of(axes, [_line(each) for each in recipes], what=label),
        )


def _ends(found: Sequence[Results]) -> list[_Ends]:
    names = list(dict.fromkeys(each.name for results in found for each in results.finished()))
    return [_ends_of(name, place, found) for place, name in enumerate(names)]


def _ends_of(name: str, place: int, found: Sequence[Results]) -> _Ends:
    amounts, losses = [], []
    for results in found:
        for recipe in results.finished():
            if recipe.name == name:
                runs = results.runs_of(name)
                amounts.append(float(results.budget["amount"]))
                losses.append(np.array([run.heldout[recipe.format].mlm_loss for run in runs]))
    return _Ends(name=name, style=arm_style(place), amounts=amounts, losses=losses)


def _draw(axes: Axes, ends: _Ends) -> None:
    """Draw the means with their 95% intervals over runs."""
    intervals = [mean_interval(losses) for losses in ends.losses]
    axes.errorbar(
        ends.amounts,
        [losses.mean() for losses in ends.losses],
        yerr=[0.0 if each is None else each.half_width for each in intervals],
        label=ends.name,
        markersize=7,
        capsize=3,
        zorder=3,
        **ends.style,
    )


def _budget_axis(axes: Axes, amounts: Sequence[float], label: str) -> None:
    """Give an axis equal steps for equal factors, with the budgets themselves on it."""
    axes.set_xscale("log")
    axes.set_xticks(amounts, [short_number(amount) for amount in amounts])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.margins(x=0.08)
    axes.set_xlabel(label)


def _line(ends: _Ends) -> Line:
    """Give the points to be touched; single runs only where every budget has as many."""
    means = np.array([[losses.mean() for losses in ends.losses]])
    whole = len({len(losses) for losses in ends.losses}) == 1
    return Line(
        name=ends.name,
        colour=ends.style["color"],
        x=np.array(ends.amounts),
        losses=np.stack(ends.losses, axis=1) if whole else means,
    )


def _words(ends: _Ends) -> str:
    pairs = zip(ends.amounts, ends.losses, strict=True)
    parts = [f"{nats(losses.mean())} at {short_number(amount)}" for amount, losses in pairs]
    return f"{ends.name} {joined(parts)}"
