"""Scores after fine-tuning as a table and a picture, the line of no reading beside them.

In: results. Out: a table with a row for each recipe and task; a chart with a panel for each task.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from lit_roberta.comparison.judging.task_scores import TaskScores
from lit_roberta.comparison.reporting.drawing import (
    MUTED,
    Chart,
    arm_style,
    finish,
    new_figure,
    write_beside,
)
from lit_roberta.comparison.reporting.naming import in_lines, name_size, row_height
from lit_roberta.comparison.reporting.summaries import mean_and_reach
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results
from lit_roberta.statistics import mean_interval

_READ = "finetuned/RECIPE/TASK/seed-N"


def tasks_table(results: Results) -> Table | None:
    """One row a recipe and task. None: nobody was fine-tuned."""
    scored = _scored(results)
    if not scored:
        return None
    return Table(
        name="tasks",
        caption="Scores after fine-tuning: mean over runs and 95% interval. Each run was "
        "fine-tuned once, with its own seed, from its last checkpoint.",
        header=["recipe", "task", "score", "mean", "lowest", "highest", "runs", "without reading"],
        rows=[
            [
                each.recipe,
                each.task,
                f"{each.metric} ({each.part})",
                mean_and_reach(each.scores, "{:.4f}".format),
                f"{min(each.scores):.4f}",
                f"{max(each.scores):.4f}",
                f"{len(each.scores)}",
                "unknown" if each.baseline is None else f"{each.baseline:.4f}",
            ]
            for each in scored
        ],
        arms=[each.recipe for each in scored],
        besides=f"scores.PART of {_READ}/result.json; what each example contributed: "
        f"{_READ}/examples.json.",
    )


def draw_tasks(results: Results) -> Chart | None:
    """Draw the scores of each task. None: nobody was fine-tuned."""
    scored = _scored(results)
    if not scored:
        return None
    names = [recipe.name for recipe in results.finished()]
    panels = {
        task: [each for each in scored if each.task == task]
        for task in dict.fromkeys(each.task for each in scored)
    }
    row = row_height(list(map(in_lines, names)), least=0.3)
    height = 0.5 + sum(0.95 + row * len(own) for own in panels.values())
    figure = new_figure(rows=len(panels), height=height)
    for axes, (task, own) in zip(figure.axes, panels.items(), strict=True):
        for place, each in enumerate(own):
            _draw(axes, place, each, names.index(each.recipe))
        _frame(axes, task, own)
    words = [f"{each.recipe} on {each.task} {np.mean(each.scores):.4f}" for each in scored]
    return finish(
        figure,
        name="tasks",
        title="After fine-tuning",
        description="Scores after fine-tuning, mean over runs with 95% intervals. "
        f"{'; '.join(words)}.",
        origin=f"{_READ}/result.json",
    )


def _scored(results: Results) -> list[TaskScores]:
    """Give the recipes with a score, in the order of the tasks and the recipes."""
    names = [recipe.name for recipe in results.finished()]
    tasks = list(dict.fromkeys(each.task for each in results.finetuned))
    return sorted(
        (each for each in results.finetuned if each.scores),
        key=lambda each: (tasks.index(each.task), names.index(each.recipe)),
    )


def _draw(axes: Axes, row: int, scores: TaskScores, place: int) -> None:
    style, values = arm_style(place), np.asarray(scores.scores, np.float64)
    interval = mean_interval(values)
    axes.plot(values, [row] * len(values), "|", color=MUTED, markersize=7, zorder=2)
    axes.errorbar(
        values.mean(),
        row,
        xerr=0.0 if interval is None else interval.half_width,
        color=style["color"],
        marker=style["marker"],
        markersize=8,
        capsize=4,
        linewidth=1.6,
        zorder=3,
    )
    reach = max(values.max(), values.mean() + (0.0 if interval is None else interval.half_width))
    write_beside(axes, (reach, row), f"{values.mean():.3f}", gap=9)


def _frame(axes: Axes, task: str, own: Sequence[TaskScores]) -> None:
    names = [each.recipe for each in own]
    labels = list(map(in_lines, names))
    axes.set_yticks(range(len(names)), labels, fontsize=name_size(labels))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_title(task)
    axes.grid(visible=False, axis="y")
    better = "higher" if own[0].higher_is_better else "lower"
    axes.set_xlabel(f"{own[0].metric}, {own[0].part} part ({better} is better)")
    if own[0].baseline is not None:
        axes.axvline(own[0].baseline, color=MUTED, linestyle="--", linewidth=1.2, zorder=1)
    low, high = axes.get_xlim()
    axes.set_xlim(low, high + 0.12 * (high - low))
