from __future__ import annotations

import re

import pytest
import torch
from torch import Tensor, nn

from lit_roberta.errors import UserError
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.weights import to_ours, to_theirs
from lit_roberta.model.bert import BertModel
from tests.model.examples import randomize, tiny_config
from tests.model.peers import build

KINDS: list[tuple[str, Family, int]] = [
    ("BertForPreTraining", "bert", 0),
    ("BertForMaskedLM", "bert", 0),
    ("BertModel", "bert", 0),
    ("RobertaForMaskedLM", "roberta", 1),
    ("RobertaModel", "roberta", 1),
]


def peer(kind: str) -> nn.Module:
    model: nn.Module = build(kind, BertModel(tiny_config()))
    randomize(model)
    return model


def stored(model: nn.Module) -> dict[str, Tensor]:
    return {name: weight.clone() for name, weight in model.state_dict().items()}


@pytest.mark.parametrize(("kind", "family", "pad_id"), KINDS)
def test_there_and_back_changes_no_bit(kind: str, family: Family, pad_id: int) -> None:
    theirs = peer(kind)
    there = to_ours(stored(theirs), family=family, num_layers=2, pad_id=pad_id)
    back = to_theirs(there.weights, there.unused, family=family, num_layers=2, pad_id=pad_id)
    parameters = dict(theirs.named_parameters())
    if kind.endswith("Model"):
        back = {name.removeprefix(f"{family}."): weight for name, weight in back.items()}
    assert back.keys() == parameters.keys()
    for name, weight in back.items():
        assert torch.equal(weight, parameters[name]), name


@pytest.mark.parametrize(("kind", "family", "pad_id"), KINDS)
def test_a_weight_that_has_no_place_is_refused_by_name(
    kind: str, family: Family, pad_id: int
) -> None:
    weights = stored(peer(kind)) | {
        "encoder.layer.0.attention.self.distance_embedding": torch.ones(1)
    }
    with pytest.raises(UserError, match="distance_embedding"):
        to_ours(weights, family=family, num_layers=2, pad_id=pad_id)
    with pytest.raises(UserError, match=r"encoder\.layer\.1"):
        to_ours(stored(peer(kind)), family=family, num_layers=1, pad_id=pad_id)


@pytest.mark.parametrize(("kind", "family", "pad_id"), KINDS)
def test_each_weight_that_is_missing_is_named(kind: str, family: Family, pad_id: int) -> None:
    whole = stored(peer(kind))
    tied = {name for name in whole if ".decoder." in name}
    for name in whole.keys() - tied:
        if ("word_embeddings" in name and tied) or name in (
            "cls.predictions.bias",
            "lm_head.bias",
        ):
            continue  # its second name gives it
        weights = {other: weight.clone() for other, weight in whole.items() if other != name}
        with pytest.raises(UserError, match=re.escape(name.removeprefix(f"{family}."))):
            to_ours(weights, family=family, num_layers=2, pad_id=pad_id)


def test_a_decoder_of_its_own_is_refused() -> None:
    weights = stored(peer("BertForMaskedLM"))
    weights["cls.predictions.decoder.weight"] = weights["cls.predictions.decoder.weight"] + 1
    with pytest.raises(UserError, match="tied"):
        to_ours(weights, family="bert", num_layers=2, pad_id=0)
