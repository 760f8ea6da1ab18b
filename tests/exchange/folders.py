"""Tiny random models in Hugging Face folders, written without `transformers`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.settings_for_others import settings_for_others
from lit_roberta.exchange.weights import to_theirs
from lit_roberta.model.bert import BertModel
from tests.model.examples import randomize, tiny_config

LAYERS = 2
TEXT = ["the cat sat on the mat .", "a dog and a cat sat .", "the dog ran to the mat ."]


def tiny_tokenizer() -> Tokenizer:
    """Train a tokenizer of a dozen entries."""
    return Tokenizer.train(TEXT, TokenizerConfig(kind="word", min_frequency=1))


def tiny_pretrained(
    family: Family = "bert", *, pad_id: int | None = None, **changes: Any
) -> Pretrained:
    """Draw a model: BERT's has both heads and the pooler, RoBERTa's the masked-LM head."""
    is_bert = family == "bert"
    sizes = {"num_hidden_layers": LAYERS} if is_bert else {"type_vocab_size": 1}
    encoder = replace(tiny_config(), tanh_pooler=is_bert, **(sizes | changes))
    model = BertModel(encoder, next_sentence=is_bert)
    randomize(model)
    return Pretrained(
        source="drawn",
        family=family,
        encoder=encoder,
        weights={name: weight.clone() for name, weight in model.state_dict().items()},
        tokenizer=None,
        pad_id=(0 if is_bert else 1) if pad_id is None else pad_id,
    )


def their_weights(pretrained: Pretrained) -> dict[str, Tensor]:
    return to_theirs(
        pretrained.weights,
        pretrained.unused,
        family=pretrained.family,
        num_layers=pretrained.encoder.num_hidden_layers,
        pad_id=pretrained.pad_id,
    )


def their_config(pretrained: Pretrained) -> dict[str, Any]:
    is_bert = pretrained.family == "bert"
    return settings_for_others(
        pretrained,
        architecture="BertForPreTraining" if is_bert else "RobertaForMaskedLM",
        family=pretrained.family,
        encoder=pretrained.encoder,
        dtype=torch.float32,
    )


def write_folder(
    folder: Path,
    pretrained: Pretrained | None = None,
    *,
    config: Mapping[str, Any] | None = None,
    weights: Mapping[str, Tensor] | None = None,
    tokenizer: Tokenizer | None = None,
) -> Path:
    """Write a folder; what is given takes the place of what the model would have.

    Args:
        folder: A new one.
        pretrained: None: a tiny BERT.
        config: Changes to `config.json`; a value of None as a string, "absent", takes one out.
        weights: In place of the model's.
        tokenizer: Written beside it.
    """
    pretrained = tiny_pretrained() if pretrained is None else pretrained
    if tokenizer is not None:
        tokenizer.save(folder)
    folder.mkdir(parents=True, exist_ok=True)
    settings = {**their_config(pretrained), **(config or {})}
    settings = {name: value for name, value in settings.items() if value != "absent"}
    (folder / "config.json").write_text(json.dumps(settings))
    save_file(
        dict(their_weights(pretrained) if weights is None else weights),
        folder / "model.safetensors",
    )
    return folder


def same_model(one: Pretrained, other: Pretrained) -> bool:
    """Tell whether two are one model, to the last bit."""
    facts = [
        (p.family, p.encoder, p.pad_id, p.weights.keys(), p.unused.keys()) for p in (one, other)
    ]
    tensors = [{**p.weights, **p.unused} for p in (one, other)]
    return facts[0] == facts[1] and all(
        weight.dtype == tensors[1][name].dtype and torch.equal(weight, tensors[1][name])
        for name, weight in tensors[0].items()
    )
