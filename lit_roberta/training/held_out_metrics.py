"""Losses and accuracies of held-out text: sums over all batches, divided once."""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn
from torchmetrics import Metric

from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.objectives import Sums, perplexity, unigram_cross_entropy

HeldOutPart = Literal["validation", "test"]


class HeldOutMetrics(nn.Module):
    """Accumulate the sums of both objectives over the batches of one evaluation."""

    def __init__(self) -> None:
        super().__init__()
        self.mlm_loss = _Ratio()
        self.mlm_accuracy = _Ratio()
        self.nsp_accuracy = _Ratio()

    def add_masked_lm(self, sums: Sums) -> None:
        """Add a batch of masked text."""
        self.mlm_loss.update(sums.loss, sums.num_labels)
        self.mlm_accuracy.update(sums.num_correct, sums.num_labels)

    def add_next_sentence(self, sums: Sums) -> None:
        """Add a batch of pairs."""
        self.nsp_accuracy.update(sums.num_correct, sums.num_labels)

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


def unigram_loss(text: PreparedText, *, part: HeldOutPart) -> float:
    """Compute what frequencies alone would lose on a held-out part, in nats per token.

    Over the tokens that can be masked. A model that is not below this line has not learned to use
    context.
    """
    kept = text.tokenizer.vocabulary.maskable
    held_out = text.token_counts(getattr(text.parts, part))
    return unigram_cross_entropy(text.token_counts()[kept], held_out[kept])


class _Ratio(Metric):
    """One sum over another, over all batches and ranks.

    torchmetrics' own mean would do, were it not that it can't stand the NaN of a diverged run
    without dropping either that value or all weights.
    """

    total: torch.Tensor
    count: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        # Single precision would round the sum of a large part, and the batch size would show in
        # the loss.
        zero = torch.zeros((), dtype=torch.float64)
        self.add_state("total", default=zero, dist_reduce_fx="sum")
        self.add_state("count", default=zero.clone(), dist_reduce_fx="sum")

    def update(self, total: torch.Tensor, count: torch.Tensor) -> None:
        """Add a batch."""
        self.total += total
        self.count += count

    def compute(self) -> torch.Tensor:
        """Divide, once."""
        return self.total / self.count
