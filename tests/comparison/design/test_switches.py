from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.comparison.design.switches import (
    as_setting,
    differing,
    find_switches,
    is_recipe_key,
)

_BERT: dict[str, Any] = {
    "data.format": "sentence-pair",
    "data.batch_size": 16,
    "data.batch_tokens": None,
    "data.batch_ramp.start": None,
    "data.masking.copies": 1,
    "data.masking.rate": 0.15,
    "data.masking.mask_share": 0.8,
    "data.masking.random_share": 0.1,
    "data.tokenizer.kind": "word",
    "data.tokenizer.vocab_size": None,
    "data.corpus": "toy",
    "data.reading.language": "en",
    "data.num_workers": 0,
    "data.micro_batch_size": None,
    "model.next_sentence": True,
    "model.optimizer.lr": 5e-4,
    "model.encoder.hidden_size": 128,
    "model.encoder.num_hidden_layers": 2,
    "model.frequency_weighted_loss": False,
    "model.pretrained": None,
    "trainer.precision": None,
    "compile": False,
}


def _switched(**changes: Any) -> list[tuple[str, list[str], str]]:
    """Give name, settings and judge of what leads from BERT to something changed."""
    found = find_switches(_BERT, {**_BERT, **changes})
    return [(switch.name, [*switch.changes], switch.judge) for switch in found]


def test_settings_that_belong_together_are_one_switch_with_a_name() -> None:
    changes = {
        "data.masking.copies": None,
        "model.next_sentence": False,
        "data.format": "doc-sentences",
        "data.batch_size": None,
        "data.batch_tokens": 4096,
        "data.batch_ramp.start": 8,
        "model.optimizer.lr": 2e-3,
        "data.tokenizer.kind": "wordpiece",
        "data.tokenizer.vocab_size": 3000,
        "data.masking.random_share": 0.2,
        "data.masking.mask_share": 0.6,
        "data.masking.rate": 0.4,
        "model.encoder.hidden_size": 256,
        "model.encoder.num_hidden_layers": 4,
    }
    batch = ["data.batch_size", "data.batch_tokens", "data.batch_ramp.start", "model.optimizer.lr"]
    assert _switched(**changes) == [
        ("masking copies", ["data.masking.copies"], "loss"),
        ("next-sentence prediction", ["model.next_sentence"], "loss"),
        ("format", ["data.format"], "probes"),
        ("batch size with its learning rate", batch, "loss"),
        ("tokenizer", ["data.tokenizer.kind", "data.tokenizer.vocab_size"], "probes"),
        ("masking rate", ["data.masking.rate"], "probes"),
        ("masking shares", ["data.masking.mask_share", "data.masking.random_share"], "probes"),
        (
            "size of the encoder",
            ["model.encoder.hidden_size", "model.encoder.num_hidden_layers"],
            "loss",
        ),
    ]


def test_a_learning_rate_without_a_batch_is_a_switch_of_its_own() -> None:
    assert _switched(**{"model.optimizer.lr": 1e-3}) == [
        ("learning rate", ["model.optimizer.lr"], "loss")
    ]


def test_weights_that_are_there_bring_their_encoder_and_their_tokenizer() -> None:
    changes = {
        "model.pretrained": "runs/there",
        "model.encoder.hidden_size": 64,
        "data.tokenizer.kind": "wordpiece",
        "model.optimizer.lr": 1e-4,
    }
    assert [(name, len(keys)) for name, keys, _ in _switched(**changes)] == [
        ("initial weights", 3),
        ("learning rate", 1),
    ]


def test_a_setting_that_nobody_has_a_name_for_is_a_switch_all_the_same() -> None:
    changes = {"model.new_idea": 1, "model.a.size": 2, "model.b.size": 3, "data.c.batch": 4}
    assert [name for name, _, _ in _switched(**changes)] == [
        "new idea",
        "model.a.size",  # short names are taken, or would be two
        "model.b.size",
        "data.c.batch",
    ]


@pytest.mark.parametrize(
    "key",
    [
        *("data.corpus", "data.reading.language", "data.num_workers", "data.micro_batch_size"),
        *("trainer.precision", "compile"),
    ],
)
def test_text_and_machine_are_no_recipes(key: str) -> None:
    assert _switched(**{key: "other"}) == []
    assert not is_recipe_key(key)


@given(
    st.dictionaries(st.sampled_from([*_BERT, "model.new", "data.x.y"]), st.integers(), min_size=1)
)
def test_switches_part_all_that_differs_and_lead_to_the_other_recipe(
    changes: dict[str, int],
) -> None:
    other = {**_BERT, **changes}
    switches = find_switches(_BERT, other)
    keys = [key for switch in switches for key in switch.changes]
    assert sorted(keys) == sorted(key for key in differing(_BERT, other) if is_recipe_key(key))
    assert len({switch.slug for switch in switches}) == len(switches)
    assert all(" " not in switch.slug for switch in switches)
    settings = dict(each.split("=", 1) for switch in switches for each in switch.settings())
    assert settings == {key: json.dumps(other[key]) for key in keys}
    back = find_switches(other, _BERT)
    assert [(each.name, sorted(each.changes)) for each in back] == [
        (each.name, sorted(each.changes)) for each in switches
    ]
    assert find_switches(other, other) == []


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "null"),
        (True, "true"),
        (2e-3, "0.002"),
        ("toy", "toy"),
        ([0.9, 0.98], "[0.9, 0.98]"),
    ],
)
def test_a_value_is_written_as_a_command_line_has_it(value: object, written: str) -> None:
    assert as_setting("key", value) == f"key={written}"
