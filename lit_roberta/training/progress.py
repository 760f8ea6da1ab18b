"""How far a run is: updates of the total, the time left, the loss, tokens per second."""

from __future__ import annotations

import logging
import time
from datetime import timedelta
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import ProgressBar
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column

from lit_roberta.training.tags import PRETRAINING, RunTags

logger = logging.getLogger(__name__)

_SECONDS_BETWEEN_LINES = 30.0
_WIDE = 110
"""Columns of a terminal that has room for the validation loss too."""


class UpdateProgress(ProgressBar):
    """Show a bar in a terminal, and a line twice a minute in a log file.

    Lightning's own bars count batches of an epoch, which a resumed run on updates shows as
    `29/?`. This one moves within an update too, with each micro-batch: on a large batch an
    update takes minutes.

    Args:
        console: Where to; None for stderr.
        tags: What the values of the run are called.
    """

    def __init__(self, *, console: Console | None = None, tags: RunTags = PRETRAINING) -> None:
        super().__init__()
        self._tags = tags
        self._console = console or Console(stderr=True)
        self._progress: Progress | None = None
        self._task = TaskID(0)
        self._first_update = 0
        self._began = self._last_line = 0.0
        self._part = self._parts = 0

    # ---- Lightning's interface of a bar

    def disable(self) -> None:
        """Show nothing; Lightning asks for it on all ranks but the first."""
        self._console = Console(quiet=True)

    def enable(self) -> None:
        """Show the bar; it is shown from the start."""

    # ---- hooks

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start to count: what an earlier start has trained says nothing about this one's pace."""
        self._first_update = trainer.global_step
        self._began = self._last_line = time.monotonic()
        if self._console.is_terminal:
            self._progress = Progress(
                TextColumn("{task.description}", table_column=Column(no_wrap=True)),
                BarColumn(bar_width=None),
                console=self._console,
                expand=True,
            )
            self._task = self._progress.add_task("", total=trainer.max_steps)
            self._progress.start()
            self._show(trainer)

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, batch: Any, batch_idx: int
    ) -> None:
        """Note how many parts the update has."""
        self._part, self._parts = 0, len(getattr(batch, "cuts", (None,)))

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Move with a micro-batch."""
        self._part += 1
        if self._part < self._parts:
            self._show(trainer)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Move with an update."""
        self._part = 0
        self._show(trainer)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say why the bar stands still."""
        if self._progress is not None:
            state = self._state(trainer, trainer.global_step)
            self._progress.update(self._task, description=f"{state}, validating")

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Go on."""
        if not trainer.sanity_checking:  # nothing has begun yet
            self._show(trainer)

    def teardown(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Give the terminal back, also after an error."""
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    # ---- showing

    def _show(self, trainer: pl.Trainer) -> None:
        now = time.monotonic()
        is_line_due = now - self._last_line >= _SECONDS_BETWEEN_LINES and not self._console.quiet
        if self._progress is None and not is_line_due:
            return
        done = trainer.global_step + (self._part / self._parts if self._part else 0.0)
        if self._progress is not None:
            self._progress.update(
                self._task, completed=done, description=self._state(trainer, done)
            )
            return
        self._last_line = now
        logger.info("%s", self._state(trainer, done))

    def _state(self, trainer: pl.Trainer, done: int | float) -> str:
        elapsed = time.monotonic() - self._began
        left = time_left(
            elapsed, done=done - self._first_update, remaining=trainer.max_steps - done
        )
        parts = [f"{trainer.global_step:,} of {trainer.max_steps:,} updates", f"{left} left"]
        metrics = trainer.callback_metrics
        if self._tags.train_loss in metrics:
            parts.append(f"loss {float(metrics[self._tags.train_loss]):.3f}")
            parts.append(f"{float(metrics['train/tokens_per_second']):,.0f} tokens/s")
        if self._tags.monitor in metrics and self._console.width >= _WIDE:
            parts.append(f"validation {float(metrics[self._tags.monitor]):.3f}")
        return ", ".join(parts)


def time_left(elapsed: float, *, done: int | float, remaining: int | float) -> str:
    """Estimate the rest of a run from the pace of this start.

    Args:
        elapsed: Seconds since this start.
        done: Updates since this start.
        remaining: Updates to go.

    Example:
        >>> time_left(60.0, done=10, remaining=100)
        '0:10:00'
    """
    if done <= 0:
        return "?"
    return str(timedelta(seconds=round(elapsed / done * remaining)))
