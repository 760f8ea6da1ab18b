"""Losses and accuracies of held-out text: sums over all batches, divided once."""

from __future__ import annotations

import torch
from torch import nn
from torchmetrics import MeanMetric

from lit_roberta.objectives import Sums, perplexity


class HeldOutMetrics(nn.Module):
    """Accumulate the sums of both objectives over the batches of one evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.mlm_loss = _mean()
        self.mlm_accuracy = _mean()
        self.nsp_accuracy = _mean()

    def add_masked_lm(self, sums: Sums) -> None:
        """Add a batch of masked text."""
        _add(self.mlm_loss, sums.loss, sums.num_labels)
        _add(self.mlm_accuracy, sums.num_correct, sums.num_labels)

    def add_next_sentence(self, sums: Sums) -> None:
        """Add a batch of pairs."""
        _add(self.nsp_accuracy, sums.num_correct, sums.num_labels)

    def compute(self) -> dict[str, float]:
        """Give what was measured, by name, and start anew.

        Returns:
            masked_lm_loss (nats per masked token), perplexity, masked_lm_accuracy,
            next_sentence_accuracy; without those that nothing was measured of.
        """
        values: dict[str, float] = {}
        if self.mlm_loss.update_called:
            loss = float(self.mlm_loss.compute())
            values["masked_lm_loss"] = loss
            values["perplexity"] = perplexity(loss)
            values["masked_lm_accuracy"] = float(self.mlm_accuracy.compute())
        if self.nsp_accuracy.update_called:
            values["next_sentence_accuracy"] = float(self.nsp_accuracy.compute())
        for metric in (self.mlm_loss, self.mlm_accuracy, self.nsp_accuracy):
            metric.reset()
        return values


def _mean() -> MeanMetric:
    # Single precision would round the sum of a large part, and the batch size would show in the
    # loss.
    metric = MeanMetric(nan_strategy="error")
    metric.set_dtype(torch.float64)
    return metric


def _add(metric: MeanMetric, total: torch.Tensor, count: torch.Tensor) -> None:
    metric.update(total.double() / count.clamp(min=1), weight=count.double())
