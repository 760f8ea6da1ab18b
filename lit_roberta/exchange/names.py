"""What Hugging Face calls the weights of our model.

Their names are without the trunk's prefix (`bert.`, `roberta.`), which a model without heads does
not have. Several of theirs make up one of ours where ours are joined along the first axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Family = Literal["bert", "roberta"]
"""Which of the two a model is to Hugging Face; the architecture is one and the same."""

FAMILIES: tuple[Family, ...] = ("bert", "roberta")

MODEL_TYPES: Mapping[str, Family] = {
    "bert": "bert",
    "roberta": "roberta",
    "xlm-roberta": "roberta",
    "camembert": "roberta",
}
"""What Hugging Face calls the kinds of model that are one of the two families."""

CLASS_PREFIXES: Mapping[str, str] = {
    "bert": "Bert",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "camembert": "Camembert",
}
"""By model type: what the names of its classes begin with."""

_EMBEDDINGS = {
    "embeddings.token.weight": "embeddings.word_embeddings.weight",
    "embeddings.segment.weight": "embeddings.token_type_embeddings.weight",
    "embeddings.position.weight": "embeddings.position_embeddings.weight",
    "embeddings.layer_norm.weight": "embeddings.LayerNorm.weight",
    "embeddings.layer_norm.bias": "embeddings.LayerNorm.bias",
}

_LAYER = {
    "attention.projection": ("attention.self.query", "attention.self.key", "attention.self.value"),
    "attention.output": ("attention.output.dense",),
    "attention_norm": ("attention.output.LayerNorm",),
    "feed_forward.inner": ("intermediate.dense",),
    "feed_forward.output": ("output.dense",),
    "feed_forward_norm": ("output.LayerNorm",),
}

_POOLER = {
    "next_sentence_head.pooler.weight": "pooler.dense.weight",
    "next_sentence_head.pooler.bias": "pooler.dense.bias",
}

_HEADS: Mapping[Family, Mapping[str, str]] = {
    "bert": {
        "masked_lm_head.dense.weight": "cls.predictions.transform.dense.weight",
        "masked_lm_head.dense.bias": "cls.predictions.transform.dense.bias",
        "masked_lm_head.layer_norm.weight": "cls.predictions.transform.LayerNorm.weight",
        "masked_lm_head.layer_norm.bias": "cls.predictions.transform.LayerNorm.bias",
        "masked_lm_head.bias": "cls.predictions.bias",
        "next_sentence_head.classifier.weight": "cls.seq_relationship.weight",
        "next_sentence_head.classifier.bias": "cls.seq_relationship.bias",
    },
    "roberta": {
        "masked_lm_head.dense.weight": "lm_head.dense.weight",
        "masked_lm_head.dense.bias": "lm_head.dense.bias",
        "masked_lm_head.layer_norm.weight": "lm_head.layer_norm.weight",
        "masked_lm_head.layer_norm.bias": "lm_head.layer_norm.bias",
        "masked_lm_head.bias": "lm_head.bias",
    },
}

TIED: Mapping[Family, Mapping[str, str]] = {
    "bert": {
        "cls.predictions.decoder.weight": "embeddings.word_embeddings.weight",
        "cls.predictions.decoder.bias": "cls.predictions.bias",
    },
    "roberta": {
        "lm_head.decoder.weight": "embeddings.word_embeddings.weight",
        "lm_head.decoder.bias": "lm_head.bias",
    },
}
"""Second names of one and the same tensor: the decoder's, and what it is tied to."""

FLIPPED = ("next_sentence_head.classifier.weight", "next_sentence_head.classifier.bias")
"""Of ours: rows in the other order, as class 0 is theirs for "B follows A", and class 1 ours."""

POSITIONS = "embeddings.position.weight"
"""Of ours: without the rows in front that Hugging Face's RoBERTa has for padding."""


def their_names(family: Family, *, num_layers: int) -> dict[str, tuple[str, ...]]:
    """Name the tensors of theirs that make up each of ours, in the order of ours.

    Args:
        family: Whose names.
        num_layers: Transformer layers.

    Returns:
        By our names, in the order of the model's own; all heads that the family has are in it,
        whether or not a model has them.
    """
    table: dict[str, tuple[str, ...]] = {name: (theirs,) for name, theirs in _EMBEDDINGS.items()}
    for layer in range(num_layers):
        for module, theirs in _LAYER.items():
            for kind in ("weight", "bias"):
                name = f"encoder.layers.{layer}.{module}.{kind}"
                table[name] = tuple(f"encoder.layer.{layer}.{one}.{kind}" for one in theirs)
    return table | {name: (theirs,) for name, theirs in {**_HEADS[family], **_POOLER}.items()}


def is_of_head(name: str) -> bool:
    """Tell whether a weight of ours belongs to a head, which a model may lack."""
    return name.startswith(("masked_lm_head.", "next_sentence_head."))


def with_trunk(name: str, family: Family) -> str:
    """Give a name of theirs as a model with heads has it.

    Example:
        >>> with_trunk("embeddings.LayerNorm.bias", "bert"), with_trunk("lm_head.bias", "roberta")
        ('bert.embeddings.LayerNorm.bias', 'lm_head.bias')
    """
    return f"{family}.{name}" if name.startswith(("embeddings.", "encoder.", "pooler.")) else name
