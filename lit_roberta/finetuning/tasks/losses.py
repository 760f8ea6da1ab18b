"""What is learned from labels: losses as sums over those that count, and their weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX


class TaskLosses(NamedTuple):
    """Of a micro-batch, as sums."""

    loss: Float[Tensor, ""]
    """In nats; for regression squared errors."""
    num_correct: Float[Tensor, ""]
    """Labels that had the highest logit; 0 where no label is right or wrong."""


@dataclass(frozen=True, kw_only=True)
class Weighting:
    """How labels are weighed in training; held-out losses never are."""

    class_weights: Float[Tensor, " labels"] | None = None
    """Of each label's loss."""
    label_smoothing: float = 0.0
    """Share of a label that is spread over all labels."""

    def to(self, device: torch.device) -> Weighting:
        """Move the weights."""
        weights = self.class_weights
        return self if weights is None else replace(self, class_weights=weights.to(device))

    def weight_of(self, labels: Shaped[Tensor, "*labels"]) -> float:
        """Add up the weights of labels that are there."""
        there = labels[labels != IGNORE_INDEX]
        return float(len(there) if self.class_weights is None else self.class_weights[there].sum())


PLAIN = Weighting()


def count_labels(labels: Shaped[Tensor, "*labels"]) -> int:
    """Count the labels that are there."""
    if labels.is_floating_point():
        return int((~labels.isnan()).sum())
    return int((labels != IGNORE_INDEX).sum())


def class_losses(
    logits: Float[Tensor, "rows labels"], labels: Shaped[Tensor, " rows"], how: Weighting = PLAIN
) -> TaskLosses:
    """Sum up cross entropies.

    Args:
        logits: Of each label.
        labels: Numbers of labels; IGNORE_INDEX for none.
        how: Weights of classes, and smoothing.

    Returns:
        The loss in nats, and how many labels have the highest logit.
    """
    logits = logits.float()
    loss = torch.nn.functional.cross_entropy(
        logits,
        labels,
        weight=how.class_weights,
        ignore_index=IGNORE_INDEX,
        label_smoothing=how.label_smoothing,
        reduction="sum",
    )
    return TaskLosses(loss, (logits.argmax(dim=-1) == labels).sum().float())
