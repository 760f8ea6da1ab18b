"""A run's start from weights that are there: somebody's, or this package's own.

In: where the weights lie, and a text in the tokens of their tokenizer. Out: a module that begins
from them, with rows for words and positions that are new, and with fresh heads where they have
none. What it began from goes into its checkpoints.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.tokens.extending import is_extension, pieces_of_words
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.growing import with_positions, with_words
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.training.module import PretrainingModule

_TASK_HEADS = {
    "masked_lm_head": "the masked-language-model head",
    "next_sentence_head.classifier": "the next-sentence head",
    "next_sentence_head.pooler": "its pooler",
    "task_head": "the head of its task",
}


@dataclass(frozen=True, kw_only=True)
class Start:
    """Weights to start from, and the tokenizer that their ids are of."""

    pretrained: Pretrained
    """As it came."""
    tokenizer: Tokenizer

    @classmethod
    def read(cls, source: str, *, tokenizer_path: str | None = None) -> Start:
        """Read weights and tokenizer.

        Args:
            source: What `--model.pretrained` names.
            tokenizer_path: Where the tokenizer lies, for weights that come without one.

        Raises:
            UserError: If they can't be read, or if the tokenizer has entries without a row.
        """
        pretrained = load_pretrained(source)
        tokenizer = pretrained.tokenizer
        if tokenizer is None and tokenizer_path is not None:
            tokenizer = Tokenizer.from_path(tokenizer_path)
        if tokenizer is None:
            remedy = "Give the tokenizer that they were trained with: data.tokenizer.path."
            raise must("model.pretrained", "come with a tokenizer", source, remedy)
        rows = pretrained.encoder.vocab_size
        if tokenizer.vocab_size > rows:
            rule = f"have a tokenizer of at most {rows:,} entries, one for each row of its weights"
            remedy = "They do not belong together."
            raise must("model.pretrained", rule, f"{tokenizer.vocab_size:,}", remedy)
        return cls(pretrained=pretrained, tokenizer=tokenizer)

    @property
    def has_next_sentence_parts(self) -> bool:
        """Whether the weights decide if the next-sentence head has a pooler."""
        return self.pretrained.has_next_sentence_head or self.pretrained.has_pooler

    @cached_property
    def digest(self) -> str:
        """A hash of all weights, to tell this source from another."""
        return hash_weights(self.pretrained.weights)

    def grown(self, tokenizer: Tokenizer, extend_positions: int | None) -> Pretrained:
        """Give the model rows for a text's new words and for longer text.

        Raises:
            UserError: If the text is in the tokens of another tokenizer, or there would be fewer
                positions.
        """
        if not is_extension(tokenizer, self.tokenizer):
            sizes = f"{tokenizer.vocab_size:,} entries, the weights' {self.tokenizer.vocab_size:,}"
            remedy = "Leave the settings of a tokenizer out, and name the raw text."
            raise must("data.tokenizer", "be that of the weights", f"another of {sizes}", remedy)
        pieces = pieces_of_words(tokenizer, self.tokenizer)
        grown = with_words(self.pretrained, pieces, vocab_size=tokenizer.vocab_size)
        return grown if extend_positions is None else with_positions(grown, extend_positions)

    def begin(self, module: PretrainingModule, tokenizer: Tokenizer) -> list[str]:
        """Put the weights in the place of a module's initial ones, and note where they are from.

        Args:
            module: Its settings are the weights' own. Heads that these lack stay as they were
                drawn, from the seed and their names.
            tokenizer: The text's.

        Returns:
            What was done, a line each.
        """
        grown = self.grown(tokenizer, module.settings["extend_positions"])
        lacking, left = _copy(grown.weights, module.model.state_dict())
        module.origin = {
            "source": self.pretrained.source,
            "digest": self.digest,
            "family": self.pretrained.family,
            "unused_weights": dict(self.pretrained.unused),
            "config": dict(self.pretrained.config),
            "pad_id": self.pretrained.pad_id,
        }
        return self._told(grown, lacking=lacking, left=left)

    def _told(self, grown: Pretrained, *, lacking: list[str], left: list[str]) -> list[str]:
        lines = [f"Starting from {self.pretrained.source}.", *self.pretrained.notices]
        if lacking:
            lines.append(f"Fresh, because the weights have none: {', '.join(lacking)}.")
        if left:
            lines.append(f"Left out, because the recipe does not train it: {', '.join(left)}.")
        before = self.pretrained.encoder
        words = grown.encoder.vocab_size - before.vocab_size
        if words:
            lines.append(f"{words:,} new rows of words start from the mean of their pieces.")
        positions = grown.encoder.max_position_embeddings - before.max_position_embeddings
        if positions:
            lines.append(f"{positions:,} new positions start as copies of the first ones.")
        return lines


def start_from_pretrained(
    source: str,
    data: PretrainingDataModule,
    *,
    next_sentence: bool = False,
    extend_positions: int | None = None,
    **settings: Any,
) -> PretrainingModule:
    """Build a module that goes on from weights that are there.

    Args:
        source: A checkpoint of this package, a Hugging Face folder or name, or a fairseq file.
        data: The text, which nothing was asked of yet: it takes the weights' tokenizer, with as
            many new words as its `tokenizer.extend` says.
        next_sentence: Train the next-sentence objective too; the format must be a pair.
        extend_positions: Length of the position table, if it is to be longer than it is.
        settings: The module's other settings.

    Raises:
        UserError: If the weights can't be read, or do not fit the text.
    """
    start = Start.read(source)
    data.use_tokenizer(start.tokenizer, extends=True)
    grown = start.grown(data.tokenizer, extend_positions).encoder
    module = PretrainingModule(
        replace(grown, tanh_pooler=next_sentence and start.pretrained.has_pooler),
        next_sentence=next_sentence,
        pretrained=source,
        extend_positions=extend_positions,
        **settings,
    )
    start.begin(module, data.tokenizer)
    return module


def hash_weights(weights: Mapping[str, Tensor]) -> str:
    """Hash names, types, shapes and numbers."""
    digest = hashlib.blake2b(digest_size=16)
    for name, weight in sorted(weights.items()):
        digest.update(f"{name} {weight.dtype} {tuple(weight.shape)}\n".encode())
        digest.update(weight.detach().contiguous().view(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


@torch.no_grad()
def _copy(weights: Mapping[str, Tensor], own: Mapping[str, Tensor]) -> tuple[list[str], list[str]]:
    """Copy weights into a model's own; give what it has more, and what they have more."""
    for name in sorted(own.keys() & weights.keys()):
        if own[name].shape != weights[name].shape:
            rule = f"hold {name} in the shape {tuple(own[name].shape)}"
            got, remedy = tuple(weights[name].shape), "Take the encoder's settings from them."
            raise must("model.pretrained", rule, got, remedy)
        own[name].copy_(weights[name])
    return _parts(own.keys() - weights.keys()), _parts(weights.keys() - own.keys())


def _parts(names: set[str]) -> list[str]:
    return [
        what
        for prefix, what in _TASK_HEADS.items()
        if any(name.startswith(f"{prefix}.") for name in names)
    ]
