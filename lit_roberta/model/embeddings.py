"""Token ids to vectors: token, segment and position embeddings, all learned.

In: ids. Out: what the first Transformer layer reads. It does not know which id is padding: padded
places get vectors like any other, and the attention never looks at them.
"""

from __future__ import annotations

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from lit_roberta.errors import must
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.dropout import dropout


class BertEmbeddings(nn.Module):
    """Sum of three learned embeddings, then layer norm and dropout.

    Source: Devlin et al. 2019, section 3 and figure 2.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.token = nn.Embedding(config.vocab_size, config.hidden_size)
        self.segment = nn.Embedding(config.type_vocab_size, config.hidden_size)
        self.position = nn.Embedding(config.max_position_embeddings, config.hidden_size)
        self.layer_norm = nn.LayerNorm(config.hidden_size, eps=config.layer_norm_eps)
        self.dropout_rate = config.hidden_dropout_prob

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"],
        segment_ids: Int[Tensor, "batch seq"] | None = None,
    ) -> Float[Tensor, "batch seq hidden"]:
        """Embed a batch.

        Args:
            input_ids: Token ids.
            segment_ids: 0 for the first segment, 1 for the second. None: 0 everywhere.

        Raises:
            UserError: If a sequence is longer than there are positions, or, on a CPU, if an id is
                outside of its table. (A GPU has an assertion of its own; looking would stall it.)
        """
        self._check(input_ids, segment_ids)
        position = self.position.weight[: input_ids.shape[1]]
        if segment_ids is None:
            embedded = self.token(input_ids) + (position + self.segment.weight[0])
        else:
            embedded = self.token(input_ids) + position + self.segment(segment_ids)
        return dropout(self.layer_norm(embedded), self.dropout_rate, training=self.training)

    def _check(self, input_ids: Tensor, segment_ids: Tensor | None) -> None:
        longest, seq = self.position.num_embeddings, input_ids.shape[1]
        if seq > longest:
            remedy = "Cut the text, or raise model.encoder.max_position_embeddings."
            raise must("input_ids", f"have at most {longest} positions", seq, remedy)
        if torch.compiler.is_compiling() or input_ids.device.type != "cpu":
            return
        _check_range("input_ids", input_ids, self.token.num_embeddings, "vocab_size")
        if segment_ids is not None:
            _check_range(
                "segment_ids", segment_ids, self.segment.num_embeddings, "type_vocab_size"
            )


def _check_range(name: str, ids: Tensor, size: int, setting: str) -> None:
    if ids.numel() == 0:
        return
    lowest, highest = (int(bound) for bound in ids.aminmax())
    if lowest < 0 or highest >= size:
        value = lowest if lowest < 0 else highest
        remedy = f"The model was built with model.encoder.{setting} {size}."
        raise must(name, f"lie from 0 to {size - 1}", value, remedy)
