"""Whatever is wrong in a written folder, the export's check finds it, and nothing is left."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from lit_roberta.errors import UserError
from lit_roberta.exchange import exporting
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.pretrained import Pretrained
from tests.exchange.models import tiny_pretrained
from tests.exchange.theirs import load

pytest.importorskip("transformers", reason="the export's reader is not installed")

Damage = Callable[[Path], object]


def damaged_export(
    monkeypatch: pytest.MonkeyPatch, pretrained: Pretrained, folder: Path, damage: Damage
) -> str:
    """Export with a fault in what is written; give the line that refuses it."""
    write = exporting._write

    def write_wrongly(home: Any, pretrained: Pretrained, folder: Path) -> None:
        write(home, pretrained, folder)
        damage(folder)

    with monkeypatch.context() as patch:
        patch.setattr(exporting, "_write", write_wrongly)
        with pytest.raises(UserError) as caught:
            export(pretrained, folder)
    assert not list(folder.parent.iterdir()), "something is left"
    assert "\n" not in str(caught.value)
    return str(caught.value)


def change_weights(folder: Path, change: Callable[[dict[str, Tensor]], object]) -> None:
    weights = load_file(folder / "model.safetensors")
    change(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def change_json(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads((folder / name).read_text(encoding="utf-8"))
    change(content)
    (folder / name).write_text(json.dumps(content), encoding="utf-8")


def negate(weights: dict[str, Tensor], *, name: str) -> None:
    weights[name] = -weights[name]


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["BertForPreTraining", "RobertaForMaskedLM"])
def test_any_weight_that_is_another_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, architecture: str
) -> None:
    pretrained = replace(tiny_pretrained(architecture), tokenizer=None)
    export(pretrained, tmp_path / "right/out")
    for name in load_file(tmp_path / "right/out/model.safetensors"):
        if "layer.1" in name or name.endswith("key.bias"):
            continue  # as the layer before; without effect, by algebra

        (tmp_path / "wrong").mkdir(exist_ok=True)
        damage = partial(change_weights, change=partial(negate, name=name))
        line = damaged_export(monkeypatch, pretrained, tmp_path / "wrong/out", damage)
        assert "that differ by" in line, name


def setting(**changes: object) -> Damage:
    return lambda folder: change_json(folder, "config.json", lambda c: c.update(changes))


def of_tokenizer(name: str, **changes: object) -> Damage:
    return lambda folder: change_json(folder, name, lambda c: c.update(changes))


def swap_two_words(folder: Path) -> None:
    def swap(tokenizer: dict[str, Any]) -> None:
        vocabulary = tokenizer["model"]["vocab"]
        vocabulary["the"], vocabulary["."] = vocabulary["."], vocabulary["the"]

    change_json(folder, "tokenizer.json", swap)


def empty(name: str) -> Damage:
    return lambda folder: (folder / name).write_text("", encoding="utf-8")


NO_WEIGHT = "have no {} weight in transformers, got '{}'"
FAULTS: dict[str, tuple[Damage, str]] = {
    "missing": (
        lambda folder: change_weights(folder, lambda w: w.pop("lm_head.bias")),
        NO_WEIGHT.format("missing", "lm_head.bias"),
    ),
    "unexpected": (
        lambda folder: change_weights(folder, lambda w: w.update(more=torch.zeros(1))),
        NO_WEIGHT.format("unexpected", "more"),
    ),
    "another shape": (
        lambda folder: change_weights(folder, lambda w: w.update({"lm_head.bias": torch.ones(3)})),
        "let transformers load it",
    ),
    "not a number": (
        lambda folder: change_weights(folder, lambda w: w["lm_head.bias"].fill_(torch.nan)),
        "logits that differ by nan",
    ),
    "no settings": (empty("config.json"), "let transformers load it"),
    "no tokenizer": (empty("tokenizer.json"), "let transformers load the tokenizer"),
    "epsilon": (setting(layer_norm_eps=1e-2), "that differ by"),
    "heads": (setting(num_attention_heads=2), "that differ by"),
    "activation": (setting(hidden_act="gelu_new"), "that differ by"),
    "padding": (setting(pad_token_id=1), "let transformers run on random ids"),
    "another word": (swap_two_words, "the exported model must encode"),
    "no separator": (
        of_tokenizer("tokenizer.json", post_processor=None),
        "the exported model must encode",
    ),
    "mask token": (
        of_tokenizer("tokenizer_config.json", mask_token="the"),
        "have the mask token 4",
    ),
    "length": (
        of_tokenizer("tokenizer_config.json", model_max_length=512),
        "cut text to 24 tokens",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_else_is_wrong_is_found_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    damage, words = FAULTS[fault]
    pretrained = tiny_pretrained("RobertaForMaskedLM")
    line = damaged_export(monkeypatch, pretrained, tmp_path / "out", damage)
    assert words in line


def test_without_transformers_it_is_written_and_said_to_be_unchecked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "transformers", None)
        exported = export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out")
    assert exported.check is None
    assert "not checked" in exported.checked
    assert "not checked" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    load(tmp_path / "out", "RobertaForMaskedLM")
