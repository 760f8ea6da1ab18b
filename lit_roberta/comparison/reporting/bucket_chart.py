"""Held-out loss by what was predicted and where: where a recipe is good, and where it is not.

In: results. Out: a chart and a table, each recipe in its own format, pooled over its runs.
"""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.curves import coloured_recipes, draw_legend, legend_figure
from lit_roberta.comparison.reporting.drawing import MUTED, Chart, arm_style, finish
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Recipe, Results
from lit_roberta.comparison.runs.run import Bucket

_SORTED_BY = {
    "frequency": "times in the training text",
    "position": "place in the row",
    "piece": "what the token is",
    "mask": "what stood there",
}
"""Ways to sort, and how they are called on an axis."""


def draw_buckets(results: Results) -> Chart | None:
    """Draw the loss by bucket; None where no run has any."""
    pooled = {recipe.name: _pooled(results, recipe) for recipe in results.finished()}
    sorts = [name for name in _SORTED_BY if any(name in each for each in pooled.values())]
    if not sorts:
        return None
    coloured = coloured_recipes(results)
    figure = legend_figure([*coloured], rows=len(sorts), height=1.75 * len(sorts))
    for axes, name in zip(figure.axes, sorts, strict=True):
        _draw_sort(axes, name, pooled, coloured)
    draw_legend(figure, figure.axes[0])
    return finish(
        figure,
        name="buckets",
        title="Held-out loss by what is predicted",
        description="Held-out loss at the last update, each recipe in its own format, by how "
        "often the token stands in the training text, its place in the row, what it is, and what "
        "stood in its place. The numbers are in the table below.",
        origin="heldout.FORMAT.buckets of each run's result.json",
    )


def _draw_sort(
    axes: Axes, name: str, pooled: dict[str, dict[str, dict[str, Bucket]]], coloured: list[str]
) -> None:
    keys = _keys(pooled, name)
    for place, (recipe, sorts) in enumerate(pooled.items()):
        found = [(keys.index(key), bucket.loss) for key, bucket in sorts.get(name, {}).items()]
        shown = recipe in coloured
        style = arm_style(place) if shown else {"color": MUTED, "linewidth": 0.7}
        axes.plot(
            *zip(*found, strict=True),
            **style,
            markersize=5,
            label=recipe if shown else None,
            zorder=3 if shown else 2,
        )
    axes.set_xticks(range(len(keys)), keys, fontsize=10.5 if len(keys) < 6 else 8.5)
    axes.set_title(_SORTED_BY[name], fontsize=10.5)
    axes.set_ylabel("nats")
    axes.set_xlim(-0.4, len(keys) - 0.6)


def buckets_table(results: Results) -> Table | None:
    """Loss by bucket with the share of the predictions; None where no run has any."""
    pooled = {recipe.name: _pooled(results, recipe) for recipe in results.finished()}
    rows = []
    for name, words in _SORTED_BY.items():
        keys = _keys(pooled, name)
        first = next((each[name] for each in pooled.values() if name in each), {})
        total = sum(bucket.count for bucket in first.values())
        rows += [
            [
                words,
                key,
                f"{first[key].count / total:.1%}" if key in first else "0.0%",
                *(
                    nats(sorts[name][key].loss) if key in sorts.get(name, {}) else "none"
                    for sorts in pooled.values()
                ),
            ]
            for key in keys
        ]
    if not rows:
        return None
    return Table(
        name="buckets",
        caption="Held-out loss at the last update by what is predicted, each recipe in its own "
        "format, nats per masked token. The shares are those of the first recipe's predictions.",
        header=["sorted by", "bucket", "share", *pooled],
        rows=rows,
        besides="heldout.FORMAT.buckets of runs/RECIPE/seed-N/result.json: nats over count, both "
        "summed over the runs of a recipe.",
    )


def _pooled(results: Results, recipe: Recipe) -> dict[str, dict[str, Bucket]]:
    """Sum the buckets of a recipe's runs in its own format."""
    runs = [run.heldout[recipe.format].buckets for run in results.runs_of(recipe.name)]
    return {
        name: {
            key: _sum([run[name][key] for run in runs if key in run.get(name, {})])
            for key in dict.fromkeys(key for run in runs for key in run.get(name, {}))
        }
        for name in dict.fromkeys(name for run in runs for name in run)
    }


def _sum(buckets: list[Bucket]) -> Bucket:
    return Bucket(
        nats=float(np.sum([bucket.nats for bucket in buckets])),
        count=sum(bucket.count for bucket in buckets),
        right=sum(bucket.right for bucket in buckets),
    )


def _keys(pooled: dict[str, dict[str, dict[str, Bucket]]], name: str) -> list[str]:
    """Name the buckets that any recipe has, in the order of whoever has most."""
    own = sorted((list(each.get(name, {})) for each in pooled.values()), key=len, reverse=True)
    return list(dict.fromkeys(key for keys in own for key in keys))
