"""What training measures of itself between two log entries, without waiting for the device."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from lit_roberta.training.numbers import Number

TOKENS = "num_tokens"
"""The sum that the pace is measured by: non-padding tokens."""

PRETRAINING_RATIOS: Mapping[str, tuple[str, str]] = {
    "masked_lm_loss": ("mlm_loss", "num_labels"),
    "next_sentence_loss": ("nsp_loss", "num_sequences"),
}
"""Nats per masked token, and nats per pair."""


class TrainingMeter:
    """Sums since the meter was last read: a mean over tokens, never a mean of updates.

    Args:
        ratios: By name, the two sums that it is made of: one of losses, say, and one of labels.
    """

    def __init__(self, ratios: Mapping[str, tuple[str, str]] = PRETRAINING_RATIOS) -> None:
        self._ratios = dict(ratios)
        self._names = dict.fromkeys([name for pair in ratios.values() for name in pair] + [TOKENS])
        self.grad_norm: Number = 0.0
        """Of the last update, before clipping."""
        self._start()

    def _start(self) -> None:
        self._sums: dict[str, int | Number] = dict.fromkeys(self._names, 0)
        self._since = time.monotonic()

    def add(self, **sums: int | Number) -> None:
        """Add an update: each of the sums that the ratios are made of, and its tokens."""
        for name, value in sums.items():
            self._sums[name] = self._sums[name] + value

    def leave_out(self, *, seconds: float) -> None:
        """Leave time out of the pace that was not training, such as a validation's."""
        self._since += seconds

    def state_dict(self) -> dict[str, Any]:
        """Give the sums since the last reading as plain numbers, so that no log entry lacks any.

        Time is not in it: the pace of a new start is its own.
        """
        sums = {
            name: value if isinstance(value, int) else float(value)
            for name, value in self._sums.items()
        }
        return {**sums, "grad_norm": float(self.grad_norm)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from stored sums."""
        sums = dict(state)
        self.grad_norm = sums.pop("grad_norm")
        self._start()
        self._sums |= sums

    def read(self) -> dict[str, float]:
        """Give the means since the last reading, and start anew. This waits for the device.

        Returns:
            The ratios; grad_norm (of the last update, before clipping)
            and tokens_per_second (non-padding); nothing where there was no update.
        """
        sums, since = self._sums, self._since
        self._start()
        if not sums[TOKENS]:
            return {}
        values = {
            name: float(sums[above]) / (float(sums[below]) or 1.0)
            for name, (above, below) in self._ratios.items()
        }
        values["grad_norm"] = float(self.grad_norm)
        values["tokens_per_second"] = float(sums[TOKENS]) / max(1e-9, self._since - since)
        return values
