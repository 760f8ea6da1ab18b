"""The settings of a fairseq model to those of ours.

In: what fairseq's file says of its model, and the weights. Out: an `EncoderConfig`. Whatever is
set and not implemented here is refused by name. It knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor

from lit_roberta.errors import must
from lit_roberta.exchange.fairseq_names import count_layers
from lit_roberta.model.config import EncoderConfig

PAD_ID = 1
"""Of every dictionary of fairseq's; positions start behind it."""

_EPSILON = 1e-5
"""Of all layer norms of fairseq's; it is no setting there."""

_MUST_BE: Mapping[str, tuple[object, str]] = {
    "activation_fn": ("gelu", "The exact GELU is the only activation that is implemented."),
    "untie_weights_roberta": (False, "Only a tied decoder is implemented."),
    "encoder_learned_pos": (True, "Only learned positions are implemented."),
    "no_token_positional_embeddings": (False, "Only learned positions are implemented."),
    "no_scale_embedding": (True, "Embeddings are never scaled here."),
    "adaptive_input": (False, "Adaptive embeddings are not implemented."),
    "quant_noise_pq": (0, "Its extra layer is not implemented."),
    "quant_noise_scalar": (0, "Quantized layers are not implemented."),
    "encoder_layers_to_keep": (None, "Save the model once more without the layers left out."),
    "model_parallel_size": (1, "Put the parts of the model together first."),
}
"""What a setting must be if it is there, and why."""

_ONLY_IN_TRAINING = ("activation_dropout", "encoder_layerdrop")


def refuse_others(settings: Mapping[str, Any], *, is_old: bool) -> list[str]:
    """Refuse settings of other models than ours.

    Args:
        settings: Of fairseq's model.
        is_old: Whether the encoder is fairseq's first, which ignored `encoder_normalize_before`.

    Returns:
        A line for each setting that counts in training only and has no counterpart.

    Raises:
        UserError: If a setting is not implemented.
    """
    for name, (wanted, remedy) in _MUST_BE.items():
        value = settings.get(name, wanted)
        if value != wanted and (value or wanted):
            raise must(name, f"be {wanted}", value, remedy)
    if settings.get("encoder_normalize_before") and not is_old:
        remedy = "Layer norms in front of the sublayers (pre-LN) are not implemented."
        raise must("encoder_normalize_before", "be False", True, remedy)
    return [
        f"{name} {settings[name]} is left out: it counts in training only, and is not had here"
        for name in _ONLY_IN_TRAINING
        if settings.get(name)
    ]


def to_encoder(settings: Mapping[str, Any], weights: Mapping[str, Tensor]) -> EncoderConfig:
    """Read sizes off the weights, and the rest off the settings.

    Args:
        settings: Of fairseq's model.
        weights: By fairseq's plain names; all of a model's.

    Raises:
        UserError: If a setting is missing, or weights and settings do not fit.
    """
    sizes = _sizes(weights)
    for name, size in sizes.items():
        if settings.get(name, size) != size:
            raise must(name, f"be {size}, as the weights have it", settings[name], "One is wrong.")
    config = EncoderConfig(
        vocab_size=len(weights["embed_tokens.weight"]),
        hidden_size=sizes["encoder_embed_dim"],
        num_hidden_layers=sizes["encoder_layers"],
        num_attention_heads=_number(settings, "encoder_attention_heads", int),
        intermediate_size=sizes["encoder_ffn_embed_dim"],
        hidden_dropout_prob=_number(settings, "dropout", float, 0.1),
        attention_probs_dropout_prob=_number(settings, "attention_dropout", float, 0.1),
        max_position_embeddings=sizes["max_positions"],
        type_vocab_size=1,
        layer_norm_eps=_EPSILON,
    )
    _check_shapes(weights, config)
    return config


def _sizes(weights: Mapping[str, Tensor]) -> dict[str, int]:
    """Read the sizes off the weights, by the names of fairseq's settings."""
    rows = {}
    for name in ("embed_tokens.weight", "embed_positions.weight", "layers.0.fc1.weight"):
        if weights[name].dim() != 2:
            raise must(name, "be a matrix", tuple(weights[name].shape), "Take another checkpoint.")
        rows[name] = len(weights[name])
    return {
        "encoder_layers": count_layers(weights),
        "encoder_embed_dim": weights["embed_tokens.weight"].shape[1],
        "encoder_ffn_embed_dim": rows["layers.0.fc1.weight"],
        "max_positions": rows["embed_positions.weight"] - PAD_ID - 1,
    }


def _number(
    settings: Mapping[str, Any], name: str, kind: type[int] | type[float], default: Any = None
) -> Any:
    """Read a number, and nothing that only looks like one."""
    value = settings.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | kind):
        what = "a whole number" if kind is int else "a number"
        raise must(name, f"be {what}", value, "The file does not say how its model is built.")
    return value


def _check_shapes(weights: Mapping[str, Tensor], config: EncoderConfig) -> None:
    hidden, inner = config.hidden_size, config.intermediate_size
    special = {
        "embed_tokens.weight": (config.vocab_size, hidden),
        "embed_positions.weight": (config.max_position_embeddings + PAD_ID + 1, hidden),
        "lm_head.weight": (config.vocab_size, hidden),
        "lm_head.bias": (config.vocab_size,),
        "fc1.weight": (inner, hidden),
        "fc1.bias": (inner,),
        "fc2.weight": (hidden, inner),
    }
    for name, weight in weights.items():
        ending = name if name in special else ".".join(name.split(".")[-2:])
        is_matrix = name.endswith(("_proj.weight", "dense.weight"))
        wanted = special.get(ending, (hidden, hidden) if is_matrix else (hidden,))
        if tuple(weight.shape) != wanted:
            remedy = "The file holds weights of another size than it says."
            raise must(name, f"have the shape {wanted}", tuple(weight.shape), remedy)
