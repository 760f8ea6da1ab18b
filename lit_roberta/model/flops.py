"""How much work an update is, counted from the encoder's sizes."""

from __future__ import annotations

import torch
from jaxtyping import Int
from torch import Tensor

from lit_roberta.model.config import EncoderConfig


def training_flops(
    encoder: EncoderConfig,
    *,
    lengths: Int[Tensor, " batch"],
    predictions: Int[Tensor, " batch"],
) -> float:
    """Count the floating-point operations of the matrix products of one update.

    A product of m x k by k x n is 2 m k n operations, and the backward pass costs twice the
    forward pass. Padding, embeddings, norms, activations and the next-sentence head are left out:
    together they are below a hundredth. The last layer's queries, output and feed-forward part,
    and the masked-LM head, run at the predicted positions and `[CLS]` only.

    Args:
        encoder: Sizes.
        lengths: Real tokens of each sequence.
        predictions: Predicted tokens of each sequence.

    Source: Kaplan et al. 2020, section 2.1, for the two rules; the sums are this encoder's own.
    """
    hidden, inner = encoder.hidden_size, encoder.intermediate_size
    seq, predicted = lengths.double(), predictions.double()
    slots = predicted + 1
    per_token = (
        4 * hidden**2 + 2 * hidden * inner
    )  # queries, keys, values, output; both inner products
    keys_and_values = 2 * hidden**2

    def attention(queries: Tensor) -> Tensor:
        return 2 * hidden * queries * seq  # scores, and the weighted sum of values

    lower = (encoder.num_hidden_layers - 1) * (per_token * seq + attention(seq))
    last = keys_and_values * seq + (per_token - keys_and_values) * slots + attention(slots)
    head = (hidden**2 + hidden * encoder.vocab_size) * predicted
    forward = 2 * torch.sum(lower + last + head)
    return float(3 * forward)
