"""How one update is made, whatever is learned in it: all its micro-batches, then one step.

An update comes whole, already cut into micro-batches that fit the device, and carries its number.
One `training_step` is one optimizer step (manual optimization), so that everything counts in
updates; Lightning's `current_epoch` stays 0. What the losses are is the subclass's.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.types import OptimizerLRScheduler
from torch import Tensor

from lit_roberta.heap import keep_freed_blocks
from lit_roberta.model.bert import BertModel
from lit_roberta.model.cloze import ClozeModel
from lit_roberta.model.task_heads import TaskModel
from lit_roberta.training.divergence import DivergenceWatch
from lit_roberta.training.guard import DivergenceGuard
from lit_roberta.training.numbers import Number, at_hand
from lit_roberta.training.optimizer import OptimizerConfig, build_optimizer, write_settings
from lit_roberta.training.ranks import counts_over_ranks, sums_over_ranks, without_synchronisation
from lit_roberta.training.schedules import ScheduleConfig, learning_rate_factor
from lit_roberta.training.seeding import dropout_seed, seeded_dropout
from lit_roberta.training.sharding import shard_model, whole

_NOTES = frozenset({"_current_fx_name", "_mean_loss", "num_tokens"})
"""Attributes that are set in every update."""


class Counts(NamedTuple):
    """What an update holds over all ranks; known before its first forward pass."""

    num_labels: int
    num_tokens: int
    """Non-padding."""
    num_sequences: int
    label_weight: int | float
    """Of all labels together: what the sum of the losses is divided by."""


class UpdatingModule(pl.LightningModule):
    """Train a model by whole updates.

    A subclass sets `model` and `meter`, and says what the losses of a micro-batch are.

    Args:
        optimizer: AdamW's settings and the clipping.
        schedule: How the learning rate rises and falls.
        seed: Of dropout.
        divergence: Judges updates before their step.
    """

    model: BertModel | TaskModel | ClozeModel
    meter: Any
    """What training measures between two log entries: `read`, `leave_out`, and its state."""
    settings: dict[str, Any]
    """That the module was made with, as plain data."""

    def __init__(
        self,
        *,
        optimizer: OptimizerConfig,
        schedule: ScheduleConfig,
        seed: int,
        divergence: DivergenceWatch,
    ) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.optimizer_config = optimizer
        self.schedule = schedule
        self.seed = seed
        self.divergence = divergence
        self.num_tokens = 0
        """Non-padding tokens fed so far, over the whole run."""
        self.stop_requested: Callable[[], bool] = lambda: False
        """Asked between micro-batches; when it says yes, the unfinished update is dropped."""
        self._mean_loss: tuple[int, Number] = (0, 0.0)

    def __setattr__(self, name: str, value: Any) -> None:
        """Note what is no part of the model at once; torch looks through all parts first."""
        if name in _NOTES:  # Lightning notes the hook that runs thirty times an update
            object.__setattr__(self, name, value)
        else:
            super().__setattr__(name, value)

    def configure_model(self) -> None:
        """Shard the weights, if the trainer's strategy asks for it."""
        if self._trainer is not None:
            shard_model(self.model, self.trainer.strategy)

    def configure_callbacks(self) -> list[pl.Callback]:
        """Guard a run that was put together by hand, too."""
        callbacks: list[pl.Callback] = self.trainer.callbacks  # type: ignore[attr-defined]
        is_guarded = any(isinstance(callback, DivergenceGuard) for callback in callbacks)
        return [] if is_guarded else [DivergenceGuard()]

    # ---- where the run stands

    @property
    def datamodule(self) -> Any:
        """The data module that it is trained or judged on."""
        datamodule = self.trainer.datamodule  # type: ignore[attr-defined]
        assert datamodule is not None, "train with datamodule=, not with loaders"
        return datamodule

    @property
    def update_number(self) -> int:
        """Updates finished so far, which is the number of the next one."""
        return self.trainer.global_step

    @property
    def num_sequences(self) -> int:
        """Sequences fed so far, over the whole run."""
        return int(self.datamodule.sequences_before(self.update_number))

    @property
    def total_updates(self) -> int:
        """Updates of the whole run."""
        return self.trainer.max_steps

    def training_values(self) -> dict[str, float]:
        """Read the meter, under TensorBoard's tags, with the rate of the last update."""
        values = {f"train/{name}": value for name, value in self.meter.read().items()}
        factor = self._rate_factor(self.update_number - 1)
        return {**values, "train/lr": self.optimizer_config.lr * factor}

    # ---- what the subclass says

    @abstractmethod
    def losses(self, batch: Any, counts: Counts) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Compute the losses of a micro-batch.

        Args:
            batch: The micro-batch.
            counts: Of the whole update.

        Returns:
            Its share of the update's mean loss, to go back through, times the number of ranks
            (DDP averages over them); and sums that `note` is given once they are added up.
        """

    @abstractmethod
    def mean_loss(self, counts: Counts, sums: list[Number]) -> Number:
        """Give the update's mean loss, by which it is judged."""

    @abstractmethod
    def note(self, update: Any, counts: Counts, sums: list[Number]) -> None:
        """Note what an update measured, once it is finished."""

    # ---- one update

    def on_train_start(self) -> None:
        """Set what the first update of this start needs."""
        if self.device.type == "cpu":  # gradients come and go in main memory
            keep_freed_blocks()
        adamw = self._adamw
        write_settings(adamw, self.optimizer_config)
        self._set_learning_rate(adamw)

    def training_step(self, update: Any) -> None:
        """Make one update: all its micro-batches, then one optimizer step."""
        # A loader, a checkpoint or a trainer flag that shifts the stream fails here instead of
        # training on the wrong text.
        assert update.number == self.update_number, (update.number, self.update_number)
        adamw = self._adamw
        if update.number in self.divergence.left_out:
            self._pass_over(update)
            self._set_learning_rate(adamw)
            return
        adamw.zero_grad()
        counts = self._counts(update)
        seed = dropout_seed(self.seed, update=update.number, rank=self.global_rank)
        with seeded_dropout(seed, device=self.device):
            sums = self._accumulate(update, counts)
        if sums is None:
            return
        self._mean_loss = (update.number, self.mean_loss(counts, sums))
        adamw.step()
        self._set_learning_rate(adamw)
        self.num_tokens += counts.num_tokens
        self.note(update, counts, sums)

    def _pass_over(self, update: Any) -> None:
        """Count an update that was bad before a rollback, and learn nothing from it."""
        steps = self.trainer.fit_loop.epoch_loop.manual_optimization.optim_step_progress
        steps.increment_ready()
        steps.increment_completed()
        self.num_tokens += self._counts(update).num_tokens

    def _counts(self, update: Any) -> Counts:
        """Count over all ranks, in one message."""
        here = (update.num_labels, update.num_tokens)
        num_labels, num_tokens = counts_over_ranks(self.trainer, *here)
        return Counts(num_labels, num_tokens, update.num_sequences, num_labels)

    def _accumulate(self, update: Any, counts: Counts) -> list[Number] | None:
        """Sum up the gradients of all micro-batches; None if a stop was asked for in between."""
        last = len(update.cuts) - 1
        sums: list[Number] = []
        for number, batch in enumerate(update.micro_batches()):
            if self.stop_requested():
                return None
            mean, parts = self.losses(batch, counts)
            with nullcontext() if number == last else without_synchronisation(self.trainer):
                self.manual_backward(mean)
            here = [at_hand(part) for part in parts]
            sums = [a + b for a, b in zip(sums, here, strict=True)] if sums else here
        return sums_over_ranks(self.trainer, *sums)

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Clip the gradient, and judge it: here it is whole, and no longer scaled."""
        limit = self.optimizer_config.clip_norm or float("inf")
        norm = at_hand(whole(torch.nn.utils.clip_grad_norm_(self.model.parameters(), limit)))
        number, loss = self._mean_loss
        self.divergence.judge(optimizer, number=number, loss=loss, grad_norm=norm)
        self.meter.grad_norm = norm

    # ---- the optimizer

    def configure_optimizers(self) -> OptimizerLRScheduler:
        """Build AdamW; the learning rate is computed from the update's number, by no scheduler."""
        fused = not str(self.trainer.precision).startswith("16")
        return build_optimizer(self.model, self.optimizer_config, fused=fused)

    @property
    def _adamw(self) -> Any:
        return self.optimizers()

    def _rate_factor(self, update: int) -> float:
        return learning_rate_factor(update, total=self.total_updates, schedule=self.schedule)

    def _set_learning_rate(self, adamw: Any) -> None:
        """Set the rate of the next update."""
        rate = self.optimizer_config.lr * self._rate_factor(self.update_number)
        for group in adamw.param_groups:
            group["lr"] = rate * group.get("lr_scale", 1.0)
