"""Tiny checkpoints with random weights, and text that their tokenizers know."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.inference.text_model import TextModel, load_model
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from tests.model.examples import randomize, tiny_config

TEXTS = [
    "I love you.",
    "The old ship's captain said: (love) is all you need, and so is tea!",
    "It rained.",
    "You and I love the rain, the tea and the old ship; the captain does not.",
    "",
    "Caf\u00e9 or tea?",
    "So it is, and so it was, and so the captain said that it would: rain, more rain, or tea.",
]
KINDS = ("word", "wordpiece", "bytelevel-bpe")
LENGTH = 48
"""Positions of the models."""


def train_tokenizer(kind: str, texts: Sequence[str] = TEXTS) -> Tokenizer:
    # So few that some words are of several tokens, where words can be.
    size = {"word": None, "wordpiece": 75, "bytelevel-bpe": 305}[kind]
    config = TokenizerConfig(kind=kind, vocab_size=size, min_frequency=1)  # type: ignore[arg-type]
    return Tokenizer.train([text for text in texts if text] * 2, config)


def write_model(
    path: Path,
    *,
    kind: str = "bytelevel-bpe",
    tokenizer: Tokenizer | None = None,
    family: Family = "roberta",
    **changes: Any,
) -> Path:
    """Write the checkpoint of a tiny model that nobody trained, each weight off its start."""
    tokenizer = tokenizer or train_tokenizer(kind)
    sizes = {"vocab_size": tokenizer.vocab_size, "max_position_embeddings": LENGTH}
    encoder: EncoderConfig = tiny_config(**(sizes | changes))
    model = BertModel(encoder)
    randomize(model)
    pretrained = Pretrained(
        source="a test",
        family=family,
        encoder=encoder,
        weights=model.state_dict(),
        tokenizer=tokenizer,
        pad_id=tokenizer.vocabulary.pad_id,
    )
    write_checkpoint(pretrained, path)
    return path


def tiny_model(folder: Path, *, kind: str = "bytelevel-bpe", **changes: Any) -> TextModel:
    return load_model(str(write_model(folder / f"{kind}.ckpt", kind=kind, **changes)))
