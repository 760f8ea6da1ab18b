"""What a run says of itself before its first update and after its last."""

from __future__ import annotations

import logging
import shlex
from pathlib import Path

import pytorch_lightning as pl

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.training.checkpoint_settings import CheckpointSettings, trained_by
from lit_roberta.training.conditions import Conditions, changes, differences, run_conditions
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.size_notices import describe_updates

logger = logging.getLogger(__name__)

_FINAL = ("masked_lm_loss", "unigram_loss")


def announce_text(data: PretrainingDataModule) -> None:
    """Say what was found in the text."""
    for note in data.prepared.notes:
        logger.info("%s", note)


def announce_run(
    trainer: pl.Trainer,
    module: PretrainingModule,
    data: PretrainingDataModule,
    *,
    checkpoint: CheckpointSettings | None,
) -> None:
    """Say what is trained on how much, and where it can be watched.

    Args:
        trainer: Tells the run's length and folder.
        module: Tells the encoder's size.
        data: Tells what an update is.
        checkpoint: What the run goes on from, if anything.
    """
    total = trainer.max_steps
    encoder = module.model.config
    logger.info(
        "Encoder: %d layers of width %d with %d heads, vocabulary %s, %s parameters.",
        encoder.num_hidden_layers,
        encoder.hidden_size,
        encoder.num_attention_heads,
        f"{encoder.vocab_size:,}",
        f"{sum(parameter.numel() for parameter in module.model.parameters()):,}",
    )
    for line in describe_updates(data, total):
        logger.info("%s", line)
    if module.schedule.num_warmup_updates(total) == total > 1:
        logger.info("The warm-up takes the whole run: the rate never falls.")
    if checkpoint is not None:
        conditions = run_conditions(trainer, data)
        _announce_resumption(checkpoint, total=total, conditions=conditions)
        workers = "data.num_workers"
        before = {**checkpoint.training, workers: checkpoint.conditions.get(workers)}
        now = {**trained_by(module.settings), workers: conditions[workers]}
        if changed := differences(before, now):
            logger.info("From here on by other settings: %s.", "; ".join(changed))
    announce_folder(trainer)


def announce_folder(trainer: pl.Trainer) -> None:
    """Say where the run is written and how it can be watched.

    Args:
        trainer: Tells the folder, and whether anything is written there.
    """
    if trainer.fast_dev_run:  # type: ignore[attr-defined]
        logger.info("A trial (--trainer.fast_dev_run): nothing is written.")
        return
    folder = Path(trainer.default_root_dir)
    watch = shlex.join(["tensorboard", "--logdir", str(folder.parent)])
    logger.info("Folder: %s. Watch: %s", folder, watch)


def _announce_resumption(
    checkpoint: CheckpointSettings, *, total: int, conditions: Conditions
) -> None:
    """Say in what a run will differ from one that had not been interrupted."""
    if checkpoint.update >= total:
        logger.info(
            "The checkpoint has all %s updates: there is nothing left to do. For more, give "
            "--trainer.max_steps.",
            f"{checkpoint.update:,}",
        )
    if checkpoint.total_updates != total:
        logger.info(
            "The checkpoint was to end at update %s; the rate now follows the new length.",
            f"{checkpoint.total_updates:,}",
        )
    changed = changes(checkpoint.conditions, conditions)
    if changed:
        logger.info(
            "Not bit by bit the run that was interrupted, which had other settings: %s.",
            "; ".join(changed),
        )


def announce_scores(trainer: pl.Trainer) -> None:
    """Say what held-out text gave, a line each, and whether that is better than frequencies."""
    scores = {name: float(value) for name, value in sorted(trainer.callback_metrics.items())}
    for name, value in scores.items():
        logger.info("%-32s %.4f", name, value)
    part = trainer.state.fn.value if trainer.state.fn is not None else ""
    prefix = {"validate": "val", "test": "test"}.get(part, part)
    _say_if_nothing_was_learned(*(scores[f"{prefix}/{name}"] for name in _FINAL))


def announce_end(trainer: pl.Trainer) -> None:
    """Say where the run ended, beside what word frequencies alone would give."""
    done, total = f"{trainer.global_step:,}", f"{trainer.max_steps:,}"
    if trainer.global_step > trainer.max_steps:
        logger.info("The run stands at update %s, beyond the length of %s.", done, total)
        return
    if trainer.global_step < trainer.max_steps:
        logger.info(
            "The run stands at update %s of %s. To go on: the same command with --ckpt_path last.",
            done,
            total,
        )
        return
    metrics = trainer.callback_metrics
    if "val/masked_lm_loss" not in metrics:
        logger.info("Finished %s updates, without a validation.", done)
        return
    loss, unigram_loss = (float(metrics[f"val/{name}"]) for name in _FINAL)
    logger.info(
        "Finished %s updates. Validation loss %.3f nats a token (frequencies alone: %.3f).",
        done,
        loss,
        unigram_loss,
    )
    _say_if_nothing_was_learned(loss, unigram_loss)


def _say_if_nothing_was_learned(loss: float, unigram_loss: float) -> None:
    if not loss < unigram_loss:
        logger.info("The model has not learned to use context: train longer, or at another rate.")
