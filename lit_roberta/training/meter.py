"""What training measures of itself between two log entries, without waiting for the device."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lit_roberta.training.numbers import Number


class UpdateSums(NamedTuple):
    """The losses of one update on this rank, as sums."""

    mlm_loss: Number
    """Nats, unweighted."""
    nsp_loss: Number
    """Nats."""
    num_labels: int
    """Masked tokens of the whole update, over all ranks."""
    num_sequences: int
    """Sequences of the whole update, over all ranks."""
    num_tokens: int
    """Non-padding tokens of the whole update, over all ranks."""


@dataclass
class _Totals:
    """What has been added since the last reading."""

    mlm_loss: Number = 0.0
    nsp_loss: Number = 0.0
    num_labels: int = 0
    num_sequences: int = 0
    num_tokens: int = 0
    since: float = field(default_factory=time.monotonic)


class TrainingMeter:
    """Sums since the meter was last read: a mean over tokens, never a mean of updates."""

    def __init__(self) -> None:
        self._totals = _Totals()
        self.grad_norm: Number = 0.0
        """Of the last update, before clipping."""

    def add(self, sums: UpdateSums) -> None:
        """Add an update."""
        totals = self._totals
        totals.mlm_loss = totals.mlm_loss + sums.mlm_loss
        totals.nsp_loss = totals.nsp_loss + sums.nsp_loss
        totals.num_labels += sums.num_labels
        totals.num_sequences += sums.num_sequences
        totals.num_tokens += sums.num_tokens

    def leave_out(self, *, seconds: float) -> None:
        """Leave time out of the pace that was not training, such as a validation's."""
        self._totals.since += seconds

    def state_dict(self) -> dict[str, Any]:
        """Give the sums since the last reading as plain numbers, so that no log entry lacks any.

        Time is not in it: the pace of a new start is its own.
        """
        totals = self._totals
        return {
            "mlm_loss": float(totals.mlm_loss),
            "nsp_loss": float(totals.nsp_loss),
            "num_labels": totals.num_labels,
            "num_sequences": totals.num_sequences,
            "num_tokens": totals.num_tokens,
            "grad_norm": float(self.grad_norm),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from stored sums."""
        sums = dict(state)
        self.grad_norm = sums.pop("grad_norm")
        self._totals = _Totals(**sums)

    def read(self) -> dict[str, float]:
        """Give the means since the last reading, and start anew. This waits for the device.

        Returns:
            masked_lm_loss (nats per masked token), next_sentence_loss (nats per pair), grad_norm
            (of the last update, before clipping) and tokens_per_second (non-padding); nothing
            where there was no update.
        """
        totals, self._totals = self._totals, _Totals()
        if not totals.num_sequences:
            return {}
        return {
            "masked_lm_loss": float(totals.mlm_loss) / max(1, totals.num_labels),
            "next_sentence_loss": float(totals.nsp_loss) / totals.num_sequences,
            "grad_norm": float(self.grad_norm),
            "tokens_per_second": totals.num_tokens / max(1e-9, time.monotonic() - totals.since),
        }
