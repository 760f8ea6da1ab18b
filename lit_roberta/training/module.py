"""The LightningModule: the encoder, its losses, and how one update is made.

An update comes whole, already cut into micro-batches that fit the device, and carries its number.
One `training_step` is one optimizer step (manual optimization), so that everything counts in
updates; Lightning's `current_epoch` stays 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.utilities.types import OptimizerLRScheduler
from torch import Tensor

from lit_roberta.batch import Update
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.objectives import loss_weights
from lit_roberta.training.divergence import DivergenceWatch
from lit_roberta.training.guard import DivergenceGuard
from lit_roberta.training.history import History
from lit_roberta.training.losses import micro_batch_losses
from lit_roberta.training.meter import TrainingMeter, UpdateSums
from lit_roberta.training.numbers import Number, at_hand
from lit_roberta.training.optimizer import (
    OptimizerConfig,
    build_optimizer,
    write_settings,
)
from lit_roberta.training.ranks import counts_over_ranks, sums_over_ranks, without_synchronisation
from lit_roberta.training.run_state import add_run_state, require_start, take_run_state
from lit_roberta.training.schedules import ScheduleConfig, learning_rate_factor
from lit_roberta.training.scoring import ScoringModule
from lit_roberta.training.seeding import dropout_seed, seeded_dropout
from lit_roberta.training.sharding import shard_model, whole

_NOTES = frozenset({"_current_fx_name", "_mean_loss", "num_tokens"})
"""Attributes that are set in every update."""


class PretrainingModule(ScoringModule):
    """Pretrain an encoder on masked language modelling, and on next-sentence prediction if asked.

    Args:
        encoder: The encoder's sizes and rates.
        next_sentence: Train the next-sentence objective too; the format must be a pair.
        optimizer: AdamW's settings and the clipping.
        schedule: How the learning rate rises and falls.
        frequency_weighted_loss: Weigh each token's training loss by the inverse of its frequency,
            at a mean weight of 1. Evaluation is never weighted.
        seed: Of initial weights and dropout; the command line links it to seed_everything.
        pretrained: Weights to start from: a checkpoint of this package, a Hugging Face folder or
            name, a fairseq file. The encoder's settings and the tokenizer are theirs. (In Python:
            `start_from_pretrained`; here it is only noted.)
        extend_positions: Length of the position table, if it is to be longer than theirs.
    """

    def __init__(
        self,
        encoder: EncoderConfig,
        *,
        next_sentence: bool = False,
        optimizer: OptimizerConfig = OptimizerConfig(),  # noqa: B008 - frozen
        schedule: ScheduleConfig = ScheduleConfig(),  # noqa: B008 - frozen
        frequency_weighted_loss: bool = False,
        seed: int = 0,
        pretrained: str | None = None,
        extend_positions: int | None = None,
    ) -> None:
        super().__init__()
        self.automatic_optimization = False
        self.settings: dict[str, Any] = {
            "encoder": asdict(encoder),
            "next_sentence": next_sentence,
            "optimizer": asdict(optimizer),
            "schedule": asdict(schedule),
            "frequency_weighted_loss": frequency_weighted_loss,
            "seed": seed,
            "pretrained": pretrained,
            "extend_positions": extend_positions,
        }
        self.model = BertModel(encoder, next_sentence=next_sentence, seed=seed)
        self.next_sentence = next_sentence
        self.optimizer_config = optimizer
        self.schedule = schedule
        self.seed = seed
        self.history = History()
        self.meter = TrainingMeter()
        self.divergence = DivergenceWatch(uniform_loss=math.log(encoder.vocab_size))
        self.origin: dict[str, Any] | None = None
        """What the run started from: source, hash, and what a way back there needs."""
        self.num_tokens = 0
        """Non-padding tokens fed so far, over the whole run."""
        self.hours: dict[str, float] | None = None
        """The hours that the run was started for, and the updates that they came to."""
        self.stop_requested: Callable[[], bool] = lambda: False
        """Asked between micro-batches; when it says yes, the unfinished update is dropped."""
        self._loss_weights: Tensor | None = None
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

    # ---- where the run stands

    @property
    def update_number(self) -> int:
        """Updates finished so far, which is the number of the next one."""
        return self.trainer.global_step

    @property
    def num_sequences(self) -> int:
        """Sequences fed so far, over the whole run."""
        return self.datamodule.run_sizes.sequences(0, self.update_number)

    @property
    def total_updates(self) -> int:
        """Updates of the whole run."""
        return self.trainer.max_steps

    def configure_callbacks(self) -> list[pl.Callback]:
        """Guard a run that was put together by hand, too."""
        callbacks: list[pl.Callback] = self.trainer.callbacks  # type: ignore[attr-defined]
        is_guarded = any(isinstance(callback, DivergenceGuard) for callback in callbacks)
        return [] if is_guarded else [DivergenceGuard()]

    # ---- one update

    def on_train_start(self) -> None:
        """Set what the first update of this start needs."""
        require_start(self)
        if self.settings["frequency_weighted_loss"]:
            data = self.datamodule
            weights = loss_weights(data.token_counts, data.vocabulary.special_ids)
            self._loss_weights = weights.to(self.device)
        self.history.to(self.device)
        adamw = self._adamw
        write_settings(adamw, self.optimizer_config)
        self._set_learning_rate(adamw)

    def training_step(self, update: Update) -> None:
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
        seed = dropout_seed(self.seed, update=update.number, rank=self.global_rank)
        with seeded_dropout(seed, device=self.device):
            update_sums = self._accumulate(update)
        if update_sums is None:
            return
        mean_loss = update_sums.mlm_loss / max(1, update_sums.num_labels)
        self._mean_loss = (update.number, mean_loss)
        adamw.step()
        self._set_learning_rate(adamw)
        self.num_tokens += update_sums.num_tokens
        self.history.add(
            update.epoch,
            stage=update.stage,
            loss_sum=update_sums.mlm_loss,
            num_labels=update_sums.num_labels,
        )
        self.meter.add(update_sums)

    def _pass_over(self, update: Update) -> None:
        """Count an update that was bad before a rollback, and learn nothing from it."""
        steps = self.trainer.fit_loop.epoch_loop.manual_optimization.optim_step_progress
        steps.increment_ready()
        steps.increment_completed()
        self.num_tokens += counts_over_ranks(self.trainer, update.num_tokens)[0]

    def _accumulate(self, update: Update) -> UpdateSums | None:
        """Sum up the gradients of all micro-batches; None if a stop was asked for in between."""
        counts = (update.num_labels, update.num_tokens)
        num_labels, num_tokens = counts_over_ranks(self.trainer, *counts)
        last = len(update.cuts) - 1
        mlm_loss: Number = 0.0
        nsp_loss: Number = 0.0
        for number, batch in enumerate(update.micro_batches()):
            if self.stop_requested():
                return None
            loss = micro_batch_losses(self.model(*batch[:4]), batch, self._loss_weights)
            # DDP averages over ranks, and the divisors count all of them already.
            mean = loss.weighted_mlm * (self.trainer.world_size / max(1, num_labels))
            if self.next_sentence:
                mean = mean + loss.nsp * (self.trainer.world_size / update.num_sequences)
            with nullcontext() if number == last else without_synchronisation(self.trainer):
                self.manual_backward(mean)
            mlm_loss, nsp_loss = mlm_loss + at_hand(loss.mlm), nsp_loss + at_hand(loss.nsp)
        mlm_loss, nsp_loss = sums_over_ranks(self.trainer, mlm_loss, nsp_loss)
        return UpdateSums(mlm_loss, nsp_loss, num_labels, update.num_sequences, num_tokens)

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

    def _set_learning_rate(self, adamw: Any) -> None:
        """Set the rate of the next update."""
        factor = learning_rate_factor(
            self.update_number, total=self.total_updates, schedule=self.schedule
        )
        rate = self.optimizer_config.lr * factor
        for group in adamw.param_groups:
            group["lr"] = rate

    # ---- checkpoints

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add what a run or a reader needs besides the weights."""
        add_run_state(self, checkpoint)

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        take_run_state(self, checkpoint)
