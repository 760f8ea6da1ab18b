"""The charts of a comparison: each one answers one question.

In: results. Out: charts with their titles and their descriptions. What is drawn is computed from
the results alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from lit_roberta.comparison.judging.claims import Difference, PairJudgement
from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.curves import draw_curves
from lit_roberta.comparison.reporting.drawing import (
    ARM_COLOURS,
    ARM_MARKERS,
    INK,
    MUTED,
    PAPER,
    Chart,
    chart_style,
    finish,
    new_figure,
    reference_line,
)
from lit_roberta.comparison.results import Recipe, Results
from lit_roberta.statistics import mean_interval

_NATS = "nats per masked token (lower is better)"
_BEHIND = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.0, "alpha": 0.85}
"""What keeps a number readable where a line runs through it."""


def draw_charts(results: Results, pairs: Sequence[PairJudgement]) -> list[Chart]:
    """Draw every chart, the most telling one first."""
    with chart_style():
        charts = [_memorisation(results), _held_out(results)]
        if any(difference.over_runs for pair in pairs for difference in pair.differences):
            charts.append(_differences(pairs))
        return [*charts, *draw_curves(results)]


# ---- what was memorised


def _memorisation(results: Results) -> Chart:
    recipes = results.finished()
    figure = new_figure(rows=1, height=0.75 + 1.0 * len(recipes))
    (axes,) = figure.axes
    words = []
    ticks, labels = [], []
    for place, recipe in enumerate(recipes):
        measures = memorisation(results, recipe)
        for row, (measure, values) in enumerate(measures.items()):
            height = float(4 * place + row)
            _bar(axes, height, values, colour=ARM_COLOURS[place % 6], strength=0.45 + 0.25 * row)
            ticks.append(height)
            labels.append(measure)
        axes.text(0, 4 * place - 0.75, f" {recipe.name}", fontweight="bold", va="center")
        words.append(
            f"{recipe.name}: "
            + ", ".join(f"{measure} {nats(float(np.mean(v)))}" for measure, v in measures.items())
        )
    axes.set_yticks(ticks, labels)
    axes.set_ylim(4 * len(recipes) - 1.2, -1.4)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    _floors(axes, results)
    axes.set_xlabel(_NATS)
    return finish(
        figure,
        name="memorisation",
        title="What was learned, and what was only memorised",
        description="Loss on training text under the masks of training, on the same text under "
        f"fresh masks, and on held-out text. {'; '.join(words)}. {_floor_words(results)}",
    )


def memorisation(results: Results, recipe: Recipe) -> dict[str, list[float]]:
    """Give the three losses of each run of a recipe: own masks, fresh masks, held-out."""
    runs = results.runs_of(recipe.name)
    return {
        "own masks": [run.train_mlm_loss for run in runs],
        "fresh masks": [run.train_mlm_loss_fresh_masks for run in runs],
        "held-out": [run.heldout[recipe.format].mlm_loss for run in runs],
    }


def _bar(
    axes: Axes, height: float, values: Sequence[float], *, colour: str, strength: float
) -> None:
    mean = float(np.mean(values))
    axes.barh(height, mean, height=0.8, color=colour, alpha=strength, zorder=2)
    if len(values) > 1:
        axes.plot(values, [height] * len(values), "|", color=INK, markersize=6, zorder=3)
    axes.annotate(
        nats(mean),
        (max(values), height),
        xytext=(6, 0),
        textcoords="offset points",
        va="center",
        fontsize=9.5,
        bbox=_BEHIND,
        zorder=4,
    )


# ---- the matrix of formats


def _held_out(results: Results) -> Chart:
    recipes, formats = results.finished(), results.formats
    figure = new_figure(rows=len(formats), height=0.9 + len(formats) * (0.65 + 0.3 * len(recipes)))
    words = []
    for axes, format in zip(figure.axes, formats, strict=True):
        for place, recipe in enumerate(recipes):
            losses = np.array([r.heldout[format].mlm_loss for r in results.runs_of(recipe.name)])
            own = " (its own format)" if recipe.format == format else ""
            _point(axes, place, losses, own=bool(own))
            words.append(f"{recipe.name} on {format}{own} {nats(losses.mean())}")
        axes.set_yticks(range(len(recipes)), [recipe.name for recipe in recipes])
        axes.set_ylim(len(recipes) - 0.4, -0.6)
        axes.set_title(f"scored on {format}", pad=18)
        axes.grid(visible=False, axis="y")
        _floors(axes, results)
    _share_range(figure.axes)
    figure.axes[-1].set_xlabel(_NATS)
    return finish(
        figure,
        name="held-out",
        title="Held-out loss in every compared format",
        description="A filled marker is a recipe in its own format, a hollow one in a rival's; "
        f"bars are 95% intervals over runs. {'; '.join(words)}. {_floor_words(results)}",
    )


def _point(axes: Axes, place: int, losses: np.ndarray, *, own: bool) -> None:
    colour, marker = ARM_COLOURS[place % 6], ARM_MARKERS[place % 6]
    interval = mean_interval(losses)
    reach = 0.0 if interval is None else interval.half_width
    axes.errorbar(
        losses.mean(),
        place,
        xerr=reach,
        color=colour,
        marker=marker,
        markersize=8,
        markerfacecolor=colour if own else "none",
        capsize=4,
        linewidth=1.6,
        zorder=3,
    )
    axes.annotate(
        nats(losses.mean()),
        (losses.mean() + reach, place),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        fontsize=9.5,
        bbox=_BEHIND,
        zorder=4,
    )


def _share_range(panels: Sequence[Axes]) -> None:
    """Give all panels the same losses, with room for a number at the right."""
    lows, highs = zip(*(axes.get_xlim() for axes in panels), strict=True)
    low, high = min(lows), max(highs)
    for axes in panels:
        axes.set_xlim(low, high + 0.08 * (high - low))


def _floors(axes: Axes, results: Results) -> None:
    # The unigram line is never right of ln V, so the names grow away from each other.
    unigram = results.text.unigram_loss
    reference_line(axes, unigram, "word frequencies", dashes="--", side="right")
    reference_line(axes, results.log_vocab, "ln V", dashes=":", side="left")


def _floor_words(results: Results) -> str:
    return (
        f"Word frequencies alone give {nats(results.text.unigram_loss)}, no knowledge at all "
        f"ln V = {nats(results.log_vocab)}."
    )


# ---- the differences that the verdict rests on


def _differences(pairs: Sequence[PairJudgement]) -> Chart:
    rows = [(pair, difference) for pair in pairs for difference in pair.differences]
    figure = new_figure(rows=1, height=0.9 + 0.62 * len(rows))
    (axes,) = figure.axes
    axes.axvline(0, color=MUTED, linewidth=1.2, zorder=1)
    for place, (_, difference) in enumerate(rows):
        _interval(axes, place - 0.17, difference, "over_runs", marker="o", colour=ARM_COLOURS[0])
        _interval(
            axes, place + 0.17, difference, "over_documents", marker="s", colour=ARM_COLOURS[1]
        )
    axes.set_yticks(
        range(len(rows)),
        [f"{pair.first} \N{MINUS SIGN} {pair.second}\non {each.format}" for pair, each in rows],
    )
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("difference in nats (left of 0 the first is better)")
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    figure.legend(unique.values(), unique.keys(), loc="outside upper left", ncols=2, fontsize=9.5)
    words = [f"{p.first} minus {p.second} on {d.format} {nats(d.estimate)}" for p, d in rows]
    return finish(
        figure,
        name="differences",
        title="The differences that the verdict rests on",
        description=f"95% intervals over runs and over documents. {joined(words)}.",
    )


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
