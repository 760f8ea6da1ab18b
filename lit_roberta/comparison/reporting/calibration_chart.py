"""Whether first guesses are right as often as the models are sure of them.

In: results. Out: a chart and a table, each recipe in its own format.
"""

from __future__ import annotations

import numpy as np

from lit_roberta.comparison.judging.wording import joined
from lit_roberta.comparison.reporting.curves import coloured_recipes, draw_legend, legend_figure
from lit_roberta.comparison.reporting.drawing import MUTED, Chart, arm_style, finish
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import Run

_FEWEST = 20
"""Predictions below which the accuracy of a bin is not drawn."""


def draw_calibration(results: Results) -> Chart | None:
    """Draw accuracy against confidence; None where no run kept it."""
    if not _kept(results):
        return None
    coloured = coloured_recipes(results)
    figure = legend_figure([*coloured], rows=1, height=3.3)
    (axes,) = figure.axes
    axes.plot([0, 1], [0, 1], color=MUTED, linestyle=":", linewidth=1.2, zorder=1)
    for place, recipe in enumerate(results.finished()):
        if recipe.name in coloured:
            sure, right = _reliability(results.runs_of(recipe.name))
            axes.plot(sure, right, **arm_style(place), markersize=5, label=recipe.name)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("probability of the first guess")
    axes.set_ylabel("share that is right")
    draw_legend(figure, axes)
    errors = [
        f"{recipe.name} {_mean_error(results.runs_of(recipe.name)):.3f}"
        for recipe in results.finished()
    ]
    return finish(
        figure,
        name="calibration",
        title="How far probabilities can be taken at their word",
        description="Share of first guesses that are right, by their probability, pooled over "
        f"runs. Expected calibration error: {joined(errors)}.",
        origin="calibration of each run's result.json",
    )


def calibration_table(results: Results) -> Table | None:
    """Expected calibration error and Brier score; None where no run kept them."""
    if not _kept(results):
        return None
    recipes = results.finished()
    return Table(
        name="calibration",
        caption="Held-out predictions at the last update in each recipe's own format: the mean "
        "distance of the probability of the first guess and the share that is right (0 is best), "
        "and the Brier score (0 is best, 2 worst).",
        header=["recipe", "expected calibration error", "Brier score"],
        rows=[
            [
                recipe.name,
                f"{_mean_error(runs):.3f}",
                f"{np.mean([run.calibration.brier_score for run in runs]):.3f}",
            ]
            for recipe in recipes
            for runs in [results.runs_of(recipe.name)]
        ],
        arms=[recipe.name for recipe in recipes],
        fields=["", "calibration.expected_error", "calibration.brier_score"],
    )


def _kept(results: Results) -> bool:
    return all(run.calibration.count for run in results.runs)


def _mean_error(runs: list[Run]) -> float:
    return float(np.mean([run.calibration.expected_error for run in runs]))


def _reliability(runs: list[Run]) -> tuple[list[float], list[float]]:
    """Give mean confidence and accuracy of each bin with enough in it."""
    count, sure, right = (
        np.sum([getattr(run.calibration, name) for run in runs], axis=0)
        for name in ("count", "confidence", "right")
    )
    own = count >= _FEWEST
    return (sure[own] / count[own]).tolist(), (right[own] / count[own]).tolist()
