"""What fairseq calls the weights of its RoBERTa, in all of its versions.

In: tensors by fairseq's names. Out: the same under Hugging Face's. It knows nothing of files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, MutableMapping

from torch import Tensor

from lit_roberta.errors import must

_EMBEDDINGS = {
    "embed_tokens.weight": "embeddings.word_embeddings.weight",
    "embed_positions.weight": "embeddings.position_embeddings.weight",
    "layernorm_embedding.weight": "embeddings.LayerNorm.weight",
    "layernorm_embedding.bias": "embeddings.LayerNorm.bias",
}

_LAYER = {
    "self_attn.q_proj": "attention.self.query",
    "self_attn.k_proj": "attention.self.key",
    "self_attn.v_proj": "attention.self.value",
    "self_attn.out_proj": "attention.output.dense",
    "self_attn_layer_norm": "attention.output.LayerNorm",
    "fc1": "intermediate.dense",
    "fc2": "output.dense",
    "final_layer_norm": "output.LayerNorm",
}

_HEAD = {
    "lm_head.dense.weight": "lm_head.dense.weight",
    "lm_head.dense.bias": "lm_head.dense.bias",
    "lm_head.layer_norm.weight": "lm_head.layer_norm.weight",
    "lm_head.layer_norm.bias": "lm_head.layer_norm.bias",
    "lm_head.weight": "lm_head.decoder.weight",
    "lm_head.bias": "lm_head.bias",
}

_OLD = (
    (re.compile(r"^(encoder|decoder)\."), ""),
    (re.compile(r"^sentence_encoder\."), ""),
    (re.compile(r"^emb_layer_norm\."), "layernorm_embedding."),
    (re.compile(r"^(layers\.\d+)\.layer_norms\.0\."), r"\1.self_attn_layer_norm."),
    (re.compile(r"^(layers\.\d+)\.layer_norms\.1\."), r"\1.final_layer_norm."),
)
"""What was called otherwise over the years, and what it is called last."""

_CONSTANTS = re.compile(r"^version$|(^|\.)_float_tensor$")
_OF_TRAINING = re.compile(r"^classification_heads\.[^.]+|^regression_head|^_ema$")
"""What stands beside the masked language model and has no part in what it computes."""

_OLD_NORM = re.compile(r"(^|\.)emb_layer_norm\.")
_LAYER_NUMBER = re.compile(r"^layers\.(\d+)\.")


def is_of_old_encoder(theirs: Mapping[str, Tensor]) -> bool:
    """Tell whether weights are of fairseq's first encoder, which always is post-LN."""
    return any(_OLD_NORM.search(name) for name in theirs)


def plain_names(theirs: MutableMapping[str, Tensor]) -> list[str]:
    """Rename weights to fairseq's last names, without prefixes; take away what has no part.

    Args:
        theirs: As the file holds them. Changed.

    Returns:
        Names of what was taken away and had been trained: heads of tasks.

    Raises:
        UserError: If two weights come to have one name.
    """
    dropped: dict[str, None] = {}
    for name in list(theirs):
        weight = theirs.pop(name)
        plain = name
        for pattern, last in _OLD:
            plain = pattern.sub(last, plain)
        if found := _OF_TRAINING.search(plain):
            dropped[found.group()] = None
        elif not _CONSTANTS.search(plain):
            _add(theirs, plain, weight)
    for name in [name for name in theirs if name.endswith(("in_proj_weight", "in_proj_bias"))]:
        stem, kind = name.rsplit("in_proj_", 1)
        for part, piece in zip("qkv", theirs.pop(name).chunk(3), strict=True):
            _add(theirs, f"{stem}{part}_proj.{kind}", piece)
    return list(dropped)


def count_layers(theirs: Mapping[str, Tensor]) -> int:
    """Count the layers that weights under plain names are of."""
    return len({found.group(1) for name in theirs if (found := _LAYER_NUMBER.match(name))})


def to_hugging_face(theirs: Mapping[str, Tensor], *, num_layers: int) -> dict[str, Tensor]:
    """Give weights under plain names the names that Hugging Face has for them.

    Raises:
        UserError: If one is missing, or has no place in the model.
    """
    names = _EMBEDDINGS | {
        f"layers.{layer}.{module}.{kind}": f"encoder.layer.{layer}.{their}.{kind}"
        for layer in range(num_layers)
        for module, their in _LAYER.items()
        for kind in ("weight", "bias")
    }
    if any(name.startswith("lm_head.") for name in theirs):
        names |= _HEAD
    missing = [name for name in names if name not in theirs]
    if missing:
        remedy = "It may be of another architecture than RoBERTa, or a part of a divided model."
        raise must("the weights", f"hold {missing[0]}", "none", remedy)
    strange = sorted(theirs.keys() - names.keys())
    if strange:
        remedy = "This model has no place for it, and would compute something else without it."
        raise must("the weights", "be those of fairseq's RoBERTa", strange[0], remedy)
    return {names[name]: weight for name, weight in theirs.items()}


def _add(weights: MutableMapping[str, Tensor], name: str, weight: Tensor) -> None:
    if name in weights:
        raise must("the weights", "have one name each", name, "It is there twice.")
    weights[name] = weight
