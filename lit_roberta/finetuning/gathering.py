"""Predictions of a part as they come, from all batches and all ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytorch_lightning as pl
import torch
from torch import Tensor

from lit_roberta.training.ranks import sums_over_ranks


class Judged:
    """What was predicted so far, by the set that it belongs to."""

    def __init__(self) -> None:
        self._predictions: dict[int, list[tuple[int, Any]]] = {}
        self._losses: dict[int, float] = {}
        self._counts: dict[int, int] = {}

    def add(
        self,
        number: int,
        *,
        predictions: Sequence[tuple[int, Any]],
        loss: Tensor,
        num_labels: int,
    ) -> None:
        """Add a batch.

        Args:
            number: Of the set.
            predictions: Each with the number of its example.
            loss: Sum over the labels that count.
            num_labels: How many do.
        """
        self._predictions.setdefault(number, []).extend(predictions)
        self._losses[number] = self._losses.get(number, 0.0) + float(loss)
        self._counts[number] = self._counts.get(number, 0) + num_labels

    def of(self, number: int, trainer: pl.Trainer) -> tuple[float | None, dict[int, Any]]:
        """Put the predictions of all ranks together, on each of them.

        Args:
            number: Of the set.
            trainer: Whose ranks.

        Returns:
            The mean loss, None without a label; and the predictions by the numbers of their
            examples, in that order. A trial run (`fast_dev_run`) sees only some.
        """
        found = self._predictions.get(number, [])
        if trainer.world_size > 1:
            parts: list[Any] = [None] * trainer.world_size
            torch.distributed.all_gather_object(parts, found)
            found = [each for part in parts for each in part]
        here = (self._losses.get(number, 0.0), float(self._counts.get(number, 0)))
        loss, count = map(float, sums_over_ranks(trainer, *here))
        return (loss / count if count else None), dict(sorted(found, key=lambda each: each[0]))

    def clear(self) -> None:
        """Forget all of it."""
        self.__init__()  # type: ignore[misc]
