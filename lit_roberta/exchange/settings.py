"""Hugging Face's `config.json` to our settings.

In: what `config.json` holds. Out: the encoder's sizes, the family and the padding's id. A setting
that asks for something that is not implemented is refused by name, and so is one that nobody
here has heard of: either could make the model compute something else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from lit_roberta.errors import must
from lit_roberta.exchange.harmless import HARMLESS
from lit_roberta.exchange.names import CLASS_PREFIXES, MODEL_TYPES, Family
from lit_roberta.model.config import EncoderConfig

_REQUIRED = (
    "vocab_size",
    "hidden_size",
    "num_hidden_layers",
    "num_attention_heads",
    "intermediate_size",
)
_DEFAULTS: Mapping[str, int | float] = {
    "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "layer_norm_eps": 1e-12,
    "initializer_range": 0.02,
}
"""What Hugging Face takes where a file leaves it out, for BERT and for RoBERTa alike."""

_ONLY: Mapping[str, tuple[object, ...]] = {
    "hidden_act": ("gelu", "gelu_python"),
    "position_embedding_type": ("absolute", None),
    "is_decoder": (False, None),
    "is_encoder_decoder": (False, None),
    "add_cross_attention": (False, None),
    "cross_attention_hidden_size": (None,),
    "pruned_heads": ({}, [], None),
    "tie_word_embeddings": (True,),
    "tie_encoder_decoder": (False, None),
    "quantization_config": (None,),
    "auto_map": (None,),
}
"""What has an effect, and is implemented for these values alone."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a `config.json` says."""

    family: Family
    encoder: EncoderConfig
    """`max_position_embeddings` without the rows in front that RoBERTa has for padding."""
    pad_id: int


def read_settings(config: Mapping[str, Any], weight_names: Iterable[str], place: str) -> Settings:
    """Read settings.

    Args:
        config: What the file holds.
        weight_names: Of the model's weights, which tell the family where an old file does not.
        place: Where the file is, for errors.

    Raises:
        UserError: If one asks for something that is not implemented, is unknown, is missing or
            has no sense.
    """
    model_type = _model_type(config, weight_names, place)
    _refuse_unknown(config, place)
    sizes: dict[str, Any] = {}
    for each in fields(EncoderConfig):
        if each.name in _REQUIRED or each.name in _DEFAULTS:
            sizes[each.name] = _number(config, each.name, place)
    family = MODEL_TYPES[model_type]
    pad_id = _pad_id(config, family, place)
    if family == "roberta":
        rows = sizes["max_position_embeddings"]
        if rows <= pad_id + 1:
            rule = f"be above {pad_id + 1}"
            remedy = f"RoBERTa's positions begin behind the padding's id {pad_id}."
            raise must(_at("max_position_embeddings", place), rule, rows, remedy)
        sizes["max_position_embeddings"] = rows - pad_id - 1
    return Settings(family=family, encoder=EncoderConfig(**sizes), pad_id=pad_id)


def _model_type(config: Mapping[str, Any], weight_names: Iterable[str], place: str) -> str:
    """Tell the type, in old files by the class or by the weights' prefixes."""
    named = config.get("architectures")
    if named is not None and not (
        isinstance(named, list) and all(isinstance(name, str) for name in named)
    ):
        remedy = 'Such as ["RobertaForMaskedLM"].'
        raise must(_at("architectures", place), "be a list of classes", named, remedy)
    known = ", ".join(MODEL_TYPES)
    remedy = "Only BERT and models of RoBERTa's architecture can be taken."
    if config.get("model_type") is not None:
        if str(config["model_type"]) not in MODEL_TYPES:
            raise must(_at("model_type", place), f"be {known}", config["model_type"], remedy)
        return str(config["model_type"])
    classes = named or []
    found = [
        model_type
        for model_type, prefix in CLASS_PREFIXES.items()
        if any(name.startswith(prefix) for name in classes)
    ]
    if classes and not found:
        raise must(_at("architectures", place), f"be of {known}", classes, remedy)
    found = found or _by_prefix({name.split(".")[0] for name in weight_names})
    if not found:
        remedy = "Its weights do not tell either: add it."
        raise must(_at("model_type", place), f"be {known}", None, remedy)
    return found[0]


def _by_prefix(firsts: set[str]) -> list[str]:
    marks = {"roberta": {"roberta", "lm_head"}, "bert": {"bert", "cls"}}
    return [model_type for model_type, names in marks.items() if firsts & names]


def _refuse_unknown(config: Mapping[str, Any], place: str) -> None:
    known = {*_REQUIRED, *_DEFAULTS, "pad_token_id", "model_type", "architectures"}
    for name, value in config.items():
        if name in _ONLY:
            if value not in _ONLY[name]:
                remedy = "Nothing else is implemented."
                raise must(_at(name, place), f"be {_ONLY[name][0]!r}", value, remedy)
        elif name not in known and name not in HARMLESS:
            remedy = f"Take it out if the model does the same without it; it is {value!r}."
            raise must(place, "hold settings of BERT or RoBERTa only", name, remedy)


def _number(config: Mapping[str, Any], name: str, place: str) -> int | float:
    default = _DEFAULTS.get(name)
    value = config.get(name, default)
    is_whole = name in _REQUIRED or isinstance(default, int)
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float):
        rule = "be a whole number" if is_whole else "be a number"
        raise must(_at(name, place), rule, value, "Take the model's own config.json.")
    return value if is_whole else float(value)


def _pad_id(config: Mapping[str, Any], family: Family, place: str) -> int:
    value = config.get("pad_token_id", 0 if family == "bert" else 1)
    if value is None and family == "bert":
        return 0  # it has no effect
    is_id = isinstance(value, int) and not isinstance(value, bool)
    if not is_id or not 0 <= value < config["vocab_size"]:
        remedy = "RoBERTa's positions begin behind it."
        rule = f"be an id below {config['vocab_size']}"
        raise must(_at("pad_token_id", place), rule, value, remedy)
    return value


def _at(name: str, place: str) -> str:
    return f"{name} in {place}"
