"""Up to where a loss is no sign of divergence, from the losses of the run so far.

A loss has exploded when it lies 5 nats above the best stretch of the run so far. At rates that are
merely too high it climbs by up to 3 and comes back by itself (the toy corpus at 15 times the best
rate); where it does not come back it climbs by hundreds. Before any stretch, a uniform guess
(ln V) is the best; a run that starts above that starts from its own first loss. Small updates have
losses that jump by themselves, so the distance is at least eight times the usual change from one
update to the next.

In: a loss. Out: whether it is good, and the limit. The rule stands here twice, for numbers of the
host and for tensors of a device that nothing waits for; a test holds the two together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from lit_roberta.training.numbers import Number

MARGIN = 5.0
"""Nats above the best stretch at which a loss has exploded, at least."""
USUAL_CHANGES = 8.0
"""The same in mean changes from an update to the next: 9 standard deviations of normal noise."""
_RATE = 0.02
"""Weight of an update in the running means, which so look at some fifty updates."""


class Losses(NamedTuple):
    """What is kept of the losses so far, in nats: numbers of the host, or of one device."""

    best: Number
    """The lowest that the mean has been."""
    mean: Number
    """Running mean over good updates."""
    previous: Number
    """Of the last good update."""
    change: Number
    """Running mean of the change from a good update to the next."""

    @classmethod
    def before_any(cls, uniform: float) -> Losses:
        """Start from the loss of a uniform guess."""
        return cls(uniform, uniform, uniform, 0.0)


class Judged(NamedTuple):
    """What was found of an update."""

    is_bad: bool | Bool[Tensor, ""]
    limit: Number
    """In nats."""
    losses: Losses
    """With this update's."""


def judge_at_once(
    losses: Losses, loss: float, other: float, *, is_first: bool, margin: float = MARGIN
) -> Judged:
    """Judge an update by numbers of the host.

    Args:
        losses: Of the updates before.
        loss: Mean over the update's masked tokens, in nats.
        other: A number that has to be finite, too.
        is_first: Whether no update came before.
        margin: Nats above the best stretch; infinite where no loss is too high.
    """
    best, mean, previous, change = map(float, losses)
    if is_first:
        previous = loss if math.isfinite(loss) else previous
        best = mean = max(mean, previous)
    limit = best + max(USUAL_CHANGES * change, margin)
    is_good = loss <= limit and math.isfinite(loss + other)
    seen = loss if is_good else previous
    change += _RATE * (abs(seen - previous) - change)
    mean += _RATE * (seen - mean)
    return Judged(not is_good, limit, Losses(min(best, mean), mean, seen, change))


def judge_on_device(
    losses: Losses, loss: Tensor, other: Number, *, is_first: bool, margin: float = MARGIN
) -> Judged:
    """Judge an update as `judge_at_once` does, without waiting for the device.

    Args:
        losses: As there.
        loss: As there, on the device.
        other: As there.
        is_first: As there.
        margin: As there.
    """
    best, mean, previous, change = (torch.as_tensor(each, device=loss.device) for each in losses)
    if is_first:
        previous = torch.where(loss.isfinite(), loss, previous)
        best = mean = torch.maximum(mean, previous)
    limit = best + (USUAL_CHANGES * change).clamp(min=margin)
    is_good = (loss <= limit) & (loss + other).isfinite()
    seen = torch.where(is_good, loss, previous)
    change = change.lerp((seen - previous).abs(), _RATE)
    mean = mean.lerp(seen, _RATE)
    losses = Losses(torch.minimum(best, mean), mean, seen, change)
    return Judged(is_good.logical_not(), limit, losses)
