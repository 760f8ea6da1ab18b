"""An encoder that answers by a word: what fine-tuning with a prompt trains.

In: rows of ids with one mask each. Out: logits of some words at the mask. It computes no loss and
knows no names of labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.embeddings import BertEmbeddings
from lit_roberta.model.encoder import BertEncoder
from lit_roberta.model.heads import MaskedLMHead
from lit_roberta.model.initialization import draw_initial_weights


class ClozeModel(nn.Module):
    """Embeddings, encoder and masked-language-model head; all are those of `BertModel`.

    Args:
        config: Sizes and rates.
        mask_id: Of the mask.
        word_ids: Of the words that may stand there.
        seed: Of the initial weights. One seed gives those that it gives `BertModel`.

    Source: Schick and Schuetze 2021, "Exploiting Cloze Questions for Few Shot Text Classification
    and Natural Language Inference", section 3.1.
    """

    word_ids: Tensor

    def __init__(
        self, config: EncoderConfig, *, mask_id: int, word_ids: Sequence[int], seed: int = 0
    ) -> None:
        super().__init__()
        self.config, self.mask_id = config, mask_id
        with torch.random.fork_rng(devices=[]):
            self.embeddings = BertEmbeddings(config)
            self.encoder = BertEncoder(config)
            self.masked_lm_head = MaskedLMHead(config)
        # not in a state dict: those hold what is trained
        self.register_buffer("word_ids", torch.tensor(list(word_ids)), persistent=False)
        draw_initial_weights(self, std=config.initializer_range, seed=seed)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"],
        segment_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Bool[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch labels"]:
        """Compute the logits of the words at the mask.

        Args:
            input_ids: Token ids, `[CLS]` first, with one mask in each row.
            segment_ids: Segment of each token. None: 0 everywhere.
            attention_mask: True at real tokens. None: nothing is padded.

        Raises:
            UserError: If an id or a length is outside of what the model has a row for.
        """
        places = (input_ids == self.mask_id).int().argmax(dim=-1, keepdim=True)
        embedded = self.embeddings(input_ids, segment_ids)
        states = self.encoder(embedded, attention_mask, positions=places)
        logits: Tensor = self.masked_lm_head(states, self.embeddings.token.weight)[:, 0]
        return logits[:, self.word_ids]
