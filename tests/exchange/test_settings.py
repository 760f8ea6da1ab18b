"""A config.json is read as transformers reads it, or refused by the name of what is in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.errors import UserError
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.settings import Settings, read_settings
from lit_roberta.model.config import EncoderConfig

OLD_BERT = {
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.2,
    "hidden_size": 48,
    "intermediate_size": 96,
    "max_position_embeddings": 40,
    "num_attention_heads": 4,
    "num_hidden_layers": 3,
    "output_past": True,
    "pruned_heads": {},
    "torchscript": False,
    "type_vocab_size": 2,
    "use_bfloat16": False,
    "vocab_size": 99,
}
"""As transformers wrote it in 2019: without a type, a class, a pad id or an epsilon."""


def read(weight_names: Sequence[str] = (), /, **changes: Any) -> Settings:
    config = {**OLD_BERT, "model_type": "bert", **changes}
    kept = {name: value for name, value in config.items() if value != "absent"}
    return read_settings(kept, weight_names, "config.json")


def test_sizes_and_rates_are_taken_and_the_rest_is_what_transformers_would_take() -> None:
    wanted = EncoderConfig(
        vocab_size=99,
        hidden_size=48,
        num_hidden_layers=3,
        num_attention_heads=4,
        intermediate_size=96,
        hidden_dropout_prob=0.2,
        attention_probs_dropout_prob=0.1,
        max_position_embeddings=40,
        type_vocab_size=2,
        layer_norm_eps=1e-12,
        initializer_range=0.02,
    )
    assert read() == Settings(family="bert", encoder=wanted, pad_id=0)
    roberta = read(model_type="roberta", layer_norm_eps=1e-5, type_vocab_size=1)
    changed = replace(wanted, layer_norm_eps=1e-5, type_vocab_size=1, max_position_embeddings=38)
    assert roberta == Settings(family="roberta", encoder=changed, pad_id=1)


@pytest.mark.parametrize("pad_id", [0, 1, 3])
def test_robertas_positions_begin_behind_the_pad_id(pad_id: int) -> None:
    found = read(model_type="roberta", pad_token_id=pad_id)
    assert found.encoder.max_position_embeddings == 40 - pad_id - 1
    assert read(pad_token_id=pad_id).encoder.max_position_embeddings == 40
    with pytest.raises(UserError, match="max_position_embeddings"):
        read(model_type="roberta", pad_token_id=pad_id, max_position_embeddings=pad_id + 1)


FAMILIES: list[tuple[dict[str, Any], list[str], Family]] = [
    ({"model_type": "xlm-roberta"}, [], "roberta"),
    ({"model_type": "camembert"}, [], "roberta"),
    ({"model_type": "absent", "architectures": ["BertForMaskedLM"]}, [], "bert"),
    ({"model_type": "absent", "architectures": ["XLMRobertaModel"]}, [], "roberta"),
    ({"model_type": "absent"}, ["bert.pooler.dense.bias"], "bert"),
    ({"model_type": "absent"}, ["embeddings.a", "cls.predictions.bias"], "bert"),
    ({"model_type": "absent"}, ["roberta.pooler.dense.bias"], "roberta"),
    ({"model_type": "absent"}, ["embeddings.a", "lm_head.bias"], "roberta"),
]


@pytest.mark.parametrize(("config", "names", "family"), FAMILIES)
def test_the_family_is_told_by_type_by_class_or_by_weights(
    config: dict[str, Any], names: list[str], family: Family
) -> None:
    assert read(names, **config).family == family


STRANGE: list[tuple[str, object]] = [
    ("model_type", "distilbert"),
    ("model_type", ["bert"]),
    ("position_embedding_type", "relative_key_query"),
    ("hidden_act", "gelu_new"),
    ("hidden_act", "relu"),
    ("is_decoder", True),
    ("is_encoder_decoder", True),
    ("add_cross_attention", True),
    ("cross_attention_hidden_size", 64),
    ("pruned_heads", {"0": [1]}),
    ("tie_word_embeddings", False),
    ("quantization_config", {"bits": 4}),
    ("auto_map", {"AutoModel": "code.Model"}),
    ("rope_theta", 10000.0),
    ("embedding_size", 128),
    ("layer_norm_type", "rms"),
    ("hidden_size", "48"),
    ("hidden_size", 48.0),
    ("hidden_size", True),
    ("hidden_size", "absent"),
    ("vocab_size", None),
    ("num_attention_heads", 5),
    ("num_hidden_layers", 0),
    ("layer_norm_eps", 0),
    ("layer_norm_eps", "1e-12"),
    ("hidden_dropout_prob", 1.5),
    ("layer_norm_eps", float("inf")),
    ("architectures", 3),
    ("architectures", "BertModel"),
    ("architectures", [3]),
    ("architectures", {"BertModel": 1}),
]


@pytest.mark.parametrize(("name", "value"), STRANGE, ids=[f"{n} {v}" for n, v in STRANGE])
def test_what_is_not_implemented_or_has_no_sense_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(UserError, match=name) as error:
        read(**{name: value})
    shown = "None" if value == "absent" else str(value)
    assert shown in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", [None, -1, "1", 1.0, True, 99, 2**70])
def test_roberta_needs_a_pad_id(value: object) -> None:
    with pytest.raises(UserError, match="pad_token_id"):
        read(model_type="roberta", pad_token_id=value)


def test_weights_that_tell_no_family_are_asked_about() -> None:
    with pytest.raises(UserError, match="model_type"):
        read(["embeddings.word_embeddings.weight"], model_type="absent")
    with pytest.raises(UserError, match="architectures"):
        read(["bert.a"], model_type="absent", architectures=["GPT2Model"])


def test_whatever_transformers_writes_by_itself_is_known() -> None:
    transformers = pytest.importorskip("transformers", reason="the peer is not installed")
    for name in ("Bert", "Roberta", "XLMRoberta", "Camembert"):
        config = getattr(transformers, f"{name}Config")(vocab_size=99)
        found = read_settings(json.loads(config.to_json_string(use_diff=False)), [], "it")
        assert found.family == ("bert" if name == "Bert" else "roberta")
        for field in ("hidden_size", "intermediate_size", "layer_norm_eps", "type_vocab_size"):
            assert getattr(found.encoder, field) == getattr(config, field)
        assert found.pad_id == config.pad_token_id


def test_the_real_old_one_is_read() -> None:
    path = Path("../shared/data/models/rxnfp_bert_pretrained/config.json")
    if not path.is_file():
        pytest.skip("the real model is not here")
    found = read_settings(json.loads(path.read_text()), ["bert.pooler.dense.bias"], str(path))
    assert (found.encoder.num_hidden_layers, found.encoder.vocab_size) == (12, 591)
