"""A Hugging Face folder becomes a model whose parts fit each other, or one line says what not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from lit_roberta.errors import UserError
from lit_roberta.exchange.huggingface import read_folder
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES, Family
from tests.exchange.folders import (
    same_model,
    their_weights,
    tiny_pretrained,
    tiny_tokenizer,
    write_folder,
)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("number_type", [torch.float32, torch.float16, torch.bfloat16])
def test_a_model_comes_in_as_it_was(
    family: Family, number_type: torch.dtype, tmp_path: Path
) -> None:
    drawn = tiny_pretrained(family)
    weights = {name: weight.to(number_type) for name, weight in their_weights(drawn).items()}
    found = load_pretrained(str(write_folder(tmp_path / "it", drawn, weights=weights)))
    assert (found.family, found.encoder, found.pad_id) == (family, drawn.encoder, drawn.pad_id)
    assert found.weights.keys() == drawn.weights.keys()
    for name, weight in drawn.weights.items():
        assert torch.equal(found.weights[name], weight.to(number_type)), name
    built = found.build().state_dict()
    for name, weight in found.weights.items():
        assert torch.equal(built[name], weight.float()), name


@pytest.mark.parametrize("family", FAMILIES)
def test_all_files_of_a_family_are_one_model(family: Family, tmp_path: Path) -> None:
    drawn = tiny_pretrained(family)
    weights = their_weights(drawn)
    found = [read_folder(write_folder(tmp_path / "safetensors", drawn))]
    for is_archive in (True, False):
        folder = write_folder(tmp_path / f"pickle {is_archive}", drawn)
        (folder / "model.safetensors").unlink()
        path = folder / "pytorch_model.bin"
        torch.save(weights, path, _use_new_zipfile_serialization=is_archive)
        found.append(read_folder(folder))
    assert all(same_model(found[0], each) for each in found[1:])


def test_an_old_file_tells_its_family_and_has_old_names(tmp_path: Path) -> None:
    drawn = tiny_pretrained()
    old = {
        name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
            "LayerNorm.bias", "LayerNorm.beta"
        ): weight
        for name, weight in their_weights(drawn).items()
    }
    old["bert.embeddings.position_ids"] = torch.arange(24)[None]
    config = dict.fromkeys(["model_type", "architectures", "pad_token_id"], "absent")
    found = read_folder(write_folder(tmp_path / "old", drawn, config=config, weights=old))
    assert same_model(found, read_folder(write_folder(tmp_path / "new", drawn)))


def without(weights: dict[str, Tensor], start: str) -> dict[str, Tensor]:
    return {name: weight for name, weight in weights.items() if not name.startswith(start)}


def test_a_model_without_heads_comes_without_them(tmp_path: Path) -> None:
    weights = without(their_weights(tiny_pretrained()), "cls.")
    bare = {name.removeprefix("bert."): weight for name, weight in weights.items()}
    found = read_folder(write_folder(tmp_path / "it", weights=bare))
    assert not found.has_masked_lm_head
    assert not found.has_next_sentence_head
    assert found.has_pooler
    assert not found.encoder.tanh_pooler  # there is no head that would read it
    assert found.build().next_sentence_head is None


def test_a_trunk_without_a_pooler_is_enough(tmp_path: Path) -> None:
    weights = without(without(their_weights(tiny_pretrained()), "cls."), "bert.pooler.")
    found = read_folder(write_folder(tmp_path / "it", weights=weights))
    heads = (found.has_pooler, found.has_masked_lm_head, found.has_next_sentence_head)
    assert heads == (False, False, False)
    found.build()


def test_a_next_sentence_head_without_its_pooler_is_refused(tmp_path: Path) -> None:
    weights = without(their_weights(tiny_pretrained()), "bert.pooler.")
    with pytest.raises(UserError, match=r"hold pooler\.dense\.weight"):
        read_folder(write_folder(tmp_path / "it", weights=weights))


def test_every_weight_of_another_shape_is_named_with_both_shapes(tmp_path: Path) -> None:
    for family in FAMILIES:
        drawn = tiny_pretrained(family)
        whole = their_weights(drawn)
        for number, (name, weight) in enumerate(whole.items()):
            grown = torch.cat([weight, weight[:1]])
            folder = tmp_path / f"{family} {number}"
            write_folder(folder, drawn, weights={**whole, name: grown})
            with pytest.raises(UserError, match=re.escape(name.removeprefix(f"{family}."))) as e:
                read_folder(folder)
            assert str(tuple(weight.shape)) in str(e.value)
            assert str(tuple(grown.shape)) in str(e.value)


SIZES = [
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "max_position_embeddings",
    "type_vocab_size",
    "num_hidden_layers",
]


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("family", FAMILIES)
def test_a_config_of_another_size_is_found_out(name: str, family: Family, tmp_path: Path) -> None:
    drawn = tiny_pretrained(family)
    size = json.loads((write_folder(tmp_path / "it", drawn) / "config.json").read_text())[name]
    for step in (4, -4, 10**12) if size > 4 else (1, 10**12):
        folder = write_folder(tmp_path / f"{step}", drawn, config={name: size + step})
        with pytest.raises(UserError, match="the weights must hold"):
            read_folder(folder)


def test_a_folder_without_config_is_said(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    (folder / "config.json").unlink()
    with pytest.raises(UserError, match=r"hold config\.json, got '.*it'"):
        load_pretrained(str(folder))


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null", "\ufeff{}", '{"a": ' * 9999])
def test_a_config_that_is_none_is_said(text: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    (folder / "config.json").write_text(text)
    with pytest.raises(UserError, match=r"config\.json"):
        load_pretrained(str(folder))


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_weights_that_compute_nothing_are_refused(value: float, tmp_path: Path) -> None:
    weights = their_weights(tiny_pretrained())
    weights["bert.encoder.layer.1.output.dense.weight"][3, 2] = value
    with pytest.raises(UserError, match=r"finite in encoder\.layers\.1\.feed_forward\.output"):
        read_folder(write_folder(tmp_path / "it", weights=weights))


@pytest.mark.parametrize("module", ["output.dense", "attention.self.key"])
def test_whole_numbers_are_refused(module: str, tmp_path: Path) -> None:
    """Also where they are joined with floats, and would become some."""
    weights = their_weights(tiny_pretrained())
    name = f"bert.encoder.layer.1.{module}.weight"
    weights[name] = weights[name].to(torch.int8)
    with pytest.raises(UserError, match="Quantized"):
        read_folder(write_folder(tmp_path / "it", weights=weights))


@pytest.mark.parametrize("file", ["model.safetensors", "config.json"])
def test_parts_of_a_folder_say_to_give_the_folder(file: str, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    with pytest.raises(UserError, match="Give the folder"):
        load_pretrained(str(folder / file))


# ---- the tokenizer


@pytest.mark.parametrize(
    ("named", "longest"), [(9, 9), (10**30, 24), ("long", 24), (2, 24), (True, 24), (None, 24)]
)
def test_text_is_cut_where_its_tokenizer_cuts_whatever_the_model_is_called(
    named: object, longest: int, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "it")
    (folder / "tokenizer_config.json").write_text(json.dumps({"model_max_length": named}))
    for source in (None, "owner/name"):
        assert read_folder(folder, source=source).longest_text == longest


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "null"])
def test_tokenizer_settings_that_are_none_are_said_also_without_a_tokenizer(
    text: str, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "it")
    (folder / "tokenizer_config.json").write_text(text)
    with pytest.raises(UserError, match=r"tokenizer_config\.json"):
        read_folder(folder)


@pytest.mark.parametrize("surplus", [0, 1, 40])
def test_rows_without_a_token_are_kept_and_never_drawn(surplus: int, tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    rows = tokenizer.vocab_size + surplus
    drawn = tiny_pretrained(vocab_size=rows)
    found = read_folder(write_folder(tmp_path / "it", drawn, tokenizer=tokenizer))
    assert found.tokenizer is not None
    assert found.encoder.vocab_size == rows
    assert len(found.weights["embeddings.token.weight"]) == rows
    assert found.tokenizer.vocabulary.ordinary_ids.max() < tokenizer.vocab_size
    notes = [note for note in found.notices if "have no token" in note]
    assert notes == ([] if surplus == 0 else [notes[0]])
    assert all(f"{surplus} of {rows} rows" in note for note in notes)


def test_more_tokens_than_rows_are_refused_with_both_numbers(tmp_path: Path) -> None:
    tokenizer = tiny_tokenizer()
    size = tokenizer.vocab_size
    folder = write_folder(
        tmp_path / "it", tiny_pretrained(vocab_size=size - 2), tokenizer=tokenizer
    )
    with pytest.raises(UserError, match=rf"at most {size - 2} entries, got {size}\..* last 2 ids"):
        read_folder(folder)


def test_a_tokenizer_that_lacks_something_is_named_as_the_models(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    (folder / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\nword\n")
    with pytest.raises(UserError, match="the model's tokenizer must have a mask_token"):
        read_folder(folder)


@pytest.mark.parametrize("pad_id", [0, 1, 7])
def test_robertas_padding_is_no_word(pad_id: int, tmp_path: Path) -> None:
    """0 and 1 are control tokens of this tokenizer, 7 is a word, which positions would skip."""
    tokenizer = tiny_tokenizer()
    drawn = tiny_pretrained("roberta", pad_id=pad_id, vocab_size=tokenizer.vocab_size)
    folder = write_folder(tmp_path / "it", drawn, tokenizer=tokenizer)
    if pad_id in tokenizer.vocabulary.special_ids:
        assert read_folder(folder).pad_id == pad_id
    else:
        with pytest.raises(UserError, match=r"pad_token_id in config\.json must be .* 0, got 7"):
            read_folder(folder)


def test_a_folder_without_a_tokenizer_says_so(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "it")
    found = read_folder(folder)
    assert found.tokenizer is None
    assert found.notices == [f"no tokenizer: {folder} has none"]
    (folder / "sentencepiece.bpe.model").write_bytes(b"")
    with pytest.raises(UserError, match=r"tokenizer\.json, got 'sentencepiece\.bpe\.model'"):
        read_folder(folder)


def test_settings_without_effect_are_kept(tmp_path: Path) -> None:
    more: dict[str, Any] = {"id2label": {"0": "x"}, "pooler_type": "first_token_transform"}
    found = read_folder(write_folder(tmp_path / "it", config=more))
    assert more.items() <= found.config.items()
