from __future__ import annotations

import pytest
import torch
from torch import Tensor
from torch.testing import assert_close

from lit_roberta.model.dropout import add_dropped, dropout

COUNT = 400_000


def seeded_dropout(values: Tensor, rate: float, seed: int = 0) -> Tensor:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return dropout(values, rate)


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
def test_the_rate_holds_and_the_mean_is_kept(rate: float) -> None:
    dropped = seeded_dropout(torch.ones(COUNT), rate)
    deviation = (rate * (1 - rate) / COUNT) ** 0.5
    assert abs((dropped == 0).double().mean() - rate) < 5 * deviation
    assert abs(dropped.double().mean() - 1) < 5 * deviation / (1 - rate)
    kept = dropped[dropped != 0]
    assert_close(kept, torch.full_like(kept, 1 / (1 - rate)), rtol=2e-4, atol=0)  # 16-bit rate


def test_elements_are_dropped_independently() -> None:
    # Four elements share a 64-bit draw: neighbours at every distance must not know of each other.
    is_dropped = (seeded_dropout(torch.ones(COUNT), 0.5) == 0).double() - 0.5
    for distance in (1, 2, 3, 4, 8):
        correlation = 4 * (is_dropped[distance:] * is_dropped[:-distance]).mean()
        assert abs(correlation) < 5 / COUNT**0.5, distance


@pytest.mark.parametrize("shape", [(1,), (3,), (5, 7), (2, 3, 4, 5)])
def test_any_shape_is_served(shape: tuple[int, ...]) -> None:
    values = torch.ones(shape)
    assert seeded_dropout(values, 0.5).shape == shape
    assert set(seeded_dropout(values, 0.5).flatten().tolist()) <= {0.0, 2.0}


def test_a_strided_input_is_served() -> None:
    values = torch.arange(1.0, 25.0).view(4, 6)
    dropped = seeded_dropout(values.T, 0.5)
    assert torch.equal(dropped, torch.where(dropped == 0, 0, values.T * 2))


def test_the_draw_follows_the_seed_and_not_the_number_of_threads() -> None:
    values, threads = torch.ones(COUNT), torch.get_num_threads()
    try:
        torch.set_num_threads(1)
        alone = seeded_dropout(values, 0.1)
        torch.set_num_threads(2)
        assert torch.equal(seeded_dropout(values, 0.1), alone)
    finally:
        torch.set_num_threads(threads)
    assert not torch.equal(seeded_dropout(values, 0.1, seed=1), alone)


def test_without_training_or_rate_nothing_happens() -> None:
    values, before = torch.randn(10), torch.get_rng_state()
    assert dropout(values, 0.5, training=False) is values
    assert dropout(values, 0.0) is values
    assert torch.equal(add_dropped(values, values, 0.0), 2 * values)
    assert torch.equal(torch.get_rng_state(), before)


def test_rate_one_drops_all() -> None:
    values = torch.ones(10, requires_grad=True)
    dropped = seeded_dropout(values, 1.0)
    dropped.sum().backward()  # type: ignore[no-untyped-call]
    assert values.grad is not None
    assert dropped.count_nonzero() == values.grad.count_nonzero() == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_the_gradient_passes_where_the_value_did(dtype: torch.dtype) -> None:
    values = torch.randn(1000).to(dtype).requires_grad_()
    residual = torch.randn(1000).to(dtype).requires_grad_()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        added = add_dropped(residual, values, 0.5)
    factors = seeded_dropout(torch.ones(1000, dtype=dtype), 0.5)
    assert added.dtype == dtype
    assert_close(added, residual + values * factors)
    added.sum().backward()  # type: ignore[no-untyped-call]
    assert_close(values.grad, factors)
    assert_close(residual.grad, torch.ones_like(factors))
