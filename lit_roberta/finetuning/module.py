"""The LightningModule of fine-tuning: the encoder with the head of a task, its loss and scores."""

from __future__ import annotations

import math
from dataclasses import asdict, replace
from typing import Any, Literal

from torch import Tensor

from lit_roberta.batch import TaskBatch, TaskUpdate
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.freezing import Freeze, freeze_weights
from lit_roberta.finetuning.judging_module import JudgingModule
from lit_roberta.finetuning.saving import add_finetuned, build_from
from lit_roberta.finetuning.starting import start_model
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.losses import PLAIN
from lit_roberta.finetuning.weighting import check_weighting, check_weighting_of, make_weighting
from lit_roberta.training.divergence import DivergenceWatch
from lit_roberta.training.meter import TrainingMeter
from lit_roberta.training.numbers import Number
from lit_roberta.training.optimizer import OptimizerConfig
from lit_roberta.training.ranks import sums_over_ranks
from lit_roberta.training.schedules import ScheduleConfig
from lit_roberta.training.updating import Counts

OPTIMIZER = OptimizerConfig(lr=2e-5)
"""A rate at which every pretrained encoder learns; each has a better one."""

_RATIOS = {"loss": ("loss", "label_weight"), "accuracy": ("num_correct", "num_labels")}


class FinetuningModule(JudgingModule):
    """Fine-tune an encoder for a task.

    Args:
        pretrained: Weights to start from: a checkpoint of this package, a Hugging Face folder or
            name, a fairseq file. (In Python: `start_finetuning`; here it is only noted.)
        keep_head: Go on with the head of a model that was fine-tuned for the same labels. False:
            every task begins with a fresh one.
        optimizer: AdamW's settings and the clipping.
        schedule: How the learning rate rises and falls.
        class_weights: Of each label's loss: none, balanced (the inverse of its frequency, at a
            mean weight of 1), or a number for each label in their order.
        label_smoothing: Share of each label that is spread over all labels.
        head_dropout: Of the head. None: the encoder's.
        freeze: What stays as it was pretrained: nothing, the embeddings, the whole encoder, or the
            embeddings and so many layers.
        seed: Of the head's initial weights and of dropout; the command line links it to
            seed_everything.
    """

    def __init__(
        self,
        *,
        pretrained: str | None = None,
        keep_head: bool = False,
        optimizer: OptimizerConfig = OPTIMIZER,
        schedule: ScheduleConfig = ScheduleConfig(),  # noqa: B008 - frozen
        class_weights: Literal["none", "balanced"] | list[float] = "none",
        label_smoothing: float = 0.0,
        head_dropout: float | None = None,
        freeze: Freeze | int = "nothing",
        seed: int = 0,
    ) -> None:
        # A label that is confidently missed costs any number of nats: that is no divergence.
        watch = DivergenceWatch(uniform_loss=0.0, margin=math.inf)
        super().__init__(optimizer=optimizer, schedule=schedule, seed=seed, divergence=watch)
        check_weighting(class_weights, label_smoothing)
        self.settings: dict[str, Any] = {
            "pretrained": pretrained,
            "keep_head": keep_head,
            "optimizer": asdict(optimizer),
            "schedule": asdict(schedule),
            "class_weights": class_weights,
            "label_smoothing": label_smoothing,
            "head_dropout": head_dropout,
            "freeze": freeze,
            "seed": seed,
        }
        self.meter = TrainingMeter(_RATIOS)
        self.epoch_meter = TrainingMeter(_RATIOS)
        """Since the last validation."""
        self.origin: Pretrained | None = None
        """What the run started from, without its weights."""
        self.weighting = PLAIN

    def begin(self, pretrained: Pretrained, task: FinetuningTask[Any, Any]) -> list[str]:
        """Build the model from weights, with a head for a task.

        Args:
            pretrained: The weights.
            task: The task.

        Returns:
            What was done, a line each.

        Raises:
            UserError: If a head is to be kept that is another task's, the task's labels can't be
                weighed so, or there are not so many layers to freeze.
        """
        weighing = {name: self.settings[name] for name in ("class_weights", "label_smoothing")}
        check_weighting_of(task, **weighing)
        self.task = task
        self.model, self.origin, told = start_model(
            pretrained,
            task,
            keep_head=self.settings["keep_head"],
            head_dropout=self.settings["head_dropout"],
            seed=self.seed,
        )
        freeze_weights(self.model, self.settings["freeze"])
        return told

    def restore(self, finetuned: Pretrained, task: FinetuningTask[Any, Any]) -> None:
        """Build the model as it was fine-tuned, with its head.

        Args:
            finetuned: The model.
            task: The task, with its labels in their order.
        """
        self.task = task
        self.model = task.build_model(finetuned, seed=self.seed).train()
        self.origin = replace(finetuned, weights={})
        freeze_weights(self.model, self.settings["freeze"])

    # ---- one update

    def on_train_start(self) -> None:
        """Set what the first update of this start needs."""
        weighting = make_weighting(
            self.task,
            self.datamodule.train_items,
            class_weights=self.settings["class_weights"],
            label_smoothing=self.settings["label_smoothing"],
        )
        self.weighting = weighting.to(self.device)
        super().on_train_start()

    def losses(self, batch: TaskBatch, counts: Counts) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Compute the loss of a micro-batch."""
        logits = self.logits_of(batch)
        loss, num_correct = self.task.losses(logits, batch.labels, self.weighting)
        # DDP averages over ranks, and the divisor counts all of them already.
        return loss * (self.trainer.world_size / counts.label_weight), (loss, num_correct)

    def _counts(self, update: TaskUpdate) -> Counts:
        counts = super()._counts(update)
        weight: Number = counts.num_labels
        if self.weighting.class_weights is not None:
            here = self.weighting.weight_of(update.labels)
            (weight,) = sums_over_ranks(self.trainer, here)
        return counts._replace(label_weight=float(weight) or 1.0)

    def mean_loss(self, counts: Counts, sums: list[Number]) -> Number:
        """Give the mean over labels, each by its weight."""
        return sums[0] / counts.label_weight

    def note(self, update: TaskUpdate, counts: Counts, sums: list[Number]) -> None:
        """Note what an update measured."""
        for meter in (self.meter, self.epoch_meter):
            meter.add(
                loss=sums[0],
                num_correct=sums[1],
                num_labels=counts.num_labels,
                label_weight=counts.label_weight,
                num_tokens=counts.num_tokens,
            )

    def training_values(self) -> dict[str, float]:
        """Read the meter; where nothing is right or wrong there is no accuracy."""
        values = super().training_values()
        if not self.task.has_accuracy:
            values.pop("train/accuracy", None)
        return values

    # ---- checkpoints

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add what a run or a reader needs besides the weights."""
        add_finetuned(self, checkpoint)

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on from a checkpoint; build the model where nobody has."""
        build_from(self, checkpoint)


def start_finetuning(source: str, data: FinetuningDataModule, **settings: Any) -> FinetuningModule:
    """Build a module that fine-tunes weights for the task of a data module.

    Args:
        source: A checkpoint of this package, a Hugging Face folder or name, or a fairseq file.
        data: The examples, which nothing was asked of yet: it takes the weights' tokenizer.
        settings: The module's other settings.

    Raises:
        UserError: If the weights can't be read, or do not fit the task.
    """
    pretrained = load_pretrained(source)
    data.use_model(pretrained)
    module = FinetuningModule(pretrained=source, **settings)
    module.begin(pretrained, data.task)
    return module
