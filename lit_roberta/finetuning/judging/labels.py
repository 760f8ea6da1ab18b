"""Scores of labels: how many are right, F1, and Matthews' correlation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.finetuning.judging.torchmetrics_scores import score


def _matthews(predicted: Tensor, true: Tensor, count: int) -> Tensor:
    """Correlate; what is always the same goes along with nothing, as scikit-learn has it.

    Torchmetrics gives a small number there that depends on how often each label is true.
    """
    if any(bool((labels == labels[0]).all()) for labels in (predicted, true)):
        return torch.zeros(())
    return score("multiclass_matthews_corrcoef", predicted, true, count)


_METRICS: Mapping[str, Callable[[Tensor, Tensor, int], Tensor]] = {
    "accuracy": lambda predicted, true, count: score(
        "multiclass_accuracy", predicted, true, count, average="micro"
    ),
    "macro_f1": lambda predicted, true, count: score(
        "multiclass_f1_score", predicted, true, count, average="macro"
    ),
    "f1": lambda predicted, true, count: score("binary_f1_score", predicted, true),
    "matthews_correlation": _matthews,
}
"""By name, from the number of labels. `f1` is that of the second of two labels, as in GLUE."""


def check_label_metrics(metrics: Sequence[str], *, num_labels: int) -> None:
    """Refuse scores that there are not.

    Raises:
        UserError: Names the first, or one that is for two labels where there are more.
    """
    for name in metrics:
        if name not in _METRICS:
            known = ", ".join(_METRICS)
            raise must("data.metrics", f"be of {known}", name, "Leave it out for accuracy.")
        if name == "f1" and num_labels != 2:
            remedy = "Take macro_f1."
            raise must("data.metrics", "be another for more than two labels", name, remedy)


def label_scores(
    true: Sequence[str], predicted: Sequence[str], *, labels: Sequence[str], metrics: Sequence[str]
) -> dict[str, float]:
    """Judge labels.

    Args:
        true: At least one.
        predicted: As many.
        labels: All that there are, in the order of their numbers.
        metrics: Names of scores.

    Example:
        >>> label_scores("aab", "aba", labels="ab", metrics=["accuracy"])
        {'accuracy': 0.333333}
    """
    numbers = {label: number for number, label in enumerate(labels)}
    there, here = (torch.tensor([numbers[name] for name in names]) for names in (predicted, true))
    return {name: round(float(_METRICS[name](there, here, len(labels))), 6) for name in metrics}
