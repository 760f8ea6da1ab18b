from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from lit_roberta.training.divergence import BadUpdate, DivergenceWatch, leave_out
from lit_roberta.training.loss_limit import MARGIN
from lit_roberta.training.numbers import Number, at_hand

UNIFORM = math.log(1000)

Loss = Callable[[Tensor], Tensor]
Take = Callable[[Tensor], Number]

ON_DEVICE: Take = Tensor.detach
"""What a number is that nothing waits for."""


@pytest.fixture(params=[at_hand, ON_DEVICE], ids=["at hand", "on device"])
def take(request: pytest.FixtureRequest) -> Take:
    """Give numbers as the CPU does, and as other devices do."""
    return request.param


def train(losses: list[Loss], take: Take = at_hand) -> tuple[list[float], DivergenceWatch]:
    """Make an update a loss; give the weight after each."""
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.AdamW([weight], lr=0.1, fused=True)
    watch, weights = DivergenceWatch(uniform_loss=UNIFORM), []
    for number, function in enumerate(losses):
        optimizer.zero_grad()
        loss = function(weight).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_([weight], 1.0)
        watch.judge(optimizer, number=number, loss=take(loss), grad_norm=take(norm))
        optimizer.step()
        weights.append(float(weight.detach()))
    return weights, watch


def good(weight: Tensor) -> Tensor:
    return weight


def not_a_number(weight: Tensor) -> Tensor:
    return weight * math.nan


def endless(weight: Tensor) -> Tensor:
    return weight * math.inf


def exploding(weight: Tensor) -> Tensor:
    return weight * 100


def steep(weight: Tensor) -> Tensor:
    """A finite loss without a finite gradient."""
    return (weight - weight.detach()).abs().sqrt() + 1


BAD = [not_a_number, endless, exploding, steep]


def judge(
    losses: list[float], take: Take = at_hand, *, watch: DivergenceWatch | None = None
) -> list[int]:
    """Give the numbers of the bad updates of a series of losses."""
    watch = watch or DivergenceWatch(uniform_loss=UNIFORM)
    optimizer = torch.optim.AdamW([torch.nn.Parameter(torch.ones(1))], fused=True)
    norm = take(torch.tensor(1.0))
    for number, loss in enumerate(losses):
        watch.judge(optimizer, number=number, loss=take(torch.tensor(loss)), grad_norm=norm)
    return [update.number for update in watch.read()]


@pytest.mark.parametrize("bad", BAD)
def test_bad_update_changes_neither_weights_nor_moments(bad: Loss, take: Take) -> None:
    straight, _ = train([good, good])
    weights, watch = train([good, bad, bad, good], take)
    assert weights == [straight[0], straight[0], straight[0], straight[1]]
    assert [update.number for update in watch.read()] == [1, 2]


def test_bad_first_update_makes_no_later_one_look_bad(take: Take) -> None:
    for bad in BAD[:2]:
        assert [update.number for update in train([bad, good, good], take)[1].read()] == [0]


def test_what_was_bad_is_said(take: Take) -> None:
    found = [str(train([good, bad], take)[1].read()[0]) for bad in BAD]
    assert found[:2] == ["its loss is nan", "its loss is inf"]
    assert found[2].startswith("its loss of 89.9")
    assert found[2].endswith("lies above the limit of 11.790")  # ln V, and what has been learned
    assert found[3].startswith("its gradient is not finite, at a loss of 1.000")


def test_what_was_read_is_not_told_again_and_good_updates_end_a_row(take: Take) -> None:
    _, watch = train([good, not_a_number, not_a_number], take)
    assert watch.num_unread == 3
    assert len(watch.read()) == watch.in_a_row == 2
    assert watch.num_unread == 0
    assert watch.read() == []
    judge([1.0], take, watch=watch)
    assert watch.in_a_row == 0


def noisy(mean: float, *, sigma: float, count: int, seed: int = 0) -> list[float]:
    generator = torch.Generator().manual_seed(seed)
    return (mean + sigma * torch.randn(count, generator=generator)).clamp(min=0).tolist()


@pytest.mark.parametrize("sigma", [0.0, 0.1, 0.5, 2.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_run_that_learns_is_never_bad_however_small_its_updates(sigma: float, seed: int) -> None:
    falling = [UNIFORM * 0.99**number + 1 for number in range(300)]
    noise = noisy(0.0, sigma=1.0, count=300, seed=seed)
    # At first all tokens cost the same, whatever the batch.
    losses = [
        max(0.0, loss + sigma * min(1.0, number / 100) * (jump - 0.4))
        for number, (loss, jump) in enumerate(zip(falling, noise, strict=True))
    ]
    assert judge(losses) == []


@pytest.mark.parametrize("sigma", [0.0, 0.5])
@pytest.mark.parametrize("first", [UNIFORM, 60.0, math.nan, math.inf])
def test_host_and_device_find_the_same(sigma: float, first: float) -> None:
    losses = [first, *noisy(4.0, sigma=sigma, count=300)]
    for place in range(20, 300, 40):  # far on both sides of the limit, and no number at all
        losses[place : place + 4] = [7.0, 90.0, math.nan, math.inf]
    watches = {take: DivergenceWatch(uniform_loss=UNIFORM) for take in (at_hand, ON_DEVICE)}
    found = [judge(losses, take, watch=watch) for take, watch in watches.items()]
    assert found[0] == found[1] != []
    one, other = (watch.state_dict() for watch in watches.values())
    assert one.pop("means") == pytest.approx(other.pop("means"), rel=1e-4)
    assert one == other


@pytest.mark.parametrize("start", [2.0, UNIFORM, 30.0, 500.0])
def test_start_counts_as_it_is(start: float) -> None:
    """Trained weights start low, and large initial weights far above a uniform guess."""
    losses = [max(2.0, start * 0.97**number) for number in range(300)]
    assert judge(losses) == []
    assert judge([*losses, 2.0 + MARGIN - 0.1]) == []
    assert judge([*losses, *[2.0] * 300, 2.0 + MARGIN + 0.1]) == [600]


def test_slow_climb_counts_from_the_best_stretch_and_not_from_the_last() -> None:
    losses = [*[3.0] * 200, *(3.0 + 0.02 * step for step in range(400))]
    first = judge([UNIFORM, *[3.0] * 400, *losses])[0]
    assert 3.0 + MARGIN <= [UNIFORM, *[3.0] * 400, *losses][first] < 3.0 + MARGIN + 0.5


def test_limit_is_the_same_whenever_it_was_read_and_after_a_resume(take: Take) -> None:
    losses = [*noisy(4.0, sigma=0.4, count=40), math.nan, *noisy(4.0, sigma=0.4, count=20), 99.0]
    at_once, piecemeal = (DivergenceWatch(uniform_loss=UNIFORM) for _ in range(2))
    judge(losses, take, watch=at_once)
    for loss in losses:
        judge([loss], take, watch=piecemeal)
        resumed = DivergenceWatch(uniform_loss=1.0)
        resumed.load_state_dict(piecemeal.state_dict())
        piecemeal = resumed
    assert piecemeal.state_dict() == at_once.state_dict()
    assert at_once.state_dict()["means"][2] == pytest.approx(losses[-2])


def test_optimizer_that_can_not_look_is_left_alone(take: Take) -> None:
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.AdamW([weight], fused=False)
    watch = DivergenceWatch(uniform_loss=UNIFORM)
    weight.grad = torch.ones(1)
    # The scaler of 16-bit precision looks for its scale by such gradients.
    one, endless_norm = take(torch.tensor(1.0)), take(torch.tensor(math.inf))
    watch.judge(optimizer, number=0, loss=one, grad_norm=endless_norm)
    optimizer.step()  # one that is not fused refuses the flag
    assert watch.read() == []
    watch.judge(optimizer, number=1, loss=take(torch.tensor(99.0)), grad_norm=one)
    (update,) = watch.read()
    assert not watch.could_leave_out(update)
    assert watch.could_leave_out(BadUpdate(2, math.nan, 8.0))


def test_stored_watch_passes_over_what_it_is_told() -> None:
    state = DivergenceWatch(uniform_loss=UNIFORM).state_dict()
    leave_out(state, [7, 5])
    leave_out(state, [5, 9])
    watch = DivergenceWatch(uniform_loss=UNIFORM)
    watch.load_state_dict(state)
    assert watch.left_out == {5, 7, 9}
    assert watch.rollbacks == 2
