"""Updates that would do harm: found on the device before their step, left out, told by number.

An update is bad if its loss or its gradient is not finite, or if its loss has exploded
(`loss_limit`). One such update can make every weight NaN, and the next checkpoint with it. Leaving
its step out costs nothing, because the optimizer's kernel looks at a flag on the device; nothing
waits for it. What follows from bad updates is `guard`'s to decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool
from torch import Tensor

from lit_roberta.training.loss_limit import MARGIN, Losses, judge_at_once, judge_on_device
from lit_roberta.training.numbers import Number, read_all

MOST_UNREAD = 128
"""Verdicts that may lie on the device unread."""


class BadUpdate(NamedTuple):
    """An update that was left out."""

    number: int
    loss: float
    """Mean over its masked tokens, in nats."""
    limit: float
    """The loss from which on it counts as exploded."""

    def __str__(self) -> str:
        if not math.isfinite(self.loss):
            return f"its loss is {self.loss}"
        if self.loss <= self.limit:
            return f"its gradient is not finite, at a loss of {self.loss:.3f}"
        return f"its loss of {self.loss:.3f} lies above the limit of {self.limit:.3f}"


class RollBack(Exception):  # noqa: N818 - nothing went wrong that is not being mended
    """Leave the trainer's loop, and go back to a checkpoint without some updates."""

    def __init__(self, checkpoint: Path, bad: Sequence[BadUpdate]) -> None:
        super().__init__(f"back to {checkpoint}, without {[update.number for update in bad]}")
        self.checkpoint = checkpoint
        self.numbers = [update.number for update in bad]


class _Verdict(NamedTuple):
    """What is not read yet."""

    number: int
    is_bad: bool | Bool[Tensor, ""]
    loss: Number
    limit: Number


class DivergenceWatch:
    """Judge each update before its step, on the device.

    Args:
        uniform_loss: Of a guess that gives all tokens the same probability: ln V, in nats.
        margin: How far above the best stretch a loss may lie, in nats. Infinite: as far as it
            likes, so that only what is not finite is bad.
    """

    def __init__(self, *, uniform_loss: float, margin: float = MARGIN) -> None:
        self._margin = margin
        self.left_out: frozenset[int] = frozenset()
        """Numbers of updates that are passed over, because they were bad before a rollback."""
        self.rollbacks = 0
        """How often the run went back to a checkpoint."""
        self._in_a_row = 0
        self._has_begun = False
        self._is_fused = True
        self._losses = Losses.before_any(uniform_loss)
        self._unread: list[_Verdict] = []

    @property
    def num_unread(self) -> int:
        """Updates since the last look; reading what was found of them waits for the device."""
        return len(self._unread)

    @property
    def in_a_row(self) -> int:
        """Bad updates up to the newest that was read."""
        return self._in_a_row

    def could_leave_out(self, update: BadUpdate) -> bool:
        """Tell whether the optimizer was able to leave a bad update's step out."""
        return self._is_fused or not math.isfinite(update.loss)

    def judge(
        self,
        optimizer: torch.optim.Optimizer,
        *,
        number: int,
        loss: Number,
        grad_norm: Number,
    ) -> None:
        """Have the optimizer leave out its next step if the update is bad.

        A bad update is counted like any other: it has seen its text, and the learning rate goes
        on. Moments and weights stay as they were.

        Args:
            optimizer: About to step. One that is not fused can't look at the flag; under 16-bit
                precision, Lightning's scaler leaves out a step whose gradient is not finite, as it
                does while it looks for its scale, so that alone is not bad there.
            number: Of the update.
            loss: Mean over its masked tokens, in nats; the same on all ranks.
            grad_norm: Norm of the whole gradient.
        """
        self._is_fused = is_fused = bool(optimizer.defaults.get("fused"))
        judge: Any = judge_on_device if isinstance(loss, Tensor) else judge_at_once
        other = grad_norm if is_fused else 0.0
        is_bad, limit, self._losses = judge(
            self._losses, loss, other, is_first=not self._has_begun, margin=self._margin
        )
        self._has_begun = True
        if is_fused:
            optimizer.found_inf = _flag(is_bad)  # type: ignore[attr-defined]
        self._unread.append(_Verdict(number, is_bad, loss, limit))

    def read(self) -> list[BadUpdate]:
        """Give the bad updates since the last look. This waits for the device."""
        unread, self._unread = self._unread, []
        found = read_all([verdict.is_bad for verdict in unread])
        for is_bad in found:
            self._in_a_row = self._in_a_row + 1 if is_bad else 0
        return [
            BadUpdate(verdict.number, float(verdict.loss), float(verdict.limit))
            for verdict, is_bad in zip(unread, found, strict=True)
            if is_bad
        ]

    # ---- state

    def state_dict(self) -> dict[str, Any]:
        """Give all of it as plain numbers. What was not read is not in it: read it first."""
        return {
            "left_out": sorted(self.left_out),
            "rollbacks": self.rollbacks,
            "in_a_row": self._in_a_row,
            "has_begun": self._has_begun,
            "means": [float(number) for number in self._losses],
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from stored numbers; what was not read is void."""
        self.left_out = frozenset(state["left_out"])
        self.rollbacks = state["rollbacks"]
        self._in_a_row = state["in_a_row"]
        self._has_begun = state["has_begun"]
        self._losses = Losses(*state["means"])
        self._unread = []


def _flag(is_bad: bool | Tensor) -> Tensor | None:
    """Give what a fused optimizer looks at before it steps; None: it steps without a look."""
    if isinstance(is_bad, Tensor):
        return is_bad.float()
    return torch.ones(()) if is_bad else None


def leave_out(state: dict[str, Any], numbers: Iterable[int]) -> None:
    """Have a stored watch pass over updates from now on, for a rollback to it.

    Args:
        state: What `state_dict` gave; changed in place.
        numbers: The updates.
    """
    state["left_out"] = sorted({*state["left_out"], *numbers})
    state["rollbacks"] += 1
