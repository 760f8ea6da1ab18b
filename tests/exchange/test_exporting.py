"""What leaves is what `transformers` loads, to the last bit, and nothing leaves that is not."""

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
from torch.testing import assert_close

from lit_roberta.errors import UserError
from lit_roberta.exchange import exporting
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.exchange.weights import to_ours
from tests.exchange.models import ARCHITECTURES, random_ids, tiny_pretrained

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


def load(folder: Path, architecture: str) -> Any:
    """Load by the class, and see that nothing was missing, left over or of another shape."""
    model, info = getattr(transformers, architecture).from_pretrained(
        folder, output_loading_info=True
    )
    for kind in ("missing_keys", "unexpected_keys", "mismatched_keys"):
        assert not info[kind], kind
    return model.eval()


@torch.no_grad()
def outputs_of(theirs: Any, pretrained: Pretrained, *, segments: bool) -> dict[str, Tensor]:
    """Compute what the class gives, under our names."""
    ids, second, real = random_ids(pretrained)
    arguments = {"input_ids": ids, "attention_mask": real.long(), "output_hidden_states": True}
    if segments:
        arguments["token_type_ids"] = second
    given = theirs(**arguments)
    found = {"hidden": given.hidden_states[-1][real]}
    architecture = type(theirs).__name__
    if architecture == "BertForPreTraining":
        found["mlm"] = given.prediction_logits[real]
        found["nsp"] = given.seq_relationship_logits.flip(-1)
    elif architecture == "BertForNextSentencePrediction":
        found["nsp"] = given.logits.flip(-1)
    elif architecture.endswith("MaskedLM"):
        found["mlm"] = given.logits[real]
    else:
        found["pooled"] = given.pooler_output
    return found


@torch.no_grad()
def wanted_of(pretrained: Pretrained, *, segments: bool) -> dict[str, Tensor]:
    ids, second, real = random_ids(pretrained)
    model = pretrained.build(next_sentence=pretrained.has_pooler)
    given = model(ids, second if segments else None, real)
    found = {"hidden": given.last_hidden_state[real], "mlm": given.mlm_logits[real]}
    if given.nsp_logits is not None:
        assert model.next_sentence_head is not None
        found["nsp"] = given.nsp_logits
        pooler = model.next_sentence_head.pooler
        assert pooler is not None
        found["pooled"] = torch.tanh(pooler(given.last_hidden_state[:, 0]))
    return found


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


def test_a_model_without_pooler_says_that_one_will_be_drawn(tmp_path: Path) -> None:
    whole = tiny_pretrained("BertForMaskedLM")
    bare = {n: weight for n, weight in whole.weights.items() if not n.startswith("masked_lm")}
    exported = export(replace(whole, weights=bare), tmp_path / "out")
    assert exported.architecture == "BertModel"
    assert any("add_pooling_layer=False" in notice for notice in exported.notices)


# ---- nothing that computes something else leaves

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
    monkeypatch.setitem(sys.modules, "transformers", None)
    exported = export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out")
    assert exported.check is None
    assert "not checked" in exported.checked
    assert "not checked" in (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    load(tmp_path / "out", "RobertaForMaskedLM")


# ---- where it goes


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_an_empty_folder_is_taken_and_all_of_it_readable(tmp_path: Path, family: Family) -> None:
    (tmp_path / "out").mkdir()
    export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out", family=family)
    modes = {path.name: path.stat().st_mode for path in (tmp_path / "out").iterdir()}
    assert len(set(modes.values())) == 1, modes
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for name in ("out", "file"):
        with pytest.raises(UserError, match="be a new or an empty folder"):
            export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / name)
    assert (tmp_path / "out" / "mine.txt").read_text(encoding="utf-8") == "mine"
    with pytest.raises(UserError, match="the output must be writable"):
        export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "file" / "below")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "out"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143), RuntimeError("bug")])
@pytest.mark.parametrize("step", ["save_file", "write_tokenizer", "check_export", "take_place"])
def test_an_interruption_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(exporting, step, fail)
    with pytest.raises(type(error)):
        export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_a_full_disk_is_one_line_and_what_a_kill_left_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(exporting, "save_file", fail)
        with pytest.raises(UserError, match=r"No space left on device\. Nothing was written"):
            export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out")
    assert not list(tmp_path.iterdir())
    left = tmp_path / ".out.part"
    left.mkdir()
    (left / "half").write_text("", encoding="utf-8")
    export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not (tmp_path / "out" / "half").exists()
