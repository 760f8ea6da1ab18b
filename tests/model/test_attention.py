from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.model.attention import MultiHeadAttention
from tests.model.examples import randomize, tiny_config

MASK = torch.arange(6) < torch.tensor([6, 4, 1])[:, None]


def attention(*, explicit: bool = False, rate: float = 0.0) -> MultiHeadAttention:
    config = tiny_config(attention_probs_dropout_prob=rate)
    module = MultiHeadAttention(config, explicit=explicit)
    randomize(module, std=0.5)
    return module


@pytest.fixture
def hidden_states() -> Tensor:
    return torch.randn(3, 6, 32, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("mask", [None, MASK], ids=["full", "padded"])
def test_the_open_way_equals_the_fast_one(hidden_states: Tensor, mask: Tensor | None) -> None:
    fast, opened = attention(), attention(explicit=True)
    opened.load_state_dict(fast.state_dict())
    quick, none = fast(hidden_states, mask)
    slow, weights = opened(hidden_states, mask)
    assert none is None
    assert_close(quick, slow)
    assert weights.shape == (3, 4, 6, 6)
    assert_close(weights.sum(-1), torch.ones(3, 4, 6))
    if mask is not None:
        assert (weights.masked_select(~mask[:, None, None, :]) == 0).all()


def test_the_weights_are_the_formula_of_the_paper(hidden_states: Tensor) -> None:
    module = attention(explicit=True)
    output, weights = module(hidden_states)
    heads = []
    projected = module.projection(hidden_states)
    for head in range(4):
        query, key, value = (
            projected[..., 32 * part + 8 * head : 32 * part + 8 * (head + 1)] for part in range(3)
        )
        expected = torch.softmax(query @ key.transpose(1, 2) / 8**0.5, dim=-1)
        assert_close(weights[:, head], expected)
        heads.append(expected @ value)
    assert_close(output, module.output(torch.cat(heads, dim=-1)))


@pytest.mark.parametrize("explicit", [False, True])
def test_padding_is_never_read(hidden_states: Tensor, explicit: bool) -> None:
    module = attention(explicit=explicit)
    changed = torch.where(MASK[..., None], hidden_states, 1e4)
    assert torch.equal(module(hidden_states, MASK)[0][MASK], module(changed, MASK)[0][MASK])


@pytest.mark.parametrize("explicit", [False, True])
@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_a_row_of_padding_alone_stays_finite(
    hidden_states: Tensor, explicit: bool, rate: float
) -> None:
    module = attention(explicit=explicit, rate=rate)
    mask = torch.tensor([True, True, False])[:, None].expand(3, 6)
    hidden_states.requires_grad_()
    output = module(hidden_states, mask)[0]
    output.sum().backward()
    assert hidden_states.grad is not None
    assert output.isfinite().all()
    assert hidden_states.grad.isfinite().all()


def test_a_key_bias_changes_nothing_and_has_no_gradient(hidden_states: Tensor) -> None:
    module = attention()
    module(hidden_states)[0].square().sum().backward()
    assert module.projection.bias.grad is not None
    query, key, value = module.projection.bias.grad.chunk(3)
    assert key.norm() < 1e-5 * min(query.norm(), value.norm())


def test_dropout_takes_weights_and_keeps_their_mean(hidden_states: Tensor) -> None:
    module = attention(rate=0.3)
    expected = module.eval()(hidden_states)[0]
    module.train()
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(0)
        draws = torch.stack([module(hidden_states)[0] for _ in range(2000)])
    error = draws.std(0) / len(draws) ** 0.5
    assert ((draws.mean(0) - expected).abs() < 6 * error).all()


@pytest.mark.parametrize("rate", [0.0, 0.1])
def test_only_the_positions_that_read_are_computed(hidden_states: Tensor, rate: float) -> None:
    module = attention(rate=rate).eval()
    chosen = hidden_states[:, [0, 3]]
    assert_close(
        module(hidden_states, MASK, reading=chosen)[0], module(hidden_states, MASK)[0][:, [0, 3]]
    )
