from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from lit_roberta.errors import UserError
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.optimizer import (
    OptimizerConfig,
    build_optimizer,
    order_by_name,
    parameter_groups,
)

CONFIG = OptimizerConfig(weight_decay=0.1)


def tiny(*, next_sentence: bool = False) -> BertModel:
    encoder = EncoderConfig(
        vocab_size=20,
        hidden_size=8,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
    )
    return BertModel(encoder, next_sentence=next_sentence)


def names(group: dict[str, Any]) -> set[str]:
    return {name for name, _ in group["params"]}


@pytest.mark.parametrize("next_sentence", [False, True])
def test_groups_hold_every_parameter_once(next_sentence: bool) -> None:
    model = tiny(next_sentence=next_sentence)
    groups = parameter_groups(model, CONFIG)
    grouped = [parameter for group in groups for _, parameter in group["params"]]
    assert len(grouped) == len({id(parameter) for parameter in grouped})
    assert {id(p) for p in grouped} == {id(p) for p in model.parameters()}


def test_only_matrices_decay() -> None:
    model = tiny(next_sentence=True)
    decayed, kept = parameter_groups(model, CONFIG)
    assert decayed["weight_decay"] == 0.1
    assert kept["weight_decay"] == 0.0
    parameters = dict(model.named_parameters())
    assert all(parameters[name].ndim == 2 for name in names(decayed))
    norms = {
        f"{name}.{part}"
        for name, module in model.named_modules()
        if isinstance(module, nn.LayerNorm)
        for part in ("weight", "bias")
    }
    assert norms <= names(kept)
    assert {name for name in parameters if name.endswith("bias")} <= names(kept)


def test_groups_go_by_the_module_not_by_its_name() -> None:
    class Renamed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear_but_called_norm = nn.Linear(3, 3)
            self.looks_like_a_matrix = nn.LayerNorm([2, 3])

    decayed, kept = parameter_groups(Renamed(), CONFIG)
    assert names(decayed) == {"linear_but_called_norm.weight"}
    assert "looks_like_a_matrix.weight" in names(kept)


class Pair(nn.Module):
    """Two layers of the same shape, built in either order."""

    def __init__(self, *, swapped: bool = False) -> None:
        super().__init__()
        self.first: nn.Linear
        self.second: nn.Linear
        for name in ("second", "first") if swapped else ("first", "second"):
            setattr(self, name, nn.Linear(2, 2, bias=False))


def trained(module: Pair) -> torch.optim.AdamW:
    optimizer = build_optimizer(module, CONFIG, fused=False)
    (module.first(torch.ones(2)).sum() * 3).backward()
    optimizer.step()
    return optimizer


def test_moments_follow_the_names_when_layers_change_places() -> None:
    state = trained(Pair()).state_dict()
    moved = Pair(swapped=True)
    order_by_name(state, moved, CONFIG)
    optimizer = build_optimizer(moved, CONFIG, fused=False)
    optimizer.load_state_dict(state)
    assert "exp_avg" in optimizer.state[moved.first.weight]
    assert "exp_avg" not in optimizer.state[moved.second.weight]


def test_other_parameters_are_refused_by_name() -> None:
    state = trained(Pair()).state_dict()
    other = nn.Linear(2, 2, bias=False)
    with pytest.raises(UserError, match=r"hold this model's parameters.*first\.weight"):
        order_by_name(state, other, CONFIG)


@pytest.mark.parametrize(
    ("name", "value"),
    [("lr", 0.0), ("lr", -1.0), ("eps", -1.0), ("weight_decay", -0.1), ("clip_norm", -1.0)],
)
def test_impossible_settings_are_refused(name: str, value: float) -> None:
    with pytest.raises(UserError, match=rf"model\.optimizer\.{name} must"):
        OptimizerConfig(**{name: value})  # type: ignore[arg-type]


def test_each_layer_has_its_own_rate_and_the_head_the_full_one() -> None:
    model = tiny()
    groups = parameter_groups(model, OptimizerConfig(layer_decay=0.5))
    grouped = [name for group in groups for name, _ in group["params"]]
    assert sorted(grouped) == sorted(name for name, _ in model.named_parameters())
    scales = {name: group["lr_scale"] for group in groups for name, _ in group["params"]}
    assert scales["masked_lm_head.bias"] == 1.0
    assert scales["encoder.layers.1.attention.output.weight"] == 0.5
    assert scales["encoder.layers.0.attention.output.weight"] == 0.25
    assert scales["embeddings.token.weight"] == 0.125
    plain = parameter_groups(model, OptimizerConfig())
    decayed = {name: group["weight_decay"] for group in plain for name, _ in group["params"]}
    assert decayed == {
        name: group["weight_decay"] for group in groups for name, _ in group["params"]
    }


def test_a_run_with_one_rate_can_not_go_on_with_many() -> None:
    model = tiny()
    state = build_optimizer(model, OptimizerConfig(), fused=False).state_dict()
    with pytest.raises(UserError, match="layer_decay must stay 1"):
        order_by_name(state, model, OptimizerConfig(layer_decay=0.9))
