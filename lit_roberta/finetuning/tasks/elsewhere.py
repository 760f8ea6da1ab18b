"""The task of a model that was fine-tuned elsewhere, from what Hugging Face says of it."""

from __future__ import annotations

from typing import Any

from lit_roberta.errors import must
from lit_roberta.exchange.tasks import Task
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.regression import Regression
from lit_roberta.finetuning.tasks.several_labels import SeveralLabels
from lit_roberta.finetuning.tasks.table import KINDS


def task_for(task: Task) -> FinetuningTask[Any, Any]:
    """Give the task of a model that came from elsewhere, with its labels in their order.

    Args:
        task: What is known of it.

    Raises:
        UserError: If nothing here predicts such.
    """
    if task.kind == "sequence-classification":
        return _of_texts(task)
    found = next((kind for kind in KINDS.values() if kind.kind == task.kind), None)
    if found is None:
        remedy = f"There are: {', '.join(KINDS)}."
        raise must("the task of the model", "be one that is predicted here", task.kind, remedy)
    return found(task.labels)


def _of_texts(task: Task) -> FinetuningTask[Any, Any]:
    if task.is_regression:
        if len(task.labels) != 1:
            remedy = "Nothing else is implemented."
            raise must("a regression", "be of one number", len(task.labels), remedy)
        return Regression()
    several = task.problem_type == "multi_label_classification"
    return (SeveralLabels if several else Classification)(task.labels)
