"""Scores of numbers: how they go along with the true ones, and how far off they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.finetuning.judging.torchmetrics_scores import score


def _spearman(predicted: Tensor, true: Tensor) -> Tensor:
    """Correlate ranks; torchmetrics' own adds to what it divides by, which few numbers show."""
    return score("pearson_corrcoef", _ranks(predicted), _ranks(true))


def _ranks(numbers: Tensor) -> Tensor:
    """Rank numbers; equal ones share the mean of their ranks."""
    _, places, counts = torch.unique(numbers, return_inverse=True, return_counts=True)
    return (counts.cumsum(0) - (counts - 1) / 2)[places].to(numbers.dtype)


_METRICS: Mapping[str, Callable[[Tensor, Tensor], Tensor]] = {
    "pearson": lambda predicted, true: score("pearson_corrcoef", predicted, true),
    "spearmanr": _spearman,
    "mse": lambda predicted, true: score("mean_squared_error", predicted, true),
}


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
    there, here = (torch.tensor(each, dtype=torch.float64) for each in (predicted, true))
    varies = all(len(set(numbers)) > 1 for numbers in (true, predicted))
    return {
        name: round(float(_METRICS[name](there, here)), 6) if varies or name == "mse" else 0.0
        for name in metrics
    }
