"""What each process of a run saw, written down for a test to compare."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from torch import Tensor

from lit_roberta.batch import IGNORE_INDEX, Update
from lit_roberta.training.sharding import whole


class Witness(Callback):
    """Keep what this process trains on, and the whole gradient of each update.

    Args:
        folder: Where to write.
        spoil: An update in which one process's gradient is not finite; none where it is negative.
    """

    def __init__(self, folder: Path, *, spoil: int = -1) -> None:
        self.folder = folder
        self.spoil = spoil
        self.seen: dict[str, dict[int, Any]] = {
            "rows": {},
            "micro_batches": Counter(),
            "dropout_seeds": {},
            "norms": {},
            "gradients": {},
        }

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Update, batch_idx: int
    ) -> None:
        self.seen["rows"][batch.number] = rows_of(batch)

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.seen["micro_batches"][trainer.global_step] += 1
        self.seen["dropout_seeds"][trainer.global_step] = torch.initial_seed()
        gradients = [parameter.grad for parameter in pl_module.parameters()]
        norms = [float(whole(each).norm()) for each in gradients if each is not None]
        self.seen["norms"].setdefault(trainer.global_step, []).append(norms)

    def on_before_optimizer_step(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, optimizer: Any
    ) -> None:
        gradients: dict[str, Tensor] = {}
        for name, parameter in pl_module.named_parameters():
            assert parameter.grad is not None, name
            gradients[name] = whole(parameter.grad).clone()
        self.seen["gradients"][trainer.global_step] = gradients
        if trainer.global_step == self.spoil:
            for parameter in pl_module.parameters():
                if parameter.grad is not None:
                    parameter.grad.mul_(float("nan"))

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        weights = {name: whole(value.detach()) for name, value in pl_module.named_parameters()}
        self.folder.mkdir(parents=True, exist_ok=True)
        seen = {**self.seen, "micro_batches": dict(self.seen["micro_batches"]), "weights": weights}
        torch.save(seen, self.folder / f"rank-{trainer.global_rank}.pt")


def rows_of(update: Update) -> list[tuple[list[int], list[int]]]:
    """List the ids and labels of an update's sequences; rows that only fill up have no label."""
    rows = []
    for number, labels in enumerate(update.labels.tolist()):
        if any(label != IGNORE_INDEX for label in labels):
            ids = update.input_ids[number][update.attention_mask[number]].tolist()
            rows.append((ids, [label for label in labels if label != IGNORE_INDEX]))
    return rows


def read_witnesses(folder: Path) -> list[dict[str, Any]]:
    """Read what the processes of a run saw, by rank."""
    return [torch.load(path, weights_only=True) for path in sorted(folder.glob("rank-*.pt"))]


def rows_by_update(witnesses: list[dict[str, Any]]) -> dict[int, list[Any]]:
    """Put the ranks' shares of each update together, in an order of their content."""
    return {
        number: sorted(row for witness in witnesses for row in witness["rows"][number])
        for number in witnesses[0]["rows"]
    }


def assert_same_gradients(one: dict[str, Tensor], other: dict[str, Tensor]) -> None:
    """Compare two gradients of one update: equal up to the rounding of sums in another order."""
    assert one.keys() == other.keys()
    everything = torch.stack([value.norm() for value in one.values()]).norm()
    for name, value in one.items():
        # A key's bias has no gradient but rounding, so a small tensor is measured by the whole.
        bound = 1e-5 * max(value.norm(), 0.01 * everything)
        assert (other[name] - value).norm() <= bound, name
