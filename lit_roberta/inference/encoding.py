"""Texts to vectors.

In: texts. Out: a vector for each text, or for each of its tokens; no logits are computed. Texts of
one length are computed together, so what else is encoded changes a vector by rounding only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Float32
from torch import Tensor
from torch.nn import functional as F

from lit_roberta.errors import UserError, must
from lit_roberta.inference.batching import BATCH_TOKENS, Rows, batches_by_length, pad
from lit_roberta.inference.text_model import TextModel
from lit_roberta.inference.texts import Lengths, OnTooLong, Row, rows_of

Pooling = Literal["mean", "cls", "tokens"]
"""mean: of all tokens, [CLS] and [SEP] included, as sentence-transformers takes it; cls: the
vector of [CLS]; tokens: one vector a token."""


class TokenVectors(NamedTuple):
    """The vectors of the tokens of a text, [CLS] first and [SEP] last."""

    tokens: list[str]
    """As the vocabulary spells them."""
    vectors: Float32[np.ndarray, "tokens hidden"]


class Encoder:
    """Turn texts into vectors.

    Args:
        model: The model; it needs no head.
        pooling: What becomes of the vectors of a text's tokens.
        layer: Whose output is taken: 0 for the embeddings, 1 for the first layer; or counted from
            the end, -1 for the last.
        normalize: Whether each vector is scaled to length 1.
        on_too_long: What is done with a text of more tokens than the model takes.
        batch_tokens: Tokens that are computed at once, padding included.

    Raises:
        UserError: If there is no such layer or way of pooling, or no batch.
    """

    def __init__(
        self,
        model: TextModel,
        *,
        pooling: Pooling = "mean",
        layer: int = -1,
        normalize: bool = False,
        on_too_long: OnTooLong = "truncate",
        batch_tokens: int = BATCH_TOKENS,
    ) -> None:
        if pooling not in ("mean", "cls", "tokens"):
            raise UserError(f"pooling must be mean, cls or tokens, got {pooling!r}.")
        if batch_tokens < 1:
            raise must("--batch-tokens", "be 1 or more", batch_tokens, "4096 is the default.")
        self.model = model
        self.pooling = pooling
        self.lengths = Lengths(model.room, on_too_long)
        self._layer = _layer(layer, model.bert.config.num_hidden_layers)
        self._normalize = normalize
        self._batch_tokens = batch_tokens

    def vectors(self, texts: Sequence[str]) -> Float32[np.ndarray, "texts hidden"]:
        """Give a vector for each text, in their order. An empty text is [CLS] and [SEP].

        Raises:
            UserError: If vectors of tokens were asked for, or a text can't be encoded.
        """
        if self.pooling == "tokens":
            raise must("pooling", "be mean or cls for a vector a text", "tokens", "Choose one.")
        width = self.model.bert.config.hidden_size
        found = np.empty((len(texts), width), dtype=np.float32)
        for batch, rows, hidden_states in self._computed(rows_of(self.model, texts, self.lengths)):
            found[batch] = self._finished(_pool(hidden_states, rows))
        return found

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Give the vectors of the tokens of each text, in the order of the texts."""
        rows = rows_of(self.model, texts, self.lengths)
        spelled = self.model.tokenizer.id_to_word
        found: dict[int, TokenVectors] = {}
        for batch, _, hidden_states in self._computed(rows):
            vectors = self._finished(hidden_states)
            for row, own in zip(batch, vectors, strict=True):
                tokens = [spelled[number] for number in rows[row].ids]
                found[row] = TokenVectors(tokens, own[: len(tokens)].copy())
        return [found[row] for row in range(len(rows))]

    @torch.inference_mode()
    def _computed(
        self, rows: Sequence[Row]
    ) -> Iterator[tuple[list[int], Rows, Float[Tensor, "batch places hidden"]]]:
        """Compute batch by batch: which rows, their ids, their hidden states."""
        pad_id = self.model.tokenizer.vocabulary.pad_id
        lengths = [len(row.ids) for row in rows]
        for batch in batches_by_length(lengths, batch_tokens=self._batch_tokens):
            padded = pad([rows[row].ids for row in batch], pad_id=pad_id)
            hidden_states = self.model.hidden_states(
                padded, layer=self._layer, cls_only=self.pooling == "cls"
            )
            yield batch, padded, hidden_states

    def _finished(self, vectors: Float[Tensor, "*rows hidden"]) -> np.ndarray:
        vectors = vectors.float()
        if self._normalize:
            vectors = F.normalize(vectors, dim=-1)
        array: np.ndarray = vectors.cpu().numpy()
        return array


def encode(
    model: TextModel,
    texts: Sequence[str],
    *,
    pooling: Pooling = "mean",
    layer: int = -1,
    normalize: bool = False,
    on_too_long: OnTooLong = "truncate",
) -> Float32[np.ndarray, "texts hidden"]:
    """Give a vector for each text; `Encoder` has more to choose from, and vectors of tokens.

    Args:
        model: The model.
        texts: Any texts, of which an empty one is [CLS] and [SEP].
        pooling: mean or cls.
        layer: Whose output is taken; 0 for the embeddings, -1 for the last.
        normalize: Whether each vector is scaled to length 1.
        on_too_long: What is done with a text of more tokens than the model takes.

    Returns:
        In the order of the texts.

    Raises:
        UserError: If a text can't be encoded, or there is no such layer.
    """
    encoder = Encoder(
        model, pooling=pooling, layer=layer, normalize=normalize, on_too_long=on_too_long
    )
    vectors = encoder.vectors(texts)
    encoder.lengths.report()
    return vectors


def _layer(layer: int, num_layers: int) -> int:
    """Count a layer from the front."""
    number = layer + num_layers + 1 if layer < 0 else layer
    if not 0 <= number <= num_layers:
        rule = f"lie from {-num_layers - 1} to {num_layers}"
        raise must("--layer", rule, layer, "0 is the embeddings, -1 the last layer.")
    return number


def _pool(
    hidden_states: Float[Tensor, "batch places hidden"], rows: Rows
) -> Float[Tensor, "batch hidden"]:
    """Average over real tokens; where only [CLS] was computed, that is its vector."""
    mask = rows.attention_mask
    if mask is None or hidden_states.shape[1] == 1:
        return hidden_states.mean(dim=1)
    weights = (mask / mask.sum(dim=1, keepdim=True)).to(hidden_states)
    return (weights[:, None, :] @ hidden_states).squeeze(1)
