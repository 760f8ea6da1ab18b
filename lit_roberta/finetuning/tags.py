"""What the values of a run of fine-tuning are called."""

from __future__ import annotations

from typing import Any

from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.training.tags import RunTags


def finetuning_tags(task: FinetuningTask[Any, Any]) -> RunTags:
    """Name the loss, and the score that decides which model is best."""
    monitor = f"val/{task.monitor}"
    accuracies = ["train/accuracy"] if task.has_accuracy else []
    scores = [f"val/{name}" for name in task.metrics]
    return RunTags(
        train_loss="train/loss",
        monitor=monitor,
        higher_is_better=task.higher_is_better,
        final=("train/loss", "val/loss", *scores),
        layout={
            "Fine-tuning": {
                "loss": ["Multiline", ["train/loss", "val/loss"]],
                "scores": ["Multiline", [*accuracies, *scores]],
            }
        },
    )
