"""Pretrain a BERT-style encoder under BERT's and RoBERTa's recipes, and compare them honestly.

The names below are imported when they are first used: the package itself costs nothing to import.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lit_roberta.comparison.comparing import compare_recipes
    from lit_roberta.comparison.design.budget import Budget
    from lit_roberta.data.datamodule import PretrainingDataModule
    from lit_roberta.data.datasets import BertDataset, RobertaDataset
    from lit_roberta.data.rows.masking import dynamic_mask, static_mask
    from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
    from lit_roberta.errors import UserError
    from lit_roberta.finetuning.datamodule import FinetuningDataModule
    from lit_roberta.finetuning.evaluation.evaluating import evaluate
    from lit_roberta.finetuning.module import FinetuningModule, start_finetuning
    from lit_roberta.finetuning.predicting import load_task_model, predict
    from lit_roberta.inference.encoding import encode
    from lit_roberta.inference.filling import fill_mask
    from lit_roberta.inference.scoring import pseudo_log_likelihood
    from lit_roberta.inference.text_model import load_model
    from lit_roberta.model.attention import MultiHeadAttention
    from lit_roberta.model.bert import BertModel
    from lit_roberta.model.config import EncoderConfig
    from lit_roberta.model.encoder import TransformerEncoderLayer
    from lit_roberta.training.module import PretrainingModule
    from lit_roberta.training.recipes import (
        effective_batch_size,
        train_bert_recipe,
        train_roberta_recipe,
    )
    from lit_roberta.training.starting import start_from_pretrained

__version__ = "0.1.0"

__all__ = [
    "BertDataset",
    "BertModel",
    "Budget",
    "EncoderConfig",
    "FinetuningDataModule",
    "FinetuningModule",
    "MultiHeadAttention",
    "PretrainingDataModule",
    "PretrainingModule",
    "RobertaDataset",
    "Tokenizer",
    "TokenizerConfig",
    "TransformerEncoderLayer",
    "UserError",
    "compare_recipes",
    "dynamic_mask",
    "effective_batch_size",
    "encode",
    "evaluate",
    "fill_mask",
    "load_model",
    "load_task_model",
    "predict",
    "pseudo_log_likelihood",
    "start_finetuning",
    "start_from_pretrained",
    "static_mask",
    "train_bert_recipe",
    "train_roberta_recipe",
]

_HOMES = {
    "BertDataset": "data.datasets",
    "BertModel": "model.bert",
    "Budget": "comparison.design.budget",
    "EncoderConfig": "model.config",
    "FinetuningDataModule": "finetuning.datamodule",
    "FinetuningModule": "finetuning.module",
    "MultiHeadAttention": "model.attention",
    "PretrainingDataModule": "data.datamodule",
    "PretrainingModule": "training.module",
    "RobertaDataset": "data.datasets",
    "Tokenizer": "data.tokens.tokenizer",
    "TokenizerConfig": "data.tokens.config",
    "TransformerEncoderLayer": "model.encoder",
    "UserError": "errors",
    "compare_recipes": "comparison.comparing",
    "dynamic_mask": "data.rows.masking",
    "effective_batch_size": "training.recipes",
    "encode": "inference.encoding",
    "evaluate": "finetuning.evaluation.evaluating",
    "fill_mask": "inference.filling",
    "load_model": "inference.text_model",
    "load_task_model": "finetuning.predicting",
    "predict": "finetuning.predicting",
    "pseudo_log_likelihood": "inference.scoring",
    "start_finetuning": "finetuning.module",
    "start_from_pretrained": "training.starting",
    "static_mask": "data.rows.masking",
    "train_bert_recipe": "training.recipes",
    "train_roberta_recipe": "training.recipes",
}
"""By public name: the module that it lives in."""


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value  # the next use does not come through here
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
