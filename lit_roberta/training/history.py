"""The training loss of each epoch, kept on the device and in the checkpoint.

An epoch is a pass over the examples; an update that spans two counts for the one in which it
starts. Each stage of length has examples of its own, so its first epoch follows the last one of
the stage before, which need not be a whole one.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from lit_roberta.training.numbers import Number
from lit_roberta.whole_files import write_whole


class History:
    """Sums of the masked-language-model loss by epoch.

    Sums, not means: an epoch's mean weighs each predicted token alike, however the updates were
    cut. They stay on the device until somebody reads them, because reading waits for the device.
    An update whose loss is not finite is left out.
    """

    def __init__(self) -> None:
        # Plain numbers for epochs that are through: a run of many goes on as fast as one of few.
        self._sums: list[Tensor | float] = []
        self._counts: list[Tensor | int] = []
        self._stage = 0
        self._earlier_epochs = 0
        """Epochs of the stages before."""

    def __repr__(self) -> str:
        losses = ", ".join(f"{loss:.3f}" for loss in self.mlm_loss_per_epoch)
        return f"History(mlm_loss_per_epoch=[{losses}])"

    def add(self, epoch: int, *, stage: int = 0, loss_sum: Number, num_labels: int) -> None:
        """Add an update.

        Args:
            epoch: The one of its stage in which the update starts.
            stage: Its stage of length; no update of an earlier one follows.
            loss_sum: Cross entropies of its masked tokens, unweighted, in nats.
            num_labels: How many they are.
        """
        if stage != self._stage:
            self._stage, self._earlier_epochs = stage, len(self._counts)
        epoch += self._earlier_epochs
        while len(self._counts) <= epoch:
            self._sums.append(0.0)
            self._counts.append(0)
        # One that is not finite would hide the others.
        if isinstance(loss_sum, Tensor):
            is_finite = loss_sum.isfinite()
            self._sums[epoch] += torch.where(is_finite, loss_sum, 0.0).double()
            self._counts[epoch] += is_finite * num_labels
        elif math.isfinite(loss_sum):
            self._sums[epoch] += loss_sum
            self._counts[epoch] += num_labels

    @property
    def mlm_loss_per_epoch(self) -> list[float]:
        """Mean loss of each epoch so far, in nats per masked token; NaN for one without any."""
        return [
            float(loss) / int(count) if count else float("nan")
            for loss, count in zip(self._sums, self._counts, strict=True)
        ]

    def state_dict(self) -> dict[str, Any]:
        """Give the sums and counts as plain numbers."""
        return {
            "sums": [float(loss) for loss in self._sums],
            "counts": [int(count) for count in self._counts],
            "stage": self._stage,
            "earlier_epochs": self._earlier_epochs,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from stored sums."""
        self._sums, self._counts = list(state["sums"]), list(state["counts"])
        self._stage, self._earlier_epochs = state["stage"], state["earlier_epochs"]

    def to(self, device: torch.device) -> None:
        """Move the sums to the device that trains."""
        for values in (self._sums, self._counts):
            for place, value in enumerate(values):
                if isinstance(value, Tensor):
                    values[place] = value.to(device)

    def write(self, path: Path) -> None:
        """Write the losses as JSON, whole or not at all; null for an epoch without any."""
        losses = [None if math.isnan(loss) else loss for loss in self.mlm_loss_per_epoch]
        write_whole(path, (json.dumps({"mlm_loss_per_epoch": losses}) + "\n").encode())
