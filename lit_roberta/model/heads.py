"""From hidden states to logits: which token stood here, and does B follow A."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.linear import Linear, linear


class MaskedLMHead(nn.Module):
    """Predict the token at a position: `Linear -> GELU -> LayerNorm -> decoder`.

    The decoder's matrix is the token embedding's, handed in at each call so that it has one home
    and one name; only the decoder's bias lives here.

    Source: Devlin et al. 2019, section 3.1, task 1; tying as in Google's `get_masked_lm_output`.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.dense = Linear(config.hidden_size, config.hidden_size)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))

    def forward(
        self,
        hidden_states: Float[Tensor, "batch slots hidden"],
        token_embedding: Float[Tensor, "vocab hidden"],
    ) -> Float[Tensor, "batch slots vocab"]:
        """Compute the logits of every token of the vocabulary."""
        transformed = self.layer_norm(F.gelu(self.dense(hidden_states)))
        return linear(transformed, token_embedding, self.bias)


class NextSentenceHead(nn.Module):
    """Tell from `[CLS]` whether segment B follows segment A: class 1 means that it does.

    Source: Devlin et al. 2019, section 3.1, task 2. BERT's own head reads `[CLS]` through the
    "pooler", a dense layer with tanh, which is optional here.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.pooler = (
            nn.Linear(config.hidden_size, config.hidden_size) if config.tanh_pooler else None
        )
        self.classifier = nn.Linear(config.hidden_size, 2)

    def forward(self, cls_states: Float[Tensor, "batch hidden"]) -> Float[Tensor, "batch 2"]:
        """Compute the two logits."""
        if self.pooler is not None:
            cls_states = torch.tanh(self.pooler(cls_states))
        logits: Tensor = self.classifier(cls_states)
        return logits
