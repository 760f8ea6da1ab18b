"""Multi-head self-attention, in the open for reading and fused for training.

In: hidden states. Out: hidden states of the same width, each a mixture of all real tokens. It is
fully bidirectional: a token sees what comes before it and what comes after.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.dropout import dropout
from lit_roberta.model.linear import Linear, linear
from lit_roberta.model.real_tokens import RealTokens


class AttentionOutput(NamedTuple):
    """What attention hands on."""

    hidden_states: Float[Tensor, "*queries hidden"]
    weights: Float[Tensor, "batch heads queries seq"] | None
    """Each row sums to one. None unless the module is explicit."""


class MultiHeadAttention(nn.Module):
    """Let every position read from every real position, in several heads at once.

    The paper's symbols (Vaswani et al. 2017, section 3.2) and our names:

    ==================  =============================================================
    d_model             `config.hidden_size`
    h                   `config.num_attention_heads`, the axis `heads`
    d_k = d_v           `head_dim` = d_model / h
    W^Q, W^K, W^V       the three thirds of `projection.weight`, in this order
    Q, K, V             `queries`, `keys`, `values`: [batch, heads, seq, head_dim]
    softmax(QK^T/...)   `weights`: [batch, heads, seq, seq]
    W^O                 `output.weight`
    ==================  =============================================================

    Args:
        config: Width, heads and dropout rate.
        explicit: Compute softmax(QK^T/sqrt(d_k))V step by step and return the weights. The result
            is the same; it is slower and takes memory for the weights.
    """

    def __init__(self, config: EncoderConfig, *, explicit: bool = False) -> None:
        super().__init__()
        self.num_heads = config.num_attention_heads
        self.projection = Linear(config.hidden_size, 3 * config.hidden_size)
        self.output = Linear(config.hidden_size, config.hidden_size)
        self.dropout_rate = config.attention_probs_dropout_prob
        self.explicit = explicit

    def forward(
        self,
        hidden_states: Float[Tensor, "*places hidden"],
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
        *,
        reading: Float[Tensor, "batch queries hidden"] | None = None,
        real: RealTokens | None = None,
    ) -> AttentionOutput:
        """Attend.

        Args:
            hidden_states: What is read: `[batch, seq, hidden]`, or `[tokens, hidden]` with `real`.
            attention_mask: True at real tokens; the others are never read. None: all are real.
            reading: Hidden states of the positions that read, where not all of them do. None: all.
            real: Whose tokens the hidden states are, where padding was left out.
        """
        projected = self._project(hidden_states, reading)
        if real is None:
            mixed, weights = self._mix(*projected, attention_mask)
        else:
            mixed, weights = self._mix_groups(*projected, real), None
        return AttentionOutput(self.output(mixed), weights if self.explicit else None)

    def _mix_groups(
        self,
        queries: Float[Tensor, "*queries hidden"],
        keys: Float[Tensor, "tokens hidden"],
        values: Float[Tensor, "tokens hidden"],
        real: RealTokens,
    ) -> Float[Tensor, "*queries hidden"]:
        """Attend in groups of rows, each padded only as far as it has to be."""
        all_read = queries.dim() == 2
        parts = real.split_tokens(queries) if all_read else real.split_rows(queries)
        read = zip(real.split_tokens(keys), real.split_tokens(values), strict=True)
        mixed = []
        for group, reading, (seen, taken) in zip(real.groups, parts, read, strict=True):
            rows = group.pad(reading) if all_read else reading
            found, _ = self._mix(rows, group.pad(seen), group.pad(taken), group.attention_mask)
            mixed.append(group.pick(found) if all_read else found)
        return torch.cat(mixed)

    def _mix(
        self,
        queries: Float[Tensor, "batch queries hidden"],
        keys: Float[Tensor, "batch seq hidden"],
        values: Float[Tensor, "batch seq hidden"],
        attention_mask: Bool[Tensor, "batch seq"] | None,
    ) -> tuple[
        Float[Tensor, "batch queries hidden"], Float[Tensor, "batch heads queries seq"] | None
    ]:
        """Mix values in all heads, and join these."""
        queries, keys, values = map(self._split_heads, (queries, keys, values))
        bias = None if attention_mask is None else attention_bias(attention_mask, queries.dtype)
        rate = self.dropout_rate if self.training else 0.0
        # torch has no fused attention with dropout on CPUs; its own way makes an update 3% longer.
        if self.explicit or (rate > 0 and queries.device.type == "cpu"):
            mixed, weights = attend_openly(queries, keys, values, bias, dropout_rate=rate)
        else:
            weights = None
            mixed = F.scaled_dot_product_attention(
                queries, keys, values, attn_mask=bias, dropout_p=rate
            )
        return mixed.transpose(1, 2).flatten(2), weights

    def _project(
        self, hidden_states: Tensor, reading: Tensor | None
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Compute queries, keys and values: one matrix product where all positions read."""
        width = hidden_states.shape[-1]
        if reading is None:
            queries, keys, values = self.projection(hidden_states).chunk(3, dim=-1)
            return queries, keys, values
        weight, bias = self.projection.weight, self.projection.bias
        queries = linear(reading, weight[:width], bias[:width])
        keys, values = linear(hidden_states, weight[width:], bias[width:]).chunk(2, dim=-1)
        return queries, keys, values

    def _split_heads(
        self, projected: Float[Tensor, "batch seq hidden"]
    ) -> Float[Tensor, "batch heads seq head_dim"]:
        batch, seq, _ = projected.shape
        return projected.view(batch, seq, self.num_heads, -1).transpose(1, 2)


def attend_openly(
    queries: Float[Tensor, "batch heads queries head_dim"],
    keys: Float[Tensor, "batch heads seq head_dim"],
    values: Float[Tensor, "batch heads seq head_dim"],
    bias: Float[Tensor, "batch 1 1 seq"] | None = None,
    *,
    dropout_rate: float = 0.0,
) -> tuple[
    Float[Tensor, "batch heads queries head_dim"], Float[Tensor, "batch heads queries seq"]
]:
    """Compute softmax(QK^T/sqrt(d_k))V step by step.

    Returns:
        The mixed values, and the weights before dropout.
    """
    # Divided before the product: there are fewer queries than scores.
    scores = (queries / queries.shape[-1] ** 0.5) @ keys.transpose(-2, -1)
    if bias is not None:
        scores = scores + bias
    weights = scores.softmax(dim=-1)
    return dropout(weights, dropout_rate) @ values, weights


def attention_bias(
    attention_mask: Bool[Tensor, "batch seq"], dtype: torch.dtype
) -> Float[Tensor, "batch 1 1 seq"]:
    """Turn a mask into what is added to the scores: 0 at real tokens, the lowest number elsewhere.

    The lowest finite number rather than minus infinity: a row without any real token then gets
    even weights, where infinities would give NaN.
    """
    lowest = torch.finfo(dtype).min
    bias = torch.zeros(attention_mask.shape, dtype=dtype, device=attention_mask.device)
    return bias.masked_fill(~attention_mask, lowest)[:, None, None, :]
