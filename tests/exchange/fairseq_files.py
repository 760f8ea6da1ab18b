"""Tiny random models in the files of fairseq's versions, and their twin of transformers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

HIDDEN, INNER, LAYERS, HEADS, POSITIONS = 32, 48, 2, 4, 20
WORDS = ["the", "cat", "sat", "on", "mat", "A", "C"]
VOCAB = 4 + len(WORDS) + 1

NEW, MIDDLE, OLD = "cfg and encoder", "args and decoder", "joined projections"
STYLES = [NEW, MIDDLE, OLD]


def tiny_weights(*, seed: int = 0, vocab: int = VOCAB) -> dict[str, Tensor]:
    """Draw weights under the names of fairseq's last version."""
    shapes: dict[str, tuple[int, ...]] = {
        "sentence_encoder.embed_tokens.weight": (vocab, HIDDEN),
        "sentence_encoder.embed_positions.weight": (POSITIONS + 2, HIDDEN),
        "lm_head.bias": (vocab,),
    }
    modules = {
        "sentence_encoder.layernorm_embedding": (HIDDEN,),
        "lm_head.dense": (HIDDEN, HIDDEN),
        "lm_head.layer_norm": (HIDDEN,),
    }
    for layer in range(LAYERS):
        stem = f"sentence_encoder.layers.{layer}"
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            modules[f"{stem}.self_attn.{part}"] = (HIDDEN, HIDDEN)
        modules[f"{stem}.self_attn_layer_norm"] = (HIDDEN,)
        modules[f"{stem}.fc1"] = (INNER, HIDDEN)
        modules[f"{stem}.fc2"] = (HIDDEN, INNER)
        modules[f"{stem}.final_layer_norm"] = (HIDDEN,)
    for name, shape in modules.items():
        shapes |= {f"{name}.weight": shape, f"{name}.bias": shape[:1]}
    generator = torch.Generator().manual_seed(seed)
    found = {
        f"encoder.{name}": torch.randn(shape, generator=generator) * 0.2
        for name, shape in shapes.items()
    }
    found["encoder.lm_head.weight"] = found["encoder.sentence_encoder.embed_tokens.weight"]
    return found


def tiny_settings(**changes: Any) -> dict[str, Any]:
    settings = {
        "arch": "roberta_base",
        "task": "masked_lm",
        "activation_fn": "gelu",
        "dropout": 0.1,
        "attention_dropout": 0.2,
        "encoder_attention_heads": HEADS,
        "encoder_embed_dim": HIDDEN,
        "encoder_ffn_embed_dim": INNER,
        "encoder_layers": LAYERS,
        "max_positions": POSITIONS,
        "lr": [0.0005],
        "bpe": None,
    }
    return settings | changes


def in_style(weights: dict[str, Tensor], settings: dict[str, Any], style: str) -> dict[str, Any]:
    """Lay weights and settings out as a version of fairseq did."""
    rest = {"optimizer_history": [{"num_updates": 3}], "extra_state": {"epoch": 1}}
    if style == NEW:
        buffers = {"encoder.sentence_encoder.version": torch.tensor([3.0])}
        config = {"model": argparse.Namespace(**settings), "task": {"_name": "masked_lm"}}
        return {"args": None, "cfg": config, "model": weights | buffers, **rest}
    model = {
        name.replace("encoder.", "decoder.", 1).replace("layernorm_embedding", "emb_layer_norm"): w
        for name, w in weights.items()
    }
    if style == OLD:
        for layer in range(LAYERS):
            stem = f"decoder.sentence_encoder.layers.{layer}.self_attn"
            for kind in ("weight", "bias"):
                parts = [model.pop(f"{stem}.{part}_proj.{kind}") for part in "qkv"]
                model[f"{stem}.in_proj_{kind}"] = torch.cat(parts)
    return {"args": argparse.Namespace(**settings), "model": model, **rest}


def write_dictionary(folder: Path, words: list[str] | None = None) -> None:
    lines = [f"{word} {1000 - n}" for n, word in enumerate(WORDS if words is None else words)]
    (folder / "dict.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write(folder: Path, checkpoint: object, *, is_archive: bool = True) -> Path:
    """Write a file as torch does now, or as it did before version 1.6; and a dictionary."""
    path = folder / "model.pt"
    torch.save(checkpoint, path, _use_new_zipfile_serialization=is_archive)
    if not (folder / "dict.txt").exists():
        write_dictionary(folder)
    return path


def twin(weights: dict[str, Tensor]) -> Any:
    """Build transformers' model from the same tensors, by a table of its own."""
    transformers = pytest.importorskip("transformers", reason="the peer is not installed")
    config = transformers.RobertaConfig(
        vocab_size=VOCAB,
        hidden_size=HIDDEN,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=INNER,
        max_position_embeddings=POSITIONS + 2,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        pad_token_id=1,
    )
    model = transformers.RobertaForMaskedLM(config).eval()
    roberta, trunk = model.roberta, "encoder.sentence_encoder"
    fill(roberta.embeddings.word_embeddings, weights, f"{trunk}.embed_tokens")
    fill(roberta.embeddings.position_embeddings, weights, f"{trunk}.embed_positions")
    fill(roberta.embeddings.LayerNorm, weights, f"{trunk}.layernorm_embedding")
    nn.init.zeros_(roberta.embeddings.token_type_embeddings.weight)
    for number, layer in enumerate(roberta.encoder.layer):
        stem = f"{trunk}.layers.{number}"
        fill(layer.attention.self.query, weights, f"{stem}.self_attn.q_proj")
        fill(layer.attention.self.key, weights, f"{stem}.self_attn.k_proj")
        fill(layer.attention.self.value, weights, f"{stem}.self_attn.v_proj")
        fill(layer.attention.output.dense, weights, f"{stem}.self_attn.out_proj")
        fill(layer.attention.output.LayerNorm, weights, f"{stem}.self_attn_layer_norm")
        fill(layer.intermediate.dense, weights, f"{stem}.fc1")
        fill(layer.output.dense, weights, f"{stem}.fc2")
        fill(layer.output.LayerNorm, weights, f"{stem}.final_layer_norm")
    fill(model.lm_head.dense, weights, "encoder.lm_head.dense")
    fill(model.lm_head.layer_norm, weights, "encoder.lm_head.layer_norm")
    with torch.no_grad():
        model.lm_head.bias.copy_(weights["encoder.lm_head.bias"])
    return model


def fill(module: nn.Module, weights: dict[str, Tensor], stem: str) -> None:
    with torch.no_grad():
        for name, parameter in module.named_parameters(recurse=False):
            parameter.copy_(weights[f"{stem}.{name}"])
