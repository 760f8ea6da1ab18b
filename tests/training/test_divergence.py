from __future__ import annotations

import logging
import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from lit_roberta.errors import UserError
from lit_roberta.training.divergence import PATIENCE, SkippedUpdates


def train(losses: list[Callable[[Tensor], Tensor]]) -> tuple[list[float], SkippedUpdates]:
    """Make an update a loss; give the weight after each."""
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.AdamW([weight], lr=0.1, fused=True)
    skipped, weights = SkippedUpdates(), []
    for loss in losses:
        optimizer.zero_grad()
        loss(weight).sum().backward()  # type: ignore[no-untyped-call]
        skipped.judge(optimizer, torch.nn.utils.clip_grad_norm_([weight], 1.0))
        optimizer.step()
        weights.append(float(weight.detach()))
    return weights, skipped


def good(weight: Tensor) -> Tensor:
    return weight


def bad(weight: Tensor) -> Tensor:
    return weight * math.nan


def test_update_without_a_finite_gradient_changes_neither_weights_nor_moments() -> None:
    straight, _ = train([good, good])
    weights, skipped = train([good, bad, bad, good])
    assert weights == [straight[0], straight[0], straight[0], straight[1]]
    assert skipped.state_dict() == {"total": 2, "in_a_row": 0}


def test_each_skipped_update_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    _, skipped = train([good, bad, good])
    with caplog.at_level(logging.WARNING):
        skipped.report(3)
        skipped.report(4)
    assert [record.getMessage() for record in caplog.records] == [
        "By update 3, 1 were left out: their gradient was not finite."
    ]


def test_run_without_a_finite_gradient_is_given_up() -> None:
    _, skipped = train([bad] * (PATIENCE - 1))
    skipped.report(PATIENCE - 1)
    resumed = SkippedUpdates()
    resumed.load_state_dict(skipped.state_dict())
    weight = torch.nn.Parameter(torch.ones(1))
    resumed.judge(torch.optim.AdamW([weight], fused=True), torch.tensor(math.inf))
    with pytest.raises(UserError, match=r"The run has diverged: .* Lower --model\.optimizer\.lr"):
        resumed.report(PATIENCE)


def test_optimizer_that_can_not_skip_is_left_alone() -> None:
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.AdamW([weight], fused=False)
    skipped = SkippedUpdates()
    weight.grad = torch.ones(1)
    skipped.judge(optimizer, torch.tensor(1.0))
    optimizer.step()  # one that is not fused refuses the flag
    assert skipped.state_dict()["total"] == 0
