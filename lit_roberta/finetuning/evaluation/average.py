"""One number for all tasks of GLUE that each model has learned.

In: cells. Out: an average for each model, over the same tasks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from lit_roberta.finetuning.evaluation.results import Cell, Found
from lit_roberta.finetuning.evaluation.runs import is_number
from lit_roberta.finetuning.evaluation.task_names import GLUE
from lit_roberta.finetuning.tasks.table import plain

_METRICS: Mapping[str, Sequence[str]] = {
    "cola": ["matthews_correlation"],
    "mrpc": ["accuracy", "f1"],
    "stsb": ["pearson", "spearmanr"],
    "qqp": ["accuracy", "f1"],
}
"""What a task counts by, averaged; the others by accuracy. MNLI's two sets are averaged, too."""
_ACCURACY = ("accuracy",)
FEWEST_TASKS = 2


@dataclass(frozen=True, kw_only=True)
class Average:
    """Of a model."""

    model: str
    score: float
    tasks: Sequence[str]
    """That it is over: those of GLUE that every model has a score of."""

    @property
    def missing(self) -> list[str]:
        """Tasks of GLUE that it is not over."""
        return [name for name in GLUE if name not in self.tasks]


def glue_averages(cells: Sequence[Cell]) -> list[Average]:
    """Average over tasks, each by the median of its runs.

    Args:
        cells: By model and task.

    Returns:
        For each model; nothing where they share fewer than two tasks.

    Source: Wang et al. 2018, section 3: a macro-average, over a task's metrics first.
    """
    scores: dict[str, dict[str, float]] = {}
    for cell in cells:
        found = [_score(run, cell) for run in cell.chosen.runs]
        known = [score for score in found if score is not None]
        of_model = scores.setdefault(cell.model, {})
        if plain(cell.task) in GLUE and known:
            of_model[plain(cell.task)] = median(known)
    shared = [name for name in GLUE if all(name in each for each in scores.values())]
    if len(shared) < FEWEST_TASKS:
        return []
    return [
        Average(model=model, score=fmean(each[name] for name in shared), tasks=shared)
        for model, each in scores.items()
    ]


def say_averages(averages: Sequence[Average]) -> list[str]:
    """Say what the averages are of, and what they are not."""
    if not averages:
        return []
    first = averages[0]
    said = f"GLUE's average is over {', '.join(first.tasks)}"
    if first.missing:
        said += f", without {', '.join(first.missing)}"
    return [
        f"{said}: the mean of the tasks' medians, each over its metrics and sets. It is no score "
        "of the public list, which is of test parts whose labels are not public."
    ]


def _score(found: Found, cell: Cell) -> float | None:
    """Average the metrics and sets of a run; None where one is missing."""
    wanted = _METRICS.get(plain(cell.task), _ACCURACY)
    sets = found.result["scores"].get(cell.part, {})
    values = [scores.get(name) for scores in sets.values() for name in wanted]
    numbers = [float(value) for value in values if is_number(value)]
    return fmean(numbers) if numbers and len(numbers) == len(values) else None
