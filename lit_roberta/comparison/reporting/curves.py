"""The curves of training and validation: progress, and no evidence about who is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.drawing import (
    ARM_COLOURS,
    ARM_LINES,
    ARM_MARKERS,
    MUTED,
    Chart,
    finish,
    new_figure,
)
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import Run

_FEW_POINTS = 4
"""Below this, the points themselves are drawn: a line of one point can't be seen."""


def draw_curves(results: Results) -> list[Chart]:
    """Draw training loss by epoch and validation loss by tokens, where they have two points."""
    charts = []
    if any(len(run.curves.training) > 1 for run in results.runs):
        charts.append(_training(results))
    if any(len(run.curves.validation) > 1 for run in results.runs):
        charts.append(_validation(results))
    return charts


def _training(results: Results) -> Chart:
    figure = new_figure(rows=1, height=3.4)
    (axes,) = figure.axes
    words = []
    for place, recipe in enumerate(results.finished()):
        runs = results.runs_of(recipe.name)
        curves = [[loss for _, loss in run.curves.training] for run in runs]
        epochs = np.arange(1, min(map(len, curves)) + 1, dtype=np.float64)
        losses = np.array([curve[: len(epochs)] for curve in curves])
        _line(axes, place, epochs, losses, recipe.name)
        words.append(f"{recipe.name} ends at {nats(losses[:, -1].mean())}")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("epoch: pass over the recipe's own examples")
    axes.set_ylabel("training loss, nats")
    _legend(figure)
    return finish(
        figure,
        name="training-loss",
        title="Training loss by epoch",
        description="Masked-language-model loss in training mode under each run's own masks, mean "
        f"over runs. {joined(words)}. Epochs of different recipes differ in length.",
    )


def _validation(results: Results) -> Chart:
    figure = new_figure(rows=1, height=3.6)
    (axes,) = figure.axes
    words = []
    for place, recipe in enumerate(results.finished()):
        runs = results.runs_of(recipe.name)
        tokens, losses = _by_tokens(runs)
        _line(axes, place, tokens, losses, recipe.name)
        words.append(f"{recipe.name} ends at {nats(losses[:, -1].mean())}")
    unigram, log_vocab = results.text.unigram_loss, results.log_vocab
    axes.axhline(unigram, color=MUTED, linestyle="--", linewidth=1.2, label="word frequencies")
    axes.axhline(log_vocab, color=MUTED, linestyle=":", linewidth=1.2, label="ln V")
    axes.set_xlabel("tokens fed")
    axes.xaxis.set_major_formatter(lambda value, _: _short_number(value))
    axes.set_ylabel("validation loss, nats")
    _legend(figure)
    return finish(
        figure,
        name="validation-loss",
        title="Validation loss by tokens fed",
        description="Masked-language-model loss on the validation part, each recipe in its own "
        f"format, mean over runs. {joined(words)}. Word frequencies alone give {nats(unigram)}.",
    )


def _by_tokens(
    runs: Sequence[Run],
) -> tuple[Float64[np.ndarray, " points"], Float64[np.ndarray, "runs points"]]:
    """Give the points that all runs have, over the tokens fed up to each."""
    points = min(len(run.curves.validation) for run in runs)
    first = runs[0]
    updates = np.array(
        [update for update, _ in first.curves.validation[:points]], dtype=np.float64
    )
    losses = np.array([[loss for _, loss in run.curves.validation[:points]] for run in runs])
    return updates * (first.tokens / first.updates), losses


def _line(
    axes: Axes,
    place: int,
    x: Float64[np.ndarray, " points"],
    losses: Float64[np.ndarray, "runs points"],
    name: str,
) -> None:
    colour = ARM_COLOURS[place % 6]
    axes.plot(
        x,
        losses.mean(axis=0),
        color=colour,
        linestyle=ARM_LINES[place % 6],
        marker=ARM_MARKERS[place % 6] if len(x) < _FEW_POINTS else "",
        label=name,
    )
    if len(losses) > 1:
        axes.fill_between(
            x, losses.min(axis=0), losses.max(axis=0), color=colour, alpha=0.18, linewidth=0
        )


def _legend(figure: Figure) -> None:
    figure.legend(loc="outside upper left", ncols=3, fontsize=9.5)


def _short_number(value: float | int) -> str:
    """Write a large number as a reader of an axis wants it.

    Example:
        >>> [_short_number(value) for value in (0, 500, 20_000, 1_500_000)]
        ['0', '500', '20k', '1.5M']
    """
    for limit, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= limit:
            return f"{value / limit:g}{letter}"
    return f"{value:g}"
