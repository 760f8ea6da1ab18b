"""The Transformer layer of BERT, and a stack of them.

In: embedded tokens. Out: hidden states. It knows nothing of tokens, heads or losses.
"""

from __future__ import annotations

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from lit_roberta.model.attention import MultiHeadAttention
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.dropout import add_dropped
from lit_roberta.model.linear import Linear
from lit_roberta.model.real_tokens import RealTokens, find_real_tokens


class FeedForward(nn.Module):
    """Compute GELU(xW1 + b1)W2 + b2 at each position alone, with the exact GELU."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.inner = Linear(config.hidden_size, config.intermediate_size)
        self.output = Linear(config.intermediate_size, config.hidden_size)

    def forward(
        self, hidden_states: Float[Tensor, "*places hidden"]
    ) -> Float[Tensor, "*places hidden"]:
        """Transform each position."""
        widened: Tensor = self.inner(hidden_states)
        narrowed: Tensor = self.output(F.gelu(widened))
        return narrowed


class TransformerEncoderLayer(nn.Module):
    """One layer, with its layer norms behind the sums ("post-LN").

    ::

        x --+-- attention -- dropout -- (+) -- LN --+-- feed-forward -- dropout -- (+) -- LN -- y
            |                            |          |                               |
            +----------------------------+          +-------------------------------+

    Source: Devlin et al. 2019, section 3; Vaswani et al. 2017, section 3.1.
    """

    def __init__(self, config: EncoderConfig, *, explicit: bool = False) -> None:
        super().__init__()
        self.attention = MultiHeadAttention(config, explicit=explicit)
        self.attention_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.feed_forward = FeedForward(config)
        self.feed_forward_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout_rate = config.hidden_dropout_prob

    def forward(
        self,
        hidden_states: Float[Tensor, "*places hidden"],
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
        *,
        positions: Int[Tensor, "batch slots"] | None = None,
        real: RealTokens | None = None,
    ) -> Float[Tensor, "*queries hidden"]:
        """Apply the layer.

        Args:
            hidden_states: What the layer below gave: `[batch, seq, hidden]`, or `[tokens, hidden]`
                with `real`.
            attention_mask: True at real tokens. None: all are real.
            positions: Where the result is wanted, one a slot. Every position is still read, but
                only these read, and only these go through the feed-forward layer. None: all do.
            real: Whose tokens the hidden states are, where padding was left out.
        """
        reading = None
        if positions is not None:
            take = take_positions if real is None else real.take
            reading = take(hidden_states, positions)
        attended = self.attention(
            hidden_states, attention_mask, reading=reading, real=real
        ).hidden_states
        residual = hidden_states if reading is None else reading
        middle = self.attention_norm(self._add(residual, attended))
        out: Tensor = self.feed_forward_norm(self._add(middle, self.feed_forward(middle)))
        return out

    def _add(self, residual: Tensor, values: Tensor) -> Tensor:
        return add_dropped(residual, values, self.dropout_rate, training=self.training)


class BertEncoder(nn.Module):
    """A stack of layers."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.layers = nn.ModuleList(
            TransformerEncoderLayer(config) for _ in range(config.num_hidden_layers)
        )
        self.num_heads = config.num_attention_heads

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
        *,
        positions: Int[Tensor, "batch slots"] | None = None,
    ) -> Float[Tensor, "batch queries hidden"]:
        """Apply all layers; with positions, the last one only there.

        What it gives at padding means nothing.
        """
        real = find_real_tokens(attention_mask, num_heads=self.num_heads)
        if real is not None:
            hidden_states, attention_mask = real.pick(hidden_states), None
        *lower, last = self.layers
        for layer in lower:
            hidden_states = layer(hidden_states, attention_mask, real=real)
        out: Tensor = last(hidden_states, attention_mask, positions=positions, real=real)
        return out if real is None or positions is not None else real.pad(out)


def take_positions(
    hidden_states: Float[Tensor, "batch seq hidden"], positions: Int[Tensor, "batch slots"]
) -> Float[Tensor, "batch slots hidden"]:
    """Take the hidden states at the given positions of each sequence."""
    indices = positions[:, :, None].expand(-1, -1, hidden_states.shape[2])
    return hidden_states.gather(1, indices)  # take_along_dim fixes all sizes in an exported graph
