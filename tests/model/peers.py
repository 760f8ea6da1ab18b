"""Tiny random models of `transformers`, and their weights under our names.

The tables say which of their tensors make up each of ours, joined along the first axis.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lit_roberta.model.bert import BertModel

_LAYER = {
    "attention.projection": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output": ("attention.output.dense",),
    "attention_norm": ("attention.output.LayerNorm",),
    "feed_forward.inner": ("intermediate.dense",),
    "feed_forward.output": ("output.dense",),
    "feed_forward_norm": ("output.LayerNorm",),
}
_EMBEDDINGS = {
    "embeddings.token.weight": "embeddings.word_embeddings.weight",
    "embeddings.segment.weight": "embeddings.token_type_embeddings.weight",
    "embeddings.position.weight": "embeddings.position_embeddings.weight",
    "embeddings.layer_norm.weight": "embeddings.LayerNorm.weight",
    "embeddings.layer_norm.bias": "embeddings.LayerNorm.bias",
}
_BERT_HEADS = {
    "masked_lm_head.dense.weight": "cls.predictions.transform.dense.weight",
    "masked_lm_head.dense.bias": "cls.predictions.transform.dense.bias",
    "masked_lm_head.layer_norm.weight": "cls.predictions.transform.LayerNorm.weight",
    "masked_lm_head.layer_norm.bias": "cls.predictions.transform.LayerNorm.bias",
    "masked_lm_head.bias": "cls.predictions.bias",
    "next_sentence_head.pooler.weight": "bert.pooler.dense.weight",
    "next_sentence_head.pooler.bias": "bert.pooler.dense.bias",
    "next_sentence_head.classifier.weight": "cls.seq_relationship.weight",
    "next_sentence_head.classifier.bias": "cls.seq_relationship.bias",
}
_ROBERTA_HEADS = {
    "masked_lm_head.dense.weight": "lm_head.dense.weight",
    "masked_lm_head.dense.bias": "lm_head.dense.bias",
    "masked_lm_head.layer_norm.weight": "lm_head.layer_norm.weight",
    "masked_lm_head.layer_norm.bias": "lm_head.layer_norm.bias",
    "masked_lm_head.bias": "lm_head.bias",
}
ROBERTA_PAD = 1


def names(ours: BertModel, trunk: str) -> dict[str, tuple[str, ...]]:
    """Name the tensors of theirs that make up each of ours."""
    table: dict[str, tuple[str, ...]] = {
        name: (f"{trunk}.{theirs}",) for name, theirs in _EMBEDDINGS.items()
    }
    for layer in range(ours.config.num_hidden_layers):
        for module, theirs in _LAYER.items():
            for kind in ("weight", "bias"):
                table[f"encoder.layers.{layer}.{module}.{kind}"] = tuple(
                    f"{trunk}.encoder.layer.{layer}.{one}.{kind}" for one in theirs
                )
    heads = _BERT_HEADS if trunk == "bert" else _ROBERTA_HEADS
    table |= {name: (theirs,) for name, theirs in heads.items()}
    assert table.keys() == dict(ours.named_parameters()).keys()
    return table


def under_our_names(
    ours: BertModel, theirs: nn.Module, read: Callable[[Tensor], Tensor | None]
) -> dict[str, Tensor]:
    """Read something of each of their parameters, and give it our names and our order of rows."""
    trunk = "roberta" if hasattr(theirs, "roberta") else "bert"
    parameters = dict(theirs.named_parameters())
    found = {}
    for name, parts in names(ours, trunk).items():
        tensors = [read(parameters[part]) for part in parts]
        found[name] = torch.cat([tensor for tensor in tensors if tensor is not None])
        if name.startswith("next_sentence_head.classifier"):
            found[name] = found[name].flip(
                0
            )  # their class 0 means "B follows A", our class 1 does
        if name == "embeddings.position.weight" and trunk == "roberta":
            found[name] = found[name][ROBERTA_PAD + 1 :]  # their positions start behind the pad id
    return found


def copy_weights(ours: BertModel, theirs: nn.Module) -> None:
    ours.load_state_dict(under_our_names(ours, theirs, lambda parameter: parameter.detach()))


def their_gradients(ours: BertModel, theirs: nn.Module) -> dict[str, Tensor]:
    return under_our_names(ours, theirs, lambda parameter: parameter.grad)


def build(kind: str, ours: BertModel) -> Any:
    """Build their model of one kind at the sizes of ours."""
    transformers = pytest.importorskip("transformers", reason="the peer is not installed")
    config = ours.config
    is_roberta = kind.startswith("Roberta")
    settings = transformers.RobertaConfig if is_roberta else transformers.BertConfig
    shared = {name: getattr(config, name) for name in vars(config) if name != "tanh_pooler"}
    shared["pad_token_id"] = ROBERTA_PAD if is_roberta else 0
    if is_roberta:
        shared["max_position_embeddings"] += ROBERTA_PAD + 1
    model = getattr(transformers, kind)(settings(**shared, attn_implementation="sdpa"))
    return model.train()  # dropout is 0: the path that training takes
