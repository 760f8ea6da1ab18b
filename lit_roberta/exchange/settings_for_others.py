"""Our settings to Hugging Face's `config.json`, with everything said that has an effect.

In: a model, and the class that it becomes. Out: what `config.json` holds. What a program would
take where nothing is said is not what RoBERTa has (512 positions, epsilon 1e-12).
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import torch

from lit_roberta.exchange.names import CLASS_PREFIXES, MODEL_TYPES, Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.task_settings import task_settings
from lit_roberta.model.config import EncoderConfig

_NOT_THEIRS = "tanh_pooler"
"""A setting of ours that they tell by the class."""


def settings_for_others(
    pretrained: Pretrained,
    *,
    architecture: str,
    family: Family,
    encoder: EncoderConfig,
    dtype: torch.dtype,
) -> dict[str, Any]:
    """Give what `config.json` holds.

    A model that came from there keeps its type (`xlm-roberta`) and what has no effect here, unless
    it goes to another family.

    Args:
        pretrained: The model.
        architecture: The class of BERT's or RoBERTa's that it becomes, such as
            `RobertaForMaskedLM`.
        family: Whose class that is.
        encoder: The sizes of what is written.
        dtype: Of the weights that are written.
    """
    model_type = str(pretrained.config.get("model_type") or pretrained.family)
    comes_home = MODEL_TYPES.get(model_type) == family
    if not comes_home:
        model_type = family
    kept = dict(pretrained.config) if comes_home else {}
    number_type = str(dtype).removeprefix("torch.")
    named = [name for name in ("dtype", "torch_dtype") if kept.get(name)]
    stored = dict.fromkeys(named if kept else ["dtype"], number_type)
    prefix, padding = CLASS_PREFIXES[family], pretrained.pad_id + 1
    return (
        {**_tokens(pretrained, family), "hidden_act": "gelu"}
        | kept
        | stored
        | ({} if pretrained.task is None else task_settings(pretrained.task, kept))
        | {name: value for name, value in asdict(encoder).items() if name != _NOT_THEIRS}
        | {
            "architectures": [CLASS_PREFIXES[model_type] + architecture.removeprefix(prefix)],
            "max_position_embeddings": encoder.max_position_embeddings
            + (padding if family == "roberta" else 0),
            "model_type": model_type,
            "pad_token_id": pretrained.pad_id,
            "tie_word_embeddings": True,
        }
    )


def _tokens(pretrained: Pretrained, family: Family) -> dict[str, int]:
    """Give the ids that RoBERTa's settings name; BERT's name none."""
    if pretrained.tokenizer is None or family == "bert":
        return {}
    vocabulary = pretrained.tokenizer.vocabulary
    return {"bos_token_id": vocabulary.cls_id, "eos_token_id": vocabulary.sep_id}
