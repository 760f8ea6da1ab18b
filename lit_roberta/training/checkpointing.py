"""When a run is saved, and under which names.

One callback decides all of it. A save always means "between two updates": whatever hook it happens
in, the file says that so many updates are finished and that nothing else is under way.
"""

from __future__ import annotations

import logging
import math
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from lightning_fabric.plugins import TorchCheckpointIO
from pytorch_lightning.callbacks import Checkpoint
from pytorch_lightning.trainer.states import TrainerFn

from lit_roberta.errors import must
from lit_roberta.training.checkpoint_files import (
    BEST,
    CHECKPOINT_FOLDER,
    LAST,
    AtomicCheckpointIO,
    give_another_name,
    remove_leftovers,
)
from lit_roberta.training.tags import PRETRAINING, RunTags

logger = logging.getLogger(__name__)


class UpdateCheckpoint(Checkpoint):
    """Save every N updates, at each better validation, at the last update, and at every stop.

    `last.ckpt` is the newest, `best.ckpt` the one with the best validation: the lowest loss, or
    what else a run is judged by. Where a
    validation and a save are due after the same update, the validation comes first and there is
    one save. Lightning's own callback saves nothing at the end, warns at each save under manual
    optimization, and makes a `last-v1.ckpt` in a folder that has been used.

    Args:
        every_n_updates: Updates between two saves.
        keep_powers_of_two: Keep `update-<n>.ckpt` for n = 1, 2, 4, 8, ... besides, to study how
            training went.
        tags: Say which logged value makes the best one.
        folder: Where to. None: `checkpoints/` in the trainer's default_root_dir.
    """

    def __init__(
        self,
        *,
        every_n_updates: int = 1000,
        keep_powers_of_two: bool = False,
        tags: RunTags = PRETRAINING,
        folder: Path | None = None,
    ) -> None:
        super().__init__()
        if every_n_updates < 1:
            remedy = "Give a number above the run's length to save at its end only."
            raise must("checkpoint.every_n_updates", "be 1 or more", every_n_updates, remedy)
        self.every_n_updates = every_n_updates
        self.keep_powers_of_two = keep_powers_of_two
        self.folder = folder
        self.judge_by(tags)
        self.validated: dict[str, int | float] = {}
        """The last validation: its update, and what it measured."""
        self._saved_update = 0  # before the first update there is nothing to save
        self._due = False

    def judge_by(self, tags: RunTags) -> None:
        """Say which logged value makes the best one, before any was logged."""
        self.monitor = tags.monitor
        self._sign = -1.0 if tags.higher_is_better else 1.0
        self.best_score = self._sign * math.inf

    @property
    def best_model_path(self) -> str:
        """The best checkpoint so far, "" before there is one; `ckpt_path="best"` reads it."""
        if self.folder is None or not (self.folder / BEST).is_file():
            return ""
        return str(self.folder / BEST)

    # ---- hooks

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Have checkpoints written and read safely; clear what earlier kills left."""
        if self.folder is None:
            self.folder = Path(trainer.default_root_dir) / CHECKPOINT_FOLDER
        if type(trainer.strategy.checkpoint_io) is TorchCheckpointIO:
            trainer.strategy.checkpoint_io = AtomicCheckpointIO()
        if stage == TrainerFn.FITTING and trainer.is_global_zero:
            remove_leftovers(self.folder)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Note that what was loaded needs no saving."""
        self._saved_update = trainer.global_step
        self._due = False

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Note whether a save is due; it waits for the validation that may follow."""
        update = trainer.global_step
        self._due = self._is_kept(update) or update % self.every_n_updates == 0
        if update == trainer.max_steps:
            # Lightning validates at multiples of its interval only, or where a run is to stop.
            trainer.should_stop = True
        elif self._due and not validation_follows(trainer):
            self._save(trainer)

    def on_validation_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Save before the rest of a validation where a stop was asked for: a kill may follow."""
        if _trains(trainer) and getattr(pl_module, "stop_requested", _never)():
            self._save(trainer)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Save what is the best so far, or what was due."""
        if not _trains(trainer):
            return
        score = float(trainer.callback_metrics.get(self.monitor, math.nan))
        self.validated = {"update": trainer.global_step} | {
            name: float(value)
            for name, value in trainer.callback_metrics.items()
            if name.startswith(("val/", "general/"))
        }
        is_best = self._sign * score < self._sign * self.best_score  # never for NaN
        if is_best:
            self.best_score = score
        if is_best or self._due:
            self._save(trainer, is_best=is_best)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Save the last update, or the last finished one where the run was stopped."""
        self._save(trainer)

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Let the file say that the run stands between two updates."""
        stand_between_updates(checkpoint["loops"]["fit_loop"], num_updates=trainer.global_step)

    def state_dict(self) -> dict[str, Any]:
        """Give the best score so far, and the last validation for a reader."""
        return {"best_score": self.best_score, "validated": dict(self.validated)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on with the best score so far."""
        self.best_score = state_dict["best_score"]
        self.validated = state_dict.get("validated", {})

    # ---- saving

    def _is_kept(self, update: int) -> bool:
        return self.keep_powers_of_two and update > 0 and update & (update - 1) == 0

    def _save(self, trainer: pl.Trainer, *, is_best: bool = False) -> None:
        """Write one file and give it all the names that it has earned."""
        update = trainer.global_step
        self._due = False
        is_saved = update == self._saved_update and not is_best
        if is_saved or getattr(trainer, "fast_dev_run", False):
            return
        assert self.folder is not None
        names = [LAST]
        if is_best:
            names.insert(0, BEST)
        if self._is_kept(update):
            names.insert(0, f"update-{update}.ckpt")
        # `last` comes last: a kill in between then leaves an earlier one, from which the run comes
        # through here again.
        first, *others = (self.folder / name for name in names)
        trainer.save_checkpoint(first, weights_only=False)  # with the optimizer's state
        if trainer.is_global_zero:
            for other in others:
                give_another_name(first, other)
        trainer.strategy.barrier("UpdateCheckpoint")
        self._saved_update = update
        logger.debug("Saved update %d as %s.", update, ", ".join(names))


def validation_follows(trainer: pl.Trainer) -> bool:
    """Tell, at the end of an update, whether Lightning is about to validate."""
    loop = trainer.fit_loop.epoch_loop
    return loop._should_check_val_fx(trainer.fit_loop._data_fetcher)  # type: ignore[arg-type]


def stand_between_updates(fit_loop: dict[str, Any], *, num_updates: int) -> None:
    """Rewrite the state of Lightning's loops: so many updates finished, nothing under way.

    What Lightning stores depends on the hook that the save happens in, and an update that was
    dropped at a stop is counted as a batch. A resumed run would then validate at other updates
    than an uninterrupted one, or once more, or not at all. The position in the text is not touched
    by this: it follows from the number of finished updates.

    Args:
        fit_loop: The state of the fit loop, changed in place.
        num_updates: Updates finished.
    """
    if not num_updates:
        return  # nothing has begun yet
    # These are the counts during `on_train_batch_end` of the last update, from where Lightning
    # resumes with the next one, and does not validate again.
    finished = {"ready": num_updates, "started": num_updates, "processed": num_updates}
    finished["completed"] = num_updates - 1
    batches = fit_loop["epoch_loop.batch_progress"]
    batches["total"], batches["current"] = dict(finished), dict(finished)
    batches["is_last_batch"] = False  # the next run may be longer
    fit_loop["epoch_loop.state_dict"]["_batches_that_stepped"] = num_updates - 1
    for counts in (fit_loop["epoch_progress"]["total"], fit_loop["epoch_progress"]["current"]):
        counts.update(ready=1, started=1, processed=0, completed=0)
    validation = fit_loop["epoch_loop.val_loop.batch_progress"]
    for counts in (validation["total"], validation["current"]):
        counts.update(ready=0, started=0, processed=0, completed=0)


def _trains(trainer: pl.Trainer) -> bool:
    return trainer.state.fn == TrainerFn.FITTING and not trainer.sanity_checking


def _never() -> bool:
    return False
