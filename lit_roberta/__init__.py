"""Pretrain a BERT-style encoder under BERT's and RoBERTa's recipes, and compare them honestly."""

__version__ = "0.1.0"
