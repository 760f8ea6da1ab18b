"""What a run of fine-tuning says of itself: before, after each epoch, and at its end."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.counted import counted
from lit_roberta.finetuning.baseline import at_baseline, baseline_scores
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.loaders import HeldOutPart
from lit_roberta.finetuning.module import FinetuningModule
from lit_roberta.finetuning.patience import exhausted_patience
from lit_roberta.finetuning.weighting import count_of_labels
from lit_roberta.training.announcement import announce_folder

logger = logging.getLogger(__name__)

_MOST_LABELS = 10


def announce_task(data: FinetuningDataModule) -> None:
    """Say what is learned and from how much."""
    labels = data.task.labels
    if labels:
        shown = ", ".join(labels[:_MOST_LABELS]) + (", ..." if len(labels) > _MOST_LABELS else "")
        logger.info("Task: %s, %d labels: %s.", data.spec.name, len(labels), shown)
    else:
        logger.info("Task: %s.", data.spec.name)
    for note in data.parts.notes:
        logger.info("%s", note)


def announce_notes(data: FinetuningDataModule, *, fits: bool, part: HeldOutPart) -> None:
    """Say what became of examples that nobody asked for.

    Args:
        data: The run's.
        fits: Whether it learns.
        part: What it is judged on.
    """
    sets = {"training": data.train_items} if fits else {}
    for name, items in data.items(part).items():
        sets[f"{part} ({name})" if name else part] = items
    for name, items in sets.items():
        for note in data.task.notes(items):
            logger.info("In the %s part: %s", name, note)


def announce_finetuning(trainer: pl.Trainer, data: FinetuningDataModule) -> None:
    """Say what an update is, what is cut, and what is said without reading."""
    sizes, items = data.sizes, data.train_items
    logger.info(
        "%s examples to learn from, %s of validation, %s of test.",
        f"{len(data.parts.train):,}",
        *(f"{sum(map(len, data.examples(part).values())):,}" for part in ("validation", "test")),
    )
    cut = len({item.example for item in items if item.is_cut})
    if cut:
        logger.info(
            "%s longer than %d tokens and cut there (--data.max_length).",
            counted(cut, "of them is", "of them are"),
            data.max_length,
        )
    logger.info(
        "%s of up to %s, %s an epoch.",
        counted(trainer.max_steps, "update"),
        counted(sizes.largest, "example"),
        f"{sizes.updates_per_epoch:,}",
    )
    for label in _unseen(data):
        logger.info("No training example has the label %s: it can't be learned.", label)
    for name, score in baseline_scores(data, "validation").items():
        logger.info("Without reading: %s %.4f.", name, score)
    announce_folder(trainer)


def _unseen(data: FinetuningDataModule) -> list[str]:
    labels = data.task.labels
    if not labels:
        return []
    counts = count_of_labels(data.train_items, num_labels=len(labels)).tolist()
    return [label for label, count in zip(labels, counts, strict=True) if not count]


class EpochLines(Callback):
    """Print losses and scores of training and validation after each validation."""

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Print a line."""
        if trainer.state.fn != "fit" or trainer.sanity_checking or not trainer.is_global_zero:
            return
        assert isinstance(pl_module, FinetuningModule)
        data: FinetuningDataModule = pl_module.datamodule
        trained = pl_module.epoch_meter.read()
        wanted = ("loss", "accuracy") if pl_module.task.has_accuracy else ("loss",)
        before = [f"{name} {trained[name]:.4f}" for name in wanted if name in trained]
        after = [
            f"{tag.removeprefix('val/').removeprefix('val_')} {float(value):.4f}"
            for tag, value in trainer.callback_metrics.items()
            if tag.startswith("val") and tag != "step"
        ]
        epochs = trainer.global_step / data.sizes.updates_per_epoch
        total = trainer.max_steps / data.sizes.updates_per_epoch
        logger.info(
            "Epoch %s of %s: training %s; validation %s.",
            f"{epochs:g}" if epochs == round(epochs) else f"{epochs:.2f}",
            f"{total:.2f}".rstrip("0").rstrip("."),
            ", ".join(before),
            ", ".join(sorted(after, key=lambda part: not part.startswith("loss"))),
        )


def announce_result(trainer: pl.Trainer, data: FinetuningDataModule, best: float | None) -> None:
    """Say where the run ended, and whether it has learned anything.

    Args:
        trainer: After training.
        data: Its data.
        best: The best score of a validation; None without any.
    """
    done, total = f"{trainer.global_step:,}", f"{trainer.max_steps:,}"
    patience = exhausted_patience(trainer)
    if patience is not None:
        logger.info(
            "Stopped early, after update %s of %s: no better in %d validations in a row. To go "
            "on: the same command with --ckpt_path last and a higher --patience.",
            done,
            total,
            patience,
        )
    elif trainer.global_step < trainer.max_steps:
        logger.info(
            "The run stands at update %s of %s. To go on: the same command with --ckpt_path last.",
            done,
            total,
        )
    monitor = data.task.monitor
    if best is None:
        if done == total:
            logger.info("Finished %s updates, without a validation.", done)
        return
    logger.info("Best validation %s: %.4f (checkpoints/best.ckpt).", monitor, best)
    baseline = baseline_scores(data, "validation").get(monitor)
    if baseline is not None and at_baseline(best, baseline, task=data.task):
        logger.warning(
            "That is no better than what is said without reading (%.4f): the run has learned "
            "nothing. Try another --model.optimizer.lr, more epochs, or another seed.",
            baseline,
        )


def announce_judged(
    metrics: Mapping[str, Any], data: FinetuningDataModule, part: HeldOutPart
) -> None:
    """Say the scores of a part, a line each, beside those of no reading.

    Args:
        metrics: By tag.
        data: The run's.
        part: Which was judged.
    """
    baseline = baseline_scores(data, part)
    for tag, value in sorted(metrics.items()):
        name = tag.rpartition("/")[2]
        beside = f"   (without reading {baseline[name]:.4f})" if name in baseline else ""
        logger.info("%-32s %.4f%s", tag, float(value), beside)
