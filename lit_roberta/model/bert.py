"""The whole model: embeddings, encoder, and the heads of the two objectives.

In: the first four fields of a batch. Out: hidden states and logits. It computes no loss.
"""

from __future__ import annotations

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lit_roberta.errors import must
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.embeddings import BertEmbeddings
from lit_roberta.model.encoder import BertEncoder
from lit_roberta.model.heads import MaskedLMHead, NextSentenceHead
from lit_roberta.model.initialization import draw_initial_weights


class BertOutput(NamedTuple):
    """What the model computes; `places` are all positions, or the slots where those were given."""

    last_hidden_state: Float[Tensor, "batch places hidden"]
    mlm_logits: Float[Tensor, "batch predicted vocab"]
    """Of every position; or, where slots were given, of slots 1, 2, ...: slot 0 is [CLS]."""
    nsp_logits: Float[Tensor, "batch 2"] | None
    """Class 1 means that B follows A. None without a next-sentence head."""


class BertModel(nn.Module):
    """BERT and RoBERTa: the architecture is the same, only the training differs.

    ::

        input_ids, segment_ids  [batch, seq]
                 |  embeddings
        hidden states           [batch, seq, hidden]
                 |  encoder: num_hidden_layers x TransformerEncoderLayer
        last_hidden_state       [batch, seq, hidden]   or, with positions, [batch, slots, hidden]
                 +- masked_lm_head ------- mlm_logits  [batch, seq, vocab]
                 |                            or, with positions, [batch, slots - 1, vocab]
                 +- next_sentence_head --- nsp_logits  [batch, 2], read at [CLS]

    Args:
        config: Sizes and rates.
        next_sentence: Whether there is a next-sentence head.
        seed: Of the initial weights. One seed gives one encoder, with or without that head.

    Raises:
        UserError: If the configuration has a pooler and no head that would read it.
    """

    def __init__(
        self, config: EncoderConfig, *, next_sentence: bool = False, seed: int = 0
    ) -> None:
        super().__init__()
        if config.tanh_pooler and not next_sentence:
            remedy = "Only the next-sentence head reads the pooler: set model.next_sentence true."
            raise must("model.encoder.tanh_pooler", "be false without that head", True, remedy)
        self.config = config
        # The parts draw weights of their own when they are built. Those are replaced below, and
        # the caller's generator must not notice.
        with torch.random.fork_rng(devices=[]):
            self.embeddings = BertEmbeddings(config)
            self.encoder = BertEncoder(config)
            self.masked_lm_head = MaskedLMHead(config)
            self.next_sentence_head = NextSentenceHead(config) if next_sentence else None
        draw_initial_weights(self, std=config.initializer_range, seed=seed)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"],
        segment_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
        positions: Int[Tensor, "batch slots"] | None = None,
    ) -> BertOutput:
        """Compute hidden states and logits.

        Args:
            input_ids: Token ids, `[CLS]` first.
            segment_ids: Segment of each token. None: 0 everywhere.
            attention_mask: True at real tokens. None: nothing is padded.
            positions: Where the result is wanted: slot 0 is `[CLS]`, the others are to be
                predicted (a slot without use repeats `[CLS]`). The last layer then works only
                there, and the masked-LM head only from slot 1 on: the same numbers, for much less
                work. None: the result is wanted everywhere.

        Raises:
            UserError: If an id or a length is outside of what the model has a row for.
        """
        embedded = self.embeddings(input_ids, segment_ids)
        hidden_states = self.encoder(embedded, attention_mask, positions=positions)
        predicted = hidden_states if positions is None else hidden_states[:, 1:]
        mlm_logits = self.masked_lm_head(predicted, self.embeddings.token.weight)
        if self.next_sentence_head is None:
            return BertOutput(hidden_states, mlm_logits, None)
        return BertOutput(hidden_states, mlm_logits, self.next_sentence_head(hidden_states[:, 0]))
