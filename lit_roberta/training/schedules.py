"""The learning rate of an update, as a share of its peak: pure functions of the update's number.

There is no scheduler object. A rate that is computed from `update / total` needs no state in a
checkpoint and can't fall out of step with the updates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lit_roberta.errors import must

ScheduleKind = Literal["linear", "polynomial", "cosine", "constant", "warmup-stable-decay"]


@dataclass(frozen=True, kw_only=True)
class ScheduleConfig:
    """How the learning rate rises and falls over a run."""

    kind: ScheduleKind = "linear"
    """What follows the warm-up: linear decay, (1 - t)^power, half a cosine, nothing, or a plateau
    with a linear end."""
    warmup_share: float = 0.06
    """Share of the run's updates in which the rate rises to its peak (RoBERTa's 6%)."""
    warmup_updates: int | None = None
    """The warm-up in updates, in place of warmup_share."""
    power: float = 2.0
    """Of the polynomial decay."""
    decay_share: float = 0.2
    """Share of the run in which warmup-stable-decay falls to zero."""

    def __post_init__(self) -> None:
        for name in ("warmup_share", "decay_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise must(
                    f"model.schedule.{name}",
                    "lie between 0 and 1",
                    getattr(self, name),
                    "For 6%, give 0.06.",
                )
        if self.warmup_updates is not None and self.warmup_updates < 0:
            raise must(
                "model.schedule.warmup_updates", "be 0 or more", self.warmup_updates, "0 is none."
            )
        if self.power <= 0:
            raise must("model.schedule.power", "be above 0", self.power, "1 is linear decay.")

    def num_warmup_updates(self, total: int) -> int:
        """Give the warm-up's length in a run of `total` updates; never longer than the run."""
        wanted = self.warmup_updates
        return min(total, round(self.warmup_share * total) if wanted is None else wanted)


def learning_rate_factor(update: int, *, total: int, schedule: ScheduleConfig) -> float:
    """Compute the learning rate of an update, as a share of its peak.

    The warm-up's updates get 1/w, 2/w, ... 1, so that no update has a rate of zero; the decay
    starts behind the peak and would reach zero in the update behind the last.

    Args:
        update: Its number, from 0. Beyond `total` the last rate holds.
        total: Updates of the run.
        schedule: The shape.

    Returns:
        Above 0, at most 1.

    Example:
        >>> linear = ScheduleConfig(warmup_updates=2)
        >>> [learning_rate_factor(update, total=6, schedule=linear) for update in range(6)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    update = min(update, total - 1)
    warmup = schedule.num_warmup_updates(total)
    if update < warmup:
        return (update + 1) / warmup
    if schedule.kind == "warmup-stable-decay":
        return _plateau((total - update) / total, schedule)
    return _DECAYS[schedule.kind]((update - warmup) / (total - warmup), schedule)


def _polynomial(progress: float, schedule: ScheduleConfig) -> float:
    # At power 2, the squared decay eta_0 (1 - t/T)^2.
    return float((1 - progress) ** schedule.power)


def _cosine(progress: float, schedule: ScheduleConfig) -> float:
    return (1 + math.cos(math.pi * progress)) / 2


def _plateau(left: float, schedule: ScheduleConfig) -> float:
    """Give the factor where such a share of the run, warm-up included, lies ahead."""
    if schedule.decay_share == 0:
        return 1.0
    return min(1.0, left / schedule.decay_share)


_DECAYS: dict[ScheduleKind, Callable[[float, ScheduleConfig], float]] = {
    "linear": lambda progress, schedule: 1 - progress,
    "polynomial": _polynomial,
    "cosine": _cosine,
    "constant": lambda progress, schedule: 1.0,
}
"""By kind: the factor where such a share of what follows the warm-up is done."""
