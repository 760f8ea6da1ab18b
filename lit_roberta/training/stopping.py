"""How a run ends early: by a signal or by the clock, after the last update that was finished.

A request is a flag that the training step looks at between micro-batches. The unfinished update is
dropped, because half an update can't be resumed, and everything else of the run stays as it would
be without the stop.
"""

from __future__ import annotations

import logging
import math
import os
import signal
import threading
import time
from datetime import timedelta
from types import FrameType

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.training.ranks import highest_over_ranks

logger = logging.getLogger(__name__)

_EXIT_STATUSES = {
    "SIGINT": 130,  # 128 + its number, as shells report it
    "SIGTERM": 143,
    "SIGUSR1": 0,  # a scheduler's notice that time runs out: an end as planned
}


class StopOnSignal(Callback):
    """Stop at Ctrl-C, SIGTERM, SIGUSR1, or when the time is up.

    Lightning leaves on Ctrl-C with status 1 and on SIGTERM with status 0, and saves at neither.
    A second Ctrl-C exits at once and saves nothing.

    Args:
        max_time: How long this start of the run may train. None: no limit.
    """

    def __init__(self, *, max_time: timedelta | None = None) -> None:
        super().__init__()
        self.max_time = max_time
        self.exit_status = 0
        """What the process should exit with: 130 after Ctrl-C, 143 after SIGTERM, else 0.

        Processes that train together all say the same, whichever got the signal.
        """
        self._process = os.getpid()
        self._reason: str | None = None
        self._agreed = False
        self._deadline = math.inf
        self._num_ranks = 1
        self._update = 0

    @property
    def stopped(self) -> bool:
        """Whether a stop was asked for."""
        return self._reason is not None

    # ---- asking

    def ask(self, reason: str) -> None:
        """Ask for a stop, as a signal does; the exit status stays 0.

        Args:
            reason: Why, for the log.
        """
        self._reason = self._reason or reason

    def stop_requested(self) -> bool:
        """Tell whether to stop. Processes that train together all say the same in an update."""
        return self._agreed if self._num_ranks > 1 else self._asked_here()

    def _asked_here(self) -> bool:
        if time.monotonic() >= self._deadline:
            self.ask("the time is up")
        return self.stopped

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        """Note the request; nothing more is safe inside a handler."""
        if os.getpid() != self._process:
            return  # a forked loader worker: its parent decides
        if number == signal.SIGINT and self._reason == "SIGINT":
            os._exit(130)
        self._reason = signal.Signals(number).name
        self.exit_status = _EXIT_STATUSES[self._reason]

    # ---- hooks

    def on_sanity_check_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Listen from here on."""
        self._listen()

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Listen, start the clock, and let the module ask."""
        self._listen()
        self._num_ranks = trainer.world_size
        if self.max_time is not None and self._deadline == math.inf:  # a rollback starts again
            self._deadline = time.monotonic() + self.max_time.total_seconds()
        # The one thing asked of the module: to look at this between micro-batches.
        pl_module.stop_requested = self.stop_requested  # type: ignore[assignment]

    def _listen(self) -> None:
        """Take the signals over from Lightning.

        Lightning sets its own handlers just before the first hook that calls this, having noted
        all that were there; it puts those back after the run, also after an error. So nothing has
        to be restored here.
        """
        self._process = os.getpid()
        if threading.current_thread() is not threading.main_thread():
            return  # only the main thread may; then whoever runs this one does the stopping
        for name in _EXIT_STATUSES:
            if hasattr(signal, name):  # Windows has no SIGUSR1
                signal.signal(getattr(signal, name), self._on_signal)

    def on_train_batch_start(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Note where the update begins; agree with the other processes."""
        self._update = trainer.global_step
        if self._num_ranks > 1:
            self._agree(trainer)

    def _agree(self, trainer: pl.Trainer) -> None:
        """Stop if any process was asked to, and leave with the highest status of all."""
        asked = 1 + self.exit_status if self._asked_here() else 0
        highest = highest_over_ranks(trainer, asked)
        self._agreed = highest > 0
        self.exit_status = max(self.exit_status, highest - 1)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Leave the loop where an update was dropped.

        Not where one was finished: the validation and the log entry that may be due after it
        would be lost, and the next update is dropped before it costs anything.
        """
        if trainer.global_step > self._update or not self.stop_requested():
            return
        logger.info(
            "Stopping after update %d: %s.", self._update, self._reason or "another process stops"
        )
        trainer.should_stop = True
        # Lightning ends its loop at once on this; otherwise it would validate first.
        raise StopIteration
