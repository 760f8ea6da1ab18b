"""A model with its tokenizer, ready for text, wherever it came from.

In: a checkpoint, an exported folder, or whatever else can be imported. Out: hidden states and
logits of rows of ids. It knows nothing of files of text, and nothing of training.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.inference.batching import Rows
from lit_roberta.model.bert import BertModel

logger = logging.getLogger(__name__)

_SPECIAL = 2
"""Places of a row that [CLS] and [SEP] take."""


@dataclass(frozen=True, kw_only=True)
class TextModel:
    """A model that reads text. It is in evaluation mode, and keeps no gradients."""

    source: str
    """Where it came from, for messages."""
    bert: BertModel
    tokenizer: Tokenizer
    has_masked_lm_head: bool
    """Whether it can predict tokens."""
    longest: int
    """The most tokens of a row, [CLS] and [SEP] included: no more than there are positions for,
    and no more than training had, where that is known."""
    bfloat16: bool = False
    """Whether matrices are multiplied in bfloat16, for GPUs: some three digits are right."""

    @property
    def room(self) -> int:
        """The most tokens that a text may have, [CLS] and [SEP] not counted."""
        return self.longest - _SPECIAL

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return self.bert.embeddings.token.weight.device

    def row(self, token_ids: Sequence[int]) -> list[int]:
        """Put the ids of a text between [CLS] and [SEP]."""
        vocabulary = self.tokenizer.vocabulary
        return [vocabulary.cls_id, *token_ids, vocabulary.sep_id]

    def hidden_states(
        self, rows: Rows, *, layer: int | None = None, cls_only: bool = False
    ) -> Float[Tensor, "batch places hidden"]:
        """Compute hidden states, and no logits.

        Args:
            rows: Padded rows of ids.
            layer: How many layers are applied; 0 for the embeddings alone, None for all.
            cls_only: Whether only [CLS] is wanted, which spares most of the last layer.

        Raises:
            UserError: If a number is not finite, as with damaged weights.
        """
        input_ids, mask = self._moved(rows)
        positions = input_ids.new_zeros(len(input_ids), 1) if cls_only else None
        layers = list(self.bert.encoder.layers)[:layer]
        with self._computing():
            hidden_states: Tensor = self.bert.embeddings(input_ids)
            for number, one in enumerate(layers, start=1):
                reading = positions if number == len(layers) else None
                hidden_states = one(hidden_states, mask, positions=reading)
        return finite(hidden_states[:, :1] if cls_only else hidden_states, self.source)

    def logits(
        self, rows: Rows, positions: Int[Tensor, "batch slots"]
    ) -> Float[Tensor, "batch slots vocab"]:
        """Compute the logits of every token of the vocabulary, at some places of each row.

        Args:
            rows: Padded rows of ids.
            positions: Those places, [CLS] being 0.

        Raises:
            UserError: If a number is not finite, as with damaged weights.
        """
        input_ids, mask = self._moved(rows)
        slots = torch.cat([positions.new_zeros(len(positions), 1), positions], dim=1)
        with self._computing():
            logits: Tensor = self.bert(
                input_ids, attention_mask=mask, positions=slots.to(self.device)
            ).mlm_logits
        return finite(logits.float(), self.source)

    def _moved(
        self, rows: Rows
    ) -> tuple[Int[Tensor, "batch seq"], Bool[Tensor, "batch seq"] | None]:
        mask = rows.attention_mask
        return rows.input_ids.to(self.device), None if mask is None else mask.to(self.device)

    def _computing(self) -> torch.autocast:
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bfloat16)


def finite(computed: Tensor, source: str) -> Tensor:
    """Give what was computed, if all of it is finite.

    Args:
        computed: By a model.
        source: Where that came from.

    Raises:
        UserError: If a number is not, as with damaged weights.
    """
    if not bool(computed.isfinite().all()):
        remedy = "Its weights are damaged, or bfloat16 is not enough for them."
        raise must("the model", "compute finite numbers", source, remedy)
    return computed


def load_model(
    source: str, *, device: str = "auto", bfloat16: bool = False, predicts: bool = False
) -> TextModel:
    """Load a model to use it.

    Args:
        source: A checkpoint, an exported folder, or what `lit-roberta import` takes.
        device: `cpu`, `cuda`, `cuda:1`, ...; `auto` for a CUDA device where there is one.
        bfloat16: Whether matrices are multiplied in bfloat16.
        predicts: Whether it has to predict tokens.

    Raises:
        UserError: If it can't be read, has no tokenizer or one that is too large for it, or has no
            masked-language-model head and should; or if there is no such device.
    """
    where = device_named(device)
    pretrained = load_pretrained(source)
    for notice in pretrained.notices:
        logger.info("%s", notice)
    tokenizer = tokenizer_of(pretrained)
    if predicts and not pretrained.has_masked_lm_head:
        remedy = "It has vectors (lit-roberta encode) and no predictions: take one with the head."
        raise must("the model", "have a masked-language-model head", source, remedy)
    return TextModel(
        source=source,
        bert=pretrained.build().requires_grad_(False).to(where),
        tokenizer=tokenizer,
        has_masked_lm_head=pretrained.has_masked_lm_head,
        longest=pretrained.longest_text,
        bfloat16=bfloat16,
    )


def tokenizer_of(pretrained: Pretrained) -> Tokenizer:
    """Give the tokenizer of a model that is to read text.

    Raises:
        UserError: If it has none, or one that is too large for it.
    """
    tokenizer = pretrained.tokenizer
    if tokenizer is None:
        remedy = "Put its tokenizer.json or vocab.txt beside its weights."
        raise must("the model", "have a tokenizer", pretrained.source, remedy)
    size, rows = tokenizer.vocab_size, pretrained.encoder.vocab_size
    if size > rows:
        rule = f"have at most the {rows:,} entries that the model embeds"
        raise must("the tokenizer", rule, size, "Take the one that the model was trained with.")
    return tokenizer


def device_named(name: str) -> torch.device:
    """Find the device that a person names.

    Args:
        name: `cpu`, `cuda`, `cuda:1`, ...; `auto` for a CUDA device where there is one.

    Raises:
        UserError: If this machine has none of that name.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # torch without CUDA asserts
        reason = str(error).partition("\n")[0].rstrip(".")
        raise must("--device", "be a device of this machine", name, f"{reason}.") from error
    if device.type == "meta":
        raise must("--device", "be a device that computes", name, "Try cpu.")
    return device
