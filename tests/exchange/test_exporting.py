"""What leaves is what `transformers` loads, to the last bit, and nothing leaves that is not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.weights import to_ours
from tests.exchange.models import ARCHITECTURES, tiny_pretrained
from tests.exchange.theirs import load, outputs_of, wanted_of

transformers = pytest.importorskip("transformers", reason="the export's reader is not installed")

EXPLICIT = {
    "architectures",
    "attention_probs_dropout_prob",
    "dtype",
    "hidden_act",
    "hidden_dropout_prob",
    "hidden_size",
    "initializer_range",
    "intermediate_size",
    "layer_norm_eps",
    "max_position_embeddings",
    "model_type",
    "num_attention_heads",
    "num_hidden_layers",
    "pad_token_id",
    "tie_word_embeddings",
    "type_vocab_size",
    "vocab_size",
}
"""Whatever has an effect; what a program would assume in its place is not RoBERTa's."""


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_folder_computes_what_the_model_does(tmp_path: Path, architecture: str) -> None:
    pretrained = tiny_pretrained(architecture)
    exported = export(pretrained, tmp_path / "out")
    assert exported.architecture == architecture
    theirs = load(tmp_path / "out", architecture)
    segments = architecture.startswith("Bert")
    wanted = wanted_of(pretrained, segments=segments)
    for name, given in outputs_of(theirs, pretrained, segments=segments).items():
        assert_close(given, wanted[name], rtol=0, atol=1e-5, msg=name)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_saved_again_it_is_byte_for_byte_the_same(tmp_path: Path, architecture: str) -> None:
    export(tiny_pretrained(architecture), tmp_path / "out")
    load(tmp_path / "out", architecture).save_pretrained(tmp_path / "again")
    name = "model.safetensors"
    first, again = (tmp_path / place / name for place in ("out", "again"))
    assert first.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_way_back_gives_every_bit(tmp_path: Path, architecture: str) -> None:
    pretrained = tiny_pretrained(architecture)
    export(pretrained, tmp_path / "out")
    back = to_ours(
        load_file(tmp_path / "out" / "model.safetensors"),
        family=pretrained.family,
        num_layers=2,
        pad_id=0,
    )
    for name, weight in back.weights.items():
        rows = slice(0, 1) if name == "embeddings.segment.weight" else slice(None)
        wanted = pretrained.weights[name]
        assert torch.equal(weight, wanted[rows] if pretrained.family == "roberta" else wanted)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_settings_say_everything_that_has_an_effect(tmp_path: Path, architecture: str) -> None:
    pretrained = tiny_pretrained(architecture)
    export(pretrained, tmp_path / "out")
    settings = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert settings.keys() >= EXPLICIT
    assert "auto_map" not in settings
    is_roberta = pretrained.family == "roberta"
    assert settings["layer_norm_eps"] == pretrained.encoder.layer_norm_eps
    assert settings["type_vocab_size"] == (1 if is_roberta else 2)
    assert settings["max_position_embeddings"] == 24 + (1 if is_roberta else 0)
    assert settings["pad_token_id"] == 0


@pytest.mark.parametrize("architecture", ["BertForPreTraining", "RobertaForMaskedLM"])
def test_the_automatic_classes_find_it(tmp_path: Path, architecture: str) -> None:
    pretrained = tiny_pretrained(architecture)
    export(pretrained, tmp_path / "out")
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "out").eval()
    given = outputs_of(theirs, pretrained, segments=pretrained.family == "bert")
    wanted = wanted_of(pretrained, segments=pretrained.family == "bert")
    assert_close(given["mlm"], wanted["mlm"], rtol=0, atol=1e-5)


@pytest.mark.parametrize("pad_id", [0, 1, 3])
def test_every_position_is_usable_whatever_the_padding(tmp_path: Path, pad_id: int) -> None:
    pretrained = replace(tiny_pretrained("RobertaForMaskedLM"), tokenizer=None, pad_id=pad_id)
    export(pretrained, tmp_path / "out")
    theirs = load(tmp_path / "out", "RobertaForMaskedLM")
    longest = pretrained.encoder.max_position_embeddings
    assert theirs.config.max_position_embeddings == longest + pad_id + 1
    ids = torch.arange(longest)[None] % 20 + 5
    with torch.no_grad():
        embedded = theirs.roberta.embeddings.word_embeddings(ids)
        given = theirs(input_ids=ids).logits
        assert_close(theirs(inputs_embeds=embedded).logits, given)
        assert_close(pretrained.build()(ids).mlm_logits, given, rtol=0, atol=1e-5)


def test_a_next_sentence_head_without_pooler_is_left_out_by_name(tmp_path: Path) -> None:
    pretrained = tiny_pretrained("BertForMaskedLM", next_sentence_without_pooler=True)
    exported = export(pretrained, tmp_path / "out")
    assert exported.architecture == "BertForMaskedLM"
    (notice,) = exported.notices
    assert "next_sentence_head.classifier" in notice
    load(tmp_path / "out", "BertForMaskedLM")


def test_the_segment_that_training_never_saw_is_left_out_by_name(tmp_path: Path) -> None:
    (notice,) = export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out").notices
    assert "row 1 of embeddings.segment.weight" in notice


def test_a_model_of_one_segment_may_go_to_either_family(tmp_path: Path) -> None:
    roberta = tiny_pretrained("RobertaForMaskedLM")
    exported = export(roberta, tmp_path / "bert", family="bert")
    assert exported.architecture == "BertForMaskedLM"
    theirs = load(tmp_path / "bert", "BertForMaskedLM")
    given = outputs_of(theirs, roberta, segments=False)
    assert_close(given["mlm"], wanted_of(roberta, segments=False)["mlm"], rtol=0, atol=1e-5)
    # A pair's second text has the segment that was trained.
    encoded = transformers.AutoTokenizer.from_pretrained(tmp_path / "bert")("the dog", "the mill")
    assert not any(encoded["token_type_ids"])


@pytest.mark.parametrize("architecture", ["BertForPreTraining", "BertForMaskedLM"])
def test_a_model_of_two_segments_goes_to_no_other_family(
    tmp_path: Path, architecture: str
) -> None:
    with pytest.raises(UserError, match="family must be bert for a model"):
        export(tiny_pretrained(architecture), tmp_path / "out", family="roberta")
    assert not list(tmp_path.iterdir())


def test_half_precision_stays_as_it_is(tmp_path: Path) -> None:
    full = tiny_pretrained("RobertaForMaskedLM")
    halves = {name: weight.bfloat16() for name, weight in full.weights.items()}
    exported = export(replace(full, weights=halves), tmp_path / "out")
    assert exported.check is not None
    stored = load_file(tmp_path / "out" / "model.safetensors")
    assert {weight.dtype for weight in stored.values()} == {torch.bfloat16}
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(tmp_path / "out")
    assert theirs.dtype == torch.bfloat16


@pytest.mark.parametrize("which", range(2))
@pytest.mark.parametrize("kinds", [("half", "float"), ("half", "bfloat16"), ("float", "double")])
def test_where_weights_are_of_two_precisions_none_is_lost(
    tmp_path: Path, which: int, kinds: tuple[str, str]
) -> None:
    model = tiny_pretrained("RobertaForMaskedLM")
    mixed = {
        name: getattr(weight, kinds[("embeddings" in name) ^ which])()
        for name, weight in model.weights.items()
    }
    export(replace(model, weights=mixed), tmp_path / "out")
    named = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))["dtype"]
    wider = [torch.promote_types(weight.dtype, getattr(torch, named)) for weight in mixed.values()]
    assert set(wider) == {getattr(torch, named)}


def test_a_model_without_pooler_says_that_one_will_be_drawn(tmp_path: Path) -> None:
    whole = tiny_pretrained("BertForMaskedLM")
    bare = {n: weight for n, weight in whole.weights.items() if not n.startswith("masked_lm")}
    exported = export(replace(whole, weights=bare), tmp_path / "out")
    assert exported.architecture == "BertModel"
    assert any("add_pooling_layer=False" in notice for notice in exported.notices)
