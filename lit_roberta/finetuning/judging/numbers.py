"""Scores of numbers: how they go along with the true ones, and how far off they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch

from lit_roberta.errors import must
from lit_roberta.finetuning.judging.torchmetrics_scores import score

_METRICS: Mapping[str, str] = {
    "pearson": "pearson_corrcoef",
    "spearmanr": "spearman_corrcoef",
    "mse": "mean_squared_error",
}
"""What torchmetrics calls them."""


def check_number_metrics(metrics: Sequence[str]) -> None:
    """Refuse scores that there are not.

    Raises:
        UserError: Names the first.
    """
    for name in metrics:
        if name not in _METRICS:
            known = ", ".join(_METRICS)
            raise must("data.metrics", f"be of {known}", name, "Leave it out for pearson.")


def number_scores(
    true: Sequence[float], predicted: Sequence[float], *, metrics: Sequence[str]
) -> dict[str, float]:
    """Judge numbers. Those that are all the same go along with nothing: a correlation of 0.

    Args:
        true: At least one.
        predicted: As many.
        metrics: Names of scores.

    Example:
        >>> number_scores([1.0, 2.0, 4.0], [2.0, 4.0, 8.0], metrics=["pearson", "mse"])
        {'pearson': 1.0, 'mse': 7.0}
    """
    # double: what Pearson's sums lose in single precision shows in the fourth digit
    pair = [torch.tensor(numbers, dtype=torch.float64) for numbers in (predicted, true)]
    varies = all(len(set(numbers)) > 1 for numbers in (true, predicted))
    return {
        name: round(float(score(_METRICS[name], *pair)), 6) if varies or name == "mse" else 0.0
        for name in metrics
    }
