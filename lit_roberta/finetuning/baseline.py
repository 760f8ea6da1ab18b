"""What is scored without reading: the line that a model has to pass."""

from __future__ import annotations

from typing import Any

from lit_roberta.finetuning.collapse import is_better
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.loaders import HeldOutPart
from lit_roberta.finetuning.tasks.base import FinetuningTask


def baseline_scores(data: FinetuningDataModule, part: HeldOutPart) -> dict[str, float]:
    """Score the most frequent label, the mean, or what else is said without reading.

    Args:
        data: Its training part says what is frequent.
        part: What is scored: the first of its sets.

    Returns:
        By the names of the scores; nothing without a training part, or without a label.
    """
    sets = [examples for examples in data.examples(part).values() if examples]
    if not sets or not data.parts.train:
        return {}
    naive = data.task.naive_prediction(data.parts.train)
    scores: dict[str, float] = data.task.scores(sets[0], [naive] * len(sets[0]))
    return scores


def at_baseline(score: float, baseline: float, *, task: FinetuningTask[Any, Any]) -> bool:
    """Tell whether a score is no better than the one without reading.

    Args:
        score: Of a model.
        baseline: Without reading.
        task: Tells which way is better.
    """
    return not is_better(score, baseline, higher_is_better=task.higher_is_better)
