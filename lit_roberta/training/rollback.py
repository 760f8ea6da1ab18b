"""Training that can go back: to the last checkpoint, past the updates that were bad.

The trainer is left by an exception and started again from the file, in the same process, which is
what a kill and a new start do. So nothing of the bad stretch remains: weights, moments, counters,
history, meter and curves are those of the checkpoint. The updates that were bad keep their numbers
and are passed over; the file itself is told so, because a kill may follow.
"""

from __future__ import annotations

import logging
from pathlib import Path

import pytorch_lightning as pl

from lit_roberta.training.checkpoint_files import AtomicCheckpointIO
from lit_roberta.training.csv_table import continue_tables
from lit_roberta.training.divergence import RollBack, leave_out
from lit_roberta.training.updating import UpdatingModule

logger = logging.getLogger(__name__)


def fit(
    trainer: pl.Trainer,
    module: UpdatingModule,
    data: pl.LightningDataModule,
    *,
    ckpt_path: str | Path | None,
) -> None:
    """Train to the end, going back as often as the guard says so.

    Args:
        trainer: Its callbacks hold the guard.
        module: What is trained.
        data: What on.
        ckpt_path: Where to go on from; None to start afresh.

    Raises:
        UserError: If the guard gives the run up.
    """
    while True:
        try:
            # `weights_only` is said because an environment variable can turn the default off.
            trainer.fit(module, datamodule=data, ckpt_path=ckpt_path, weights_only=True)
            return
        except RollBack as event:
            numbers = event.numbers
            ckpt_path = event.checkpoint
        if trainer.is_global_zero:
            update = _leave_out(Path(ckpt_path), numbers)
            continue_tables(trainer.loggers, update=update)
            logger.warning("Going back to where %d updates were finished.", update)
        trainer.strategy.barrier("rollback")


def _leave_out(path: Path, numbers: list[int]) -> int:
    """Have a checkpoint pass over some updates; give the update that it stands at."""
    files = AtomicCheckpointIO()
    checkpoint = files.load_checkpoint(path)
    leave_out(checkpoint["divergence"], numbers)
    files.save_checkpoint(checkpoint, path)
    return int(checkpoint["global_step"])
