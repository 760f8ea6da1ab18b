"""The LightningModule of pretraining: the encoder, and its losses."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from torch import Tensor

from lit_roberta.batch import Batch, Update
from lit_roberta.model.bert import BertModel
from lit_roberta.model.config import EncoderConfig
from lit_roberta.objectives import loss_weights
from lit_roberta.training.divergence import DivergenceWatch
from lit_roberta.training.history import History
from lit_roberta.training.losses import micro_batch_losses
from lit_roberta.training.meter import TrainingMeter
from lit_roberta.training.numbers import Number
from lit_roberta.training.optimizer import OptimizerConfig
from lit_roberta.training.run_state import add_run_state, require_start, take_run_state
from lit_roberta.training.schedules import ScheduleConfig
from lit_roberta.training.scoring import ScoringModule
from lit_roberta.training.updating import Counts


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
        super().__init__(
            optimizer=optimizer,
            schedule=schedule,
            seed=seed,
            divergence=DivergenceWatch(uniform_loss=math.log(encoder.vocab_size)),
        )
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
        self.history = History()
        self.meter = TrainingMeter()
        self.origin: dict[str, Any] | None = None
        """What the run started from: source, hash, and what a way back there needs."""
        self.hours: dict[str, float] | None = None
        """The hours that the run was started for, and the updates that they came to."""
        self._loss_weights: Tensor | None = None

    def training_values(self) -> dict[str, float]:
        """Read the meter; without pairs there is nothing to say of them."""
        values = super().training_values()
        if not self.next_sentence:
            values.pop("train/next_sentence_loss", None)
        return values

    # ---- one update

    def on_train_start(self) -> None:
        """Set what the first update of this start needs."""
        require_start(self)
        if self.settings["frequency_weighted_loss"]:
            data = self.datamodule
            weights = loss_weights(data.token_counts, data.vocabulary.special_ids)
            self._loss_weights = weights.to(self.device)
        self.history.to(self.device)
        super().on_train_start()

    def losses(self, batch: Batch, counts: Counts) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Compute the losses of a micro-batch: masked tokens, and pairs if they are trained."""
        loss = micro_batch_losses(self.model(*batch[:4]), batch, self._loss_weights)
        # DDP averages over ranks, and the divisors count all of them already.
        mean = loss.weighted_mlm * (self.trainer.world_size / max(1, counts.num_labels))
        if self.next_sentence:
            mean = mean + loss.nsp * (self.trainer.world_size / counts.num_sequences)
        return mean, (loss.mlm, loss.nsp)

    def mean_loss(self, counts: Counts, sums: list[Number]) -> Number:
        """Give the mean over masked tokens, in nats."""
        return sums[0] / max(1, counts.num_labels)

    def note(self, update: Update, counts: Counts, sums: list[Number]) -> None:
        """Note the losses of an update."""
        mlm_loss, nsp_loss = sums
        self.history.add(
            update.epoch,
            stage=update.stage,
            loss_sum=mlm_loss,
            num_labels=counts.num_labels,
        )
        self.meter.add(
            mlm_loss=mlm_loss,
            nsp_loss=nsp_loss,
            num_labels=counts.num_labels,
            num_sequences=counts.num_sequences,
            num_tokens=counts.num_tokens,
        )

    # ---- checkpoints

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add what a run or a reader needs besides the weights."""
        add_run_state(self, checkpoint)

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        take_run_state(self, checkpoint)
