"""What a run was fed and what it cost, counted from the updates themselves.

In: updates, as the training loop gets them. Out: sums. Nothing is estimated: each number is what
this run saw.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX, Update
from lit_roberta.data.tokens.vocabulary import Vocabulary
from lit_roberta.model.config import EncoderConfig


@dataclass
class Costs:
    """Sums over the updates of a run."""

    updates: int = 0
    sequences: int = 0
    tokens: int = 0
    """Non-padding tokens fed, special ones included."""
    text_tokens: int = 0
    """The same without `[CLS]` and `[SEP]`: the text itself."""
    predictions: int = 0
    flops: float = 0.0

    def add(self, update: Update, *, encoder: EncoderConfig, vocabulary: Vocabulary) -> None:
        """Count one update, this process being the only one."""
        lengths = update.attention_mask.sum(dim=1)
        predictions = (update.labels != IGNORE_INDEX).sum(dim=1)
        frame = (update.input_ids == vocabulary.cls_id) | (update.input_ids == vocabulary.sep_id)
        self.updates += 1
        self.sequences += len(lengths)
        self.tokens += int(lengths.sum())
        self.text_tokens += int((update.attention_mask & ~frame).sum())
        self.predictions += int(predictions.sum())
        self.flops += training_flops(encoder, lengths=lengths, predictions=predictions)


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
