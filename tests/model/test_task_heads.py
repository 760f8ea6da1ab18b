"""The heads of tasks: where they drop, what they read, and what they start from."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.model.bert import BertModel
from lit_roberta.model.task_heads import TASK_KINDS, TaskKind, TaskModel
from tests.model.examples import CLS, VOCAB, randomize, tiny_config

OUTPUTS = {"question-answering": 2, "multiple-choice": 1}


def model_of(kind: TaskKind, *, randomized: bool = True, **more: Any) -> TaskModel:
    model = TaskModel(tiny_config(), kind=kind, num_outputs=OUTPUTS.get(kind, 3), **more)
    if randomized:
        randomize(model)
    return model


def ids_of(*shape: int) -> Tensor:
    ids = torch.randint(5, VOCAB, shape, generator=torch.Generator().manual_seed(0))
    ids[..., 0] = CLS
    return ids


@pytest.mark.parametrize("kind", TASK_KINDS)
@pytest.mark.parametrize("drops_twice", [False, True])
def test_it_drops_in_training_and_where_the_head_has_a_layer_for_it(
    kind: TaskKind, drops_twice: bool
) -> None:
    """At rate 1 nothing but biases is left behind a place that drops."""
    model = model_of(kind, rate=1.0, drops_twice=drops_twice)
    seen: dict[str, Tensor] = {}
    for name, module in model.task_head.named_children():
        module.register_forward_hook(
            lambda m, inputs, o, name=name: seen.update({name: inputs[0]})
        )
    ids = ids_of(2, 3, 9) if kind == "multiple-choice" else ids_of(2, 9)
    kept = model.eval()(ids)
    assert all(bool(each.any()) for each in seen.values())
    dropped = model.train()(ids)
    if kind == "question-answering":  # BERT's has no dropout
        assert torch.equal(dropped, kept)
        return
    assert not seen["classifier"].any()
    bias = model.task_head.classifier.bias
    assert_close(dropped, bias.expand_as(dropped))
    if "dense" in seen:
        assert bool(seen["dense"].any()) is not drops_twice


@pytest.mark.parametrize("kind", TASK_KINDS)
def test_the_last_layer_works_only_where_the_head_reads(kind: TaskKind) -> None:
    model = model_of(kind)
    seen: list[int] = []
    for layer in model.encoder.layers:
        layer.feed_forward.register_forward_hook(  # type: ignore[union-attr]
            lambda _, inputs, __: seen.append(inputs[0].shape[:-1].numel())
        )
    ids = ids_of(2, 3, 9) if kind == "multiple-choice" else ids_of(2, 9)
    model(ids)
    rows = ids.shape[:-1].numel()
    assert seen == [ids.numel(), rows if model.task_head.reads_cls else ids.numel()]


@pytest.mark.parametrize("kind", TASK_KINDS)
def test_an_exported_graph_takes_any_sizes(kind: TaskKind) -> None:
    model = model_of(kind).eval().requires_grad_(False)
    choices = (3,) if kind == "multiple-choice" else ()

    def inputs(rows: int, seq: int) -> tuple[Tensor, Tensor, Tensor]:
        ids = ids_of(rows, *choices, seq)
        return ids, torch.zeros_like(ids), torch.arange(seq).expand_as(ids) < seq - 1

    sizes = {0: torch.export.Dim("rows"), 1 + len(choices): torch.export.Dim("seq", max=24)}
    graph = torch.export.export(model, inputs(4, 7), dynamic_shapes=(sizes,) * 3).module()
    found, wanted = graph(*inputs(2, 11)), model(*inputs(2, 11))
    real = slice(None) if model.task_head.reads_cls else slice(-1)  # the last place is padding
    assert_close(found[:, real], wanted[:, real])


def test_its_rate_is_the_encoders_where_none_is_given() -> None:
    config = tiny_config(hidden_dropout_prob=0.25)
    rates = {}
    for rate in (None, 0.0, 0.5):
        head = TaskModel(config, kind="token-classification", num_outputs=3, rate=rate).task_head
        rates[rate] = head.rate
    assert rates == {None: 0.25, 0.0: 0.0, 0.5: 0.5}


def test_each_choice_is_judged_by_itself() -> None:
    model = model_of("multiple-choice").eval()
    ids = ids_of(2, 4, 9)
    mask = torch.ones_like(ids, dtype=torch.bool)
    mask[:, 1:, 5:] = False
    segments = (torch.arange(9) > 3).long().expand_as(ids)
    logits = model(ids, segments, mask)
    assert logits.shape == (2, 4)
    for row in range(2):
        for choice in range(4):
            alone = [each[row : row + 1, choice : choice + 1] for each in (ids, segments, mask)]
            assert_close(model(*alone)[0, 0], logits[row, choice])


@pytest.mark.parametrize("kind", TASK_KINDS)
def test_the_encoder_starts_as_that_of_pretraining_and_draws_from_nobody(kind: TaskKind) -> None:
    before = torch.random.get_rng_state()
    model = model_of(kind, randomized=False, seed=3)
    assert torch.equal(torch.random.get_rng_state(), before)
    wanted = BertModel(tiny_config(), seed=3).state_dict()
    for name, weight in model.state_dict().items():
        if name.startswith("task_head."):
            assert bool(weight.any()) is name.endswith("weight"), name
        else:
            assert torch.equal(weight, wanted[name]), name
    other = model_of(kind, randomized=False, seed=4)
    assert not torch.equal(other.task_head.classifier.weight, model.task_head.classifier.weight)
