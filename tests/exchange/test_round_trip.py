"""There and back changes nothing: the same bits, and settings that mean the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from lit_roberta.exchange.checkpoint import write_checkpoint
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES, Family
from tests.exchange.folders import same_model, tiny_pretrained, tiny_tokenizer
from tests.exchange.test_parity import peer

KINDS = [
    "BertForPreTraining",
    "BertForMaskedLM",
    "BertModel",
    "RobertaForMaskedLM",
    "RobertaModel",
    "XLMRobertaForMaskedLM",
    "CamembertForMaskedLM",
]


@pytest.mark.parametrize("kind", KINDS)
def test_theirs_to_ours_to_theirs(kind: str, tmp_path: Path) -> None:
    theirs = peer(kind, pad_id=0 if kind.startswith("Bert") else 1)
    theirs.config.id2label = {0: "no", 1: "yes", 2: "maybe"}
    source, back, checkpoint = (tmp_path / name for name in ("source", "back", "it.ckpt"))
    theirs.save_pretrained(source)
    write_checkpoint(load_pretrained(str(source)), checkpoint)
    export(load_pretrained(str(checkpoint)), back)
    before, after = (load_file(folder / "model.safetensors") for folder in (source, back))
    assert before.keys() == after.keys()
    for name, weight in before.items():
        assert weight.dtype == after[name].dtype
        assert torch.equal(weight, after[name]), name
    assert stored_config(source) == stored_config(back)


def stored_config(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "config.json").read_text())
    return found


def test_half_precision_stays_what_it_was(tmp_path: Path) -> None:
    theirs = peer("RobertaForMaskedLM", pad_id=1).half()
    source, back = tmp_path / "source", tmp_path / "back"
    theirs.save_pretrained(source)
    export(load_pretrained(str(source)), back)
    before, after = (load_file(folder / "model.safetensors") for folder in (source, back))
    assert all(torch.equal(weight, after[name]) for name, weight in before.items())
    assert all(weight.dtype == torch.float16 for weight in after.values())
    assert stored_config(back)["dtype"] == "float16"


@pytest.mark.parametrize("family", FAMILIES)
def test_ours_to_theirs_to_ours(family: Family, tmp_path: Path) -> None:
    """By way of a checkpoint, with everything that training could have left in it."""
    drawn = tiny_pretrained(family)
    write_checkpoint(drawn, tmp_path / "it.ckpt")
    first = load_pretrained(str(tmp_path / "it.ckpt"))
    assert same_model(drawn, first)
    export(first, tmp_path / "out")
    again = load_pretrained(str(tmp_path / "out"))
    assert again.encoder == drawn.encoder
    for name, weight in drawn.weights.items():
        assert torch.equal(again.weights[name], weight), name


def test_a_tied_decoder_that_was_stored_twice_comes_back_once(tmp_path: Path) -> None:
    theirs = peer("BertForPreTraining", pad_id=0)
    theirs.save_pretrained(tmp_path / "it")
    path = tmp_path / "it" / "model.safetensors"
    weights = load_file(path)
    plain = load_pretrained(str(tmp_path / "it"))
    decoder = weights["bert.embeddings.word_embeddings.weight"].clone()
    weights["cls.predictions.decoder.weight"] = decoder
    weights["cls.predictions.decoder.bias"] = weights["cls.predictions.bias"].clone()
    save_file(weights, path)
    assert same_model(load_pretrained(str(tmp_path / "it")), plain)


def test_a_tokenizer_goes_through_a_checkpoint_as_it_is(tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    drawn = tiny_pretrained(vocab_size=tokenizer.vocab_size)
    write_checkpoint(drawn, tmp_path / "without.ckpt")
    assert load_pretrained(str(tmp_path / "without.ckpt")).tokenizer is None
    folder = export(load_pretrained(str(tmp_path / "without.ckpt")), tmp_path / "out").folder
    tokenizer.save(tmp_path / "tokenizer")
    for path in (tmp_path / "tokenizer").iterdir():
        path.rename(folder / path.name)
    found = load_pretrained(str(folder))
    write_checkpoint(found, tmp_path / "with.ckpt")
    again = load_pretrained(str(tmp_path / "with.ckpt"))
    assert found.tokenizer is not None
    assert again.tokenizer is not None
    assert again.tokenizer.to_json() == found.tokenizer.to_json()
    assert again.tokenizer.vocabulary == tokenizer.vocabulary
