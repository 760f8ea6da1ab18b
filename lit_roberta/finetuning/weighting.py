"""How labels are weighed in training: from the settings and the training part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.errors import must
from lit_roberta.finetuning.items import Item
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.losses import Weighting

ClassWeights = str | list[float]


def check_weighting(class_weights: ClassWeights, label_smoothing: float) -> None:
    """Refuse what no task can have.

    Raises:
        UserError: If a weight is not above 0, or the smoothing no share.
    """
    if isinstance(class_weights, list) and not all(0 < each < math.inf for each in class_weights):
        raise must(
            "model.class_weights", "be above 0", class_weights, "A weight of 1 changes nothing."
        )
    if not 0 <= label_smoothing < 1:
        remedy = "A common value is 0.1."
        raise must("model.label_smoothing", "lie in [0, 1)", label_smoothing, remedy)


def check_weighting_of(
    task: FinetuningTask[Any, Any], class_weights: ClassWeights, label_smoothing: float
) -> None:
    """Refuse what a task can't have, before anything is made of it.

    Raises:
        UserError: If the task has no labels to weigh, or another number of them.
    """
    is_plain = class_weights == "none" and not label_smoothing
    if not is_plain and not task.weighs_labels:
        name = "model.label_smoothing" if label_smoothing else "model.class_weights"
        got = label_smoothing or class_weights
        raise must(name, "be left out for this task", got, "It has no labels to weigh.")
    if isinstance(class_weights, list) and len(class_weights) != len(task.labels):
        rule = f"be {len(task.labels)} numbers, for {', '.join(task.labels)}"
        raise must("model.class_weights", rule, class_weights, "Give one for each label.")


def make_weighting(
    task: FinetuningTask[Any, Any],
    items: Sequence[Item],
    *,
    class_weights: ClassWeights,
    label_smoothing: float,
) -> Weighting:
    """Turn settings into weights.

    Args:
        task: Whose labels these are.
        items: Of the training part, for their frequencies.
        class_weights: none, balanced, or a number for each label.
        label_smoothing: Share of each label that is spread over all.

    Raises:
        UserError: If the task has no labels to weigh, or another number of them.
    """
    check_weighting_of(task, class_weights, label_smoothing)
    if class_weights == "none":
        return Weighting(label_smoothing=label_smoothing)
    if isinstance(class_weights, list):
        weights = torch.tensor(class_weights)
    else:
        counts = count_of_labels(items, num_labels=len(task.labels))
        weights = counts.sum() / (counts.clamp(min=1) * len(task.labels))
        weights[counts == 0] = 1.0
    return Weighting(class_weights=weights.float(), label_smoothing=label_smoothing)


def count_of_labels(items: Sequence[Item], *, num_labels: int) -> torch.Tensor:
    """Count how often each label, by number, stands in items."""
    labels = torch.cat([torch.from_numpy(item.labels).reshape(-1) for item in items])
    return torch.bincount(labels[labels != IGNORE_INDEX], minlength=num_labels)
