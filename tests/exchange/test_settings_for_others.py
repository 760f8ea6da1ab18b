"""What is written says everything that has an effect, and keeps what has none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.exchange.settings import read_settings
from lit_roberta.exchange.settings_for_others import settings_for_others
from tests.exchange.folders import their_config, tiny_pretrained, tiny_tokenizer

WITH_EFFECT = {
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


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("pad_id", [0, 1, 3])
def test_everything_with_an_effect_is_said_and_read_back(family: Family, pad_id: int) -> None:
    drawn = tiny_pretrained(family, pad_id=pad_id, layer_norm_eps=1e-3, initializer_range=0.3)
    config = their_config(drawn)
    assert config.keys() >= WITH_EFFECT
    found = read_settings(config, [], "config.json")
    assert found.encoder == replace(drawn.encoder, tanh_pooler=False)
    assert (found.family, found.pad_id) == (family, pad_id)
    rows = drawn.encoder.max_position_embeddings + (pad_id + 1 if family == "roberta" else 0)
    assert config["max_position_embeddings"] == rows


def test_robertas_control_tokens_are_named() -> None:
    tokenizer = tiny_tokenizer()
    drawn = replace(tiny_pretrained("roberta"), tokenizer=tokenizer)
    config = their_config(drawn)
    vocabulary = tokenizer.vocabulary
    assert config["bos_token_id"] == vocabulary.cls_id
    assert config["eos_token_id"] == vocabulary.sep_id


def written(family: Family, dtype: torch.dtype, /, **config: Any) -> dict[str, Any]:
    drawn = replace(tiny_pretrained("roberta"), config={"model_type": "xlm-roberta", **config})
    return settings_for_others(
        drawn,
        architecture="RobertaForMaskedLM" if family == "roberta" else "BertForMaskedLM",
        family=family,
        encoder=drawn.encoder,
        dtype=dtype,
    )


def test_a_type_is_kept_at_home_and_left_behind_elsewhere() -> None:
    config = written("roberta", torch.float32, id2label={"0": "x"}, eos_token_id=9)
    assert config["model_type"] == "xlm-roberta"
    assert config["architectures"] == ["XLMRobertaForMaskedLM"]
    assert config["eos_token_id"] == 9
    other = written("bert", torch.float32, id2label={"0": "x"}, eos_token_id=9)
    assert other["model_type"] == "bert"
    assert other["architectures"] == ["BertForMaskedLM"]
    assert not {"id2label", "eos_token_id"} & other.keys()


@pytest.mark.parametrize("name", ["dtype", "torch_dtype"])
def test_the_type_of_numbers_is_that_of_the_weights(name: str) -> None:
    """transformers takes the numbers as the type that is named: training makes others of them."""
    config = written("roberta", torch.float32, **{name: "float16"})
    assert config[name] == "float32"
    assert {"dtype", "torch_dtype"} & config.keys() == {name}
