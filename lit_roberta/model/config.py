"""What an encoder is made of: the only settings that the model has."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lit_roberta.errors import must


@dataclass(frozen=True, kw_only=True)
class EncoderConfig:
    """Sizes and rates of an encoder, under the names that Hugging Face gives them.

    The defaults are the seed notebook's sizes with BERT's rates. Both recipes share them: BERT and
    RoBERTa differ in how they are trained, not in what is trained.
    """

    vocab_size: int
    """Entries of the vocabulary, special tokens included. It follows from the tokenizer."""
    hidden_size: int = 128
    """Width of the encoder."""
    num_hidden_layers: int = 2
    """Transformer layers."""
    num_attention_heads: int = 4
    """Attention heads of each layer; they share the hidden size evenly."""
    intermediate_size: int = 512
    """Inner width of the feed-forward layers; four times the hidden size in both papers."""
    hidden_dropout_prob: float = 0.1
    """Share of the embeddings and of each sublayer's output that is dropped in training."""
    attention_probs_dropout_prob: float = 0.1
    """Share of the attention weights that is dropped in training."""
    max_position_embeddings: int = 512
    """Longest sequence in tokens, special tokens included. Every position is usable."""
    type_vocab_size: int = 2
    """Segments that can be told apart; a pair needs two."""
    layer_norm_eps: float = 1e-12
    """Added to the variance before it divides. BERT's value; RoBERTa's checkpoints have 1e-5."""
    initializer_range: float = 0.02
    """Standard deviation of the initial weights (Devlin et al. 2019, Google's script)."""
    tanh_pooler: bool = False
    """Whether the next-sentence head reads [CLS] through a dense layer and tanh, as in BERT."""

    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_rates()
        if self.hidden_size % self.num_attention_heads:
            raise must(
                "model.encoder.num_attention_heads",
                f"divide the hidden size {self.hidden_size}",
                self.num_attention_heads,
                "Each head reads an equal share of it: change one of the two.",
            )

    def _check_sizes(self) -> None:
        for name in (
            "vocab_size",
            "hidden_size",
            "num_hidden_layers",
            "num_attention_heads",
            "intermediate_size",
            "max_position_embeddings",
            "type_vocab_size",
        ):
            size = getattr(self, name)
            if size < 1:
                remedy = "Give a positive whole number."
                raise must(f"model.encoder.{name}", "be 1 or more", size, remedy)

    def _check_rates(self) -> None:
        for name in ("hidden_dropout_prob", "attention_probs_dropout_prob"):
            rate = getattr(self, name)
            if not 0 <= rate < 1:
                remedy = "For 10%, give 0.1."
                raise must(f"model.encoder.{name}", "be at least 0 and below 1", rate, remedy)
        for name in ("layer_norm_eps", "initializer_range"):
            value = getattr(self, name)
            if not 0 < value < math.inf:
                remedy = "Leave it out for BERT's value."
                raise must(f"model.encoder.{name}", "be above 0 and finite", value, remedy)
