"""What a run says of itself before its first update and after its last."""

from __future__ import annotations

import logging
from pathlib import Path

import pytorch_lightning as pl

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.training.checkpoint_settings import CheckpointSettings
from lit_roberta.training.module import PretrainingModule

logger = logging.getLogger(__name__)


def announce_run(
    module: PretrainingModule,
    data: PretrainingDataModule,
    *,
    total: int,
    folder: Path,
    checkpoint: CheckpointSettings | None,
) -> None:
    """Say what is trained on how much, and where it can be watched.

    Args:
        module: Tells the encoder's size.
        data: Tells what an update is.
        total: Updates of the run.
        folder: Of the run.
        checkpoint: What the run goes on from, if anything.
    """
    encoder = module.model.config
    logger.info(
        "Encoder: %d layers of width %d with %d heads, vocabulary %s, %s parameters.",
        encoder.num_hidden_layers,
        encoder.hidden_size,
        encoder.num_attention_heads,
        f"{encoder.vocab_size:,}",
        f"{sum(parameter.numel() for parameter in module.model.parameters()):,}",
    )
    logger.info(
        "Training: %s updates of %s sequences (some %s tokens), %.1f passes over %s examples.",
        f"{total:,}",
        f"{data.sequences_per_update:,}",
        f"{data.sequences_per_update * data.tokens_per_sequence:,.0f}",
        total * data.sequences_per_update / data.num_examples,
        f"{data.num_examples:,}",
    )
    if checkpoint is not None and checkpoint.total_updates != total:
        logger.info(
            "The checkpoint was to end at update %s; the rate now follows the new length.",
            f"{checkpoint.total_updates:,}",
        )
    logger.info("Folder: %s. Watch: tensorboard --logdir %s", folder, folder.parent)


def announce_end(trainer: pl.Trainer) -> None:
    """Say where the run ended, beside what word frequencies alone would give."""
    if trainer.global_step < trainer.max_steps:
        logger.info("The run is not finished. To go on: the same command with --ckpt_path last.")
        return
    metrics = trainer.callback_metrics
    if "val/masked_lm_loss" not in metrics:
        return
    logger.info(
        "Finished %s updates. Validation loss %.3f nats a token (frequencies alone: %.3f).",
        f"{trainer.global_step:,}",
        float(metrics["val/masked_lm_loss"]),
        float(metrics["val/unigram_loss"]),
    )
