"""Updates whose gradient is not finite: left out, counted, and said.

One such update would make every weight NaN, and the next checkpoint with it. Leaving it out costs
nothing, because the optimizer's kernel looks at a flag on the device; nothing waits for it.
"""

from __future__ import annotations

import logging

import torch
from jaxtyping import Float
from torch import Tensor

from lit_roberta.errors import UserError

logger = logging.getLogger(__name__)

PATIENCE = 20
"""Updates in a row without a finite gradient after which a run is given up."""


class SkippedUpdates:
    """Count the updates that were left out, on the device."""

    def __init__(self) -> None:
        self._total = torch.zeros((), dtype=torch.int64)
        self._in_a_row = torch.zeros((), dtype=torch.int64)
        self._said = 0

    def judge(self, optimizer: torch.optim.Optimizer, grad_norm: Float[Tensor, ""]) -> None:
        """Have the optimizer leave out its next step if the gradient is not finite.

        A skipped update is counted like any other: it has seen its text, and the learning rate
        goes on. Moments and weights stay as they were.

        Args:
            optimizer: About to step. One that is not fused can't look at the flag; under 16-bit
                precision, Lightning's scaler leaves the step out instead.
            grad_norm: Norm of the whole gradient.
        """
        is_bad = grad_norm.isfinite().logical_not()
        self._total = self._total + is_bad
        self._in_a_row = (self._in_a_row + 1) * is_bad
        if optimizer.defaults.get("fused"):
            optimizer.found_inf = is_bad.float()  # type: ignore[attr-defined]

    def report(self, update: int) -> None:
        """Say how many updates were left out since the last report. This waits for the device.

        Args:
            update: Updates finished.

        Raises:
            UserError: If none of the last updates had a finite gradient.
        """
        total = int(self._total)
        if total > self._said:
            logger.warning(
                "By update %d, %d were left out: their gradient was not finite.", update, total
            )
            self._said = total
        if int(self._in_a_row) >= PATIENCE:
            raise UserError(
                f"The run has diverged: the gradients of the last {PATIENCE} updates before "
                f"update {update} were not finite. Lower --model.optimizer.lr or "
                "--model.optimizer.clip_norm; what was saved holds finite weights."
            )

    def state_dict(self) -> dict[str, int]:
        """Give the counts as plain numbers."""
        return {"total": int(self._total), "in_a_row": int(self._in_a_row)}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on from stored counts."""
        self._total = torch.tensor(state["total"])
        self._in_a_row = torch.tensor(state["in_a_row"])
        self._said = state["total"]
