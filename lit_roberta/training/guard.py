"""What a run does about updates that would harm it: stop, leave them out, or go back.

In: the verdicts of `divergence`, read where a log entry, a validation or a save waits for the
device anyway. Out: one line that names the update and its examples; or a rollback, which
`rollback` carries out. No checkpoint is written before the verdicts up to it were read, so what
is saved was trained on good updates alone.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.errors import UserError, must
from lit_roberta.training.checkpoint_files import LAST
from lit_roberta.training.checkpointing import UpdateCheckpoint
from lit_roberta.training.divergence import MOST_UNREAD, BadUpdate, DivergenceWatch, RollBack
from lit_roberta.training.divergence_report import REPORT, describe, write_report

logger = logging.getLogger(__name__)

Action = Literal["stop", "skip", "rollback"]

PATIENCE = 20
"""Bad updates in a row after which a run that skips them is given up."""


class DivergenceGuard(Callback):
    """Stop, skip or roll back where an update's loss or gradient is not finite, or has exploded.

    An update whose loss or gradient is not finite, or whose loss lies 5 nats above the best
    stretch of the run (more where losses jump by themselves), never changes the weights.

    Args:
        action: What follows: stop ends the run with the update's number and examples; skip goes on
            without the update; rollback goes back to the last checkpoint and from there on passes
            over the updates that were bad.
        max_rollbacks: After so many, over the whole run, the next bad update ends it.
    """

    # `stop` is the default because a bad update has a cause: a rate that is too high, or text
    # that is no text. It shows at once, loses nothing, and a person can still choose to go on.

    def __init__(self, *, action: Action = "stop", max_rollbacks: int = 3) -> None:
        super().__init__()
        if max_rollbacks < 1:
            remedy = "For none, give --divergence.action stop."
            raise must("divergence.max_rollbacks", "be 1 or more", max_rollbacks, remedy)
        self.action = action
        self.max_rollbacks = max_rollbacks

    # ---- hooks

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """See that there is a checkpoint to go back to."""
        if self.action != "rollback" or _is_trial(trainer):
            return
        last = _last_checkpoint(trainer)
        started_from = trainer.ckpt_path
        if started_from is None or not last.is_file() or not last.samefile(started_from):
            trainer.save_checkpoint(last, weights_only=False)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Look where a log entry waits for the device anyway."""
        update = trainer.global_step
        every: int = trainer.log_every_n_steps  # type: ignore[attr-defined]
        is_full = _watch(pl_module).num_unread >= MOST_UNREAD
        if update % every == 0 or update == trainer.max_steps or is_full:
            self._look(trainer, pl_module)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Look before time is spent on a validation."""
        self._look(trainer, pl_module)

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Look before anything is saved, and save what was seen."""
        self._look(trainer, pl_module)
        checkpoint["divergence"] = _watch(pl_module).state_dict()

    # ---- deciding

    def _look(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        watch = _watch(pl_module)
        bad = watch.read()
        if not bad:
            return
        if self.action == "skip":
            self._skip(bad, watch)
            return
        module: Any = pl_module
        contents = module.datamodule.update_contents(bad[0].number, total=trainer.max_steps)
        words = describe(bad[0], contents)
        if trainer.is_global_zero and not _is_trial(trainer):
            path = Path(trainer.default_root_dir) / REPORT
            with suppress(OSError):  # a full disk must not take the place of what is said here
                write_report(path, bad, contents, module.datamodule)
                words += f" All of it with its text: {path}."
        if self.action == "stop" or _is_trial(trainer):
            raise UserError(
                f"{words} No weights after it were saved. Lower --model.optimizer.lr, mend the "
                "text, or go on from the last checkpoint with --divergence.action rollback."
            )
        if watch.rollbacks >= self.max_rollbacks:
            raise UserError(
                f"{words} The run went back {watch.rollbacks} times before: lower "
                "--model.optimizer.lr, mend the text, or raise --divergence.max_rollbacks."
            )
        if trainer.is_global_zero:
            logger.warning("%s", words)
        raise RollBack(_last_checkpoint(trainer), bad)

    def _skip(self, bad: Sequence[BadUpdate], watch: DivergenceWatch) -> None:
        for update in bad:
            logger.warning("Update %d was left out: %s.", update.number, update)
        stepped = [update for update in bad if not watch.could_leave_out(update)]
        if stepped:
            raise UserError(
                f"Update {stepped[0].number} can't be left out: {stepped[0]}, and under 16-bit "
                "precision only a step without a finite gradient is. Give --trainer.precision "
                "bf16-mixed, or --divergence.action rollback."
            )
        if watch.in_a_row >= PATIENCE:
            raise UserError(
                f"The run has diverged: its last {watch.in_a_row} updates were left out. Lower "
                "--model.optimizer.lr or --model.optimizer.clip_norm; what was saved is sound."
            )


def _watch(pl_module: Any) -> DivergenceWatch:
    watch: DivergenceWatch = pl_module.divergence
    return watch


def _last_checkpoint(trainer: pl.Trainer) -> Path:
    callback = trainer.checkpoint_callback
    assert isinstance(callback, UpdateCheckpoint), "a rollback needs our checkpoints"
    assert callback.folder is not None
    return callback.folder / LAST


def _is_trial(trainer: pl.Trainer) -> bool:
    return bool(trainer.fast_dev_run)  # type: ignore[attr-defined]
