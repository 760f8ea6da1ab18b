"""The losses of one micro-batch, as sums: the update divides them once, by its own counts."""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from lit_roberta.batch import Batch
from lit_roberta.model.bert import BertOutput
from lit_roberta.objectives import cross_entropies, loss_sum


class LossSums(NamedTuple):
    """Sums over a micro-batch, in nats."""

    mlm: Float[Tensor, ""]
    weighted_mlm: Float[Tensor, ""]
    """With each label's weight: what is trained on. The same as `mlm` without weights."""
    nsp: Float[Tensor, ""]
    """0 without a next-sentence head."""


def micro_batch_losses(
    output: BertOutput, batch: Batch, weights: Float[Tensor, " vocab"] | None = None
) -> LossSums:
    """Sum up the losses of both objectives.

    Args:
        output: What the model made of the batch.
        batch: Holds the labels.
        weights: Of each label's loss, by its token; None: 1.
    """
    labels = batch.labels[:, 1:]
    if weights is None:
        mlm = weighted = loss_sum(output.mlm_logits, labels)
    else:
        losses = cross_entropies(output.mlm_logits, labels)
        mlm, weighted = losses.sum(), (losses * weights[labels.clamp(min=0)]).sum()
    if output.nsp_logits is None:
        return LossSums(mlm, weighted, torch.zeros_like(mlm))
    assert batch.next_sentence_labels is not None, "the format has no pairs"
    return LossSums(mlm, weighted, loss_sum(output.nsp_logits, batch.next_sentence_labels))
