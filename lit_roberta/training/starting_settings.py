"""What a run takes from the weights that it starts from, and what from its configuration.

As with a checkpoint that is gone on with, the weights decide the encoder and the tokenizer. All
else is the recipe's, the objective included: a head that it wants and the weights lack is drawn,
one that it does not train is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from jsonargparse import Namespace

from lit_roberta.data.examples.packing import PAIR_FORMATS
from lit_roberta.data.tokens.config import TokenizerConfig
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must
from lit_roberta.exchange.growing import check_length
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.training.checkpoint_settings import CheckpointSettings, flatten
from lit_roberta.training.starting import Start, hash_weights
from lit_roberta.training.taking_over import check_agreement

_FREE = ("hidden_dropout_prob", "attention_probs_dropout_prob")
"""Of the encoder: what weights do not stand on."""
_WHOSE = "the weights'"


def read_start(settings: Namespace, *, given: Mapping[str, Any]) -> Start | None:
    """Read what a run starts from, and let its settings win over the defaults.

    Args:
        settings: Of a subcommand, as parsed; changed in place.
        given: Those that were given, nested.

    Returns:
        None to start from initial weights.

    Raises:
        UserError: If it can't be read, or one was given that is not the weights'.
    """
    source, length = settings.model.pretrained, settings.model.extend_positions
    if source is None:
        if length is not None:
            remedy = "Give model.pretrained; else model.encoder.max_position_embeddings."
            raise must("model.extend_positions", "have weights to extend", length, remedy)
        return None
    start = Start.read(source, tokenizer_path=settings.data.tokenizer.path)
    take_over_start(start, settings=settings, given=given)
    return start


def take_over_start(start: Start, *, settings: Namespace, given: Mapping[str, Any]) -> None:
    """Let the settings of weights win over the defaults.

    Args:
        start: What the run starts from.
        settings: Of a subcommand, as parsed; changed in place.
        given: Those that were given, nested.

    Raises:
        UserError: If one was given and is not the weights', or if they can't do what is asked.
    """
    named = dict(flatten(given))
    length = settings.model.extend_positions
    positions = "model.encoder.max_position_embeddings"
    if length is not None:
        check_length(start.pretrained, length)  # before data.max_length is blamed for it
    if length is not None and named.get(positions) == length:
        del named[positions]  # said twice
    stored = _encoder_settings(start, settings)
    if start.pretrained.tokenizer is not None:
        stored |= _tokenizer_settings(start.tokenizer)
    check_agreement(stored, named, whose=_WHOSE)
    for name in _FREE:
        if f"model.encoder.{name}" not in named:
            stored[f"model.encoder.{name}"] = getattr(start.pretrained.encoder, name)
    if length is not None:
        stored[positions] = length
    for name, value in stored.items():
        settings[name] = value
    _check_segments(start, settings)


def check_same_start(checkpoint: CheckpointSettings, settings: Namespace) -> None:
    """Refuse to go on with a run from other weights than it was started from; then leave them.

    Args:
        checkpoint: Of the run.
        settings: Of a subcommand, as parsed; changed in place.

    Raises:
        UserError: Names both.
    """
    asked, origin = settings.model.pretrained, checkpoint.origin
    before = None if origin is None else origin["source"]
    if asked not in (None, before) and (
        origin is None or hash_weights(load_pretrained(asked).weights) != origin["digest"]
    ):
        what = "nothing, as the checkpoint's run started" if before is None else f"{before!r}"
        remedy = "Leave it out; to start from other weights, name another run's folder."
        raise must("model.pretrained", f"be {what}", asked, remedy)
    settings["model.pretrained"] = before
    length, earlier = settings.model.extend_positions, checkpoint.extend_positions
    if length not in (None, earlier):
        remedy = "Leave it out: the weights stand on it."
        raise must("model.extend_positions", f"be the checkpoint's {earlier}", length, remedy)
    settings["model.extend_positions"] = earlier


def _encoder_settings(start: Start, settings: Namespace) -> dict[str, Any]:
    encoder = asdict(start.pretrained.encoder)
    decided = {
        f"model.encoder.{name}": value
        for name, value in encoder.items()
        if name not in ("vocab_size", "tanh_pooler", *_FREE)  # the size follows from the tokenizer
    }
    if settings.model.next_sentence and start.has_next_sentence_parts:
        decided["model.encoder.tanh_pooler"] = start.pretrained.has_pooler
    return decided


def _tokenizer_settings(tokenizer: Tokenizer) -> dict[str, Any]:
    """Say what a tokenizer is, as far as settings can."""
    state = json.loads(tokenizer.to_json())
    kinds = {"WordPiece": "wordpiece", "BPE": "bytelevel-bpe"}
    config = state["config"]
    if config is None:
        kind = kinds.get(state["backend"]["model"]["type"], "word")
        config = {**asdict(TokenizerConfig()), "kind": kind}
    return {f"data.tokenizer.{name}": value for name, value in config.items() if name != "extend"}


def _check_segments(start: Start, settings: Namespace) -> None:
    format = settings.data.format
    if format in PAIR_FORMATS and start.pretrained.encoder.type_vocab_size < 2:
        rule = "have single texts, as doc-sentences, for weights that know one segment (RoBERTa's)"
        remedy = "Take a recipe without pairs."
        raise must("data.format", rule, format, remedy)
