"""Signals that a run gets at a moment of its own choosing, between updates or within a save."""

from __future__ import annotations

import io
import multiprocessing
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal
from unittest import mock

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from lit_roberta.training.stopping import StopOnSignal

Moment = Literal[
    "between micro-batches",
    "after the step",
    "validation",
    "half written",
    "before fsync",
    "before rename",
    "between names",
    "after rename",
]
SAVING: tuple[Moment, ...] = (
    "half written",
    "before fsync",
    "before rename",
    "between names",
    "after rename",
)
"""The points of a save, in their order."""


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A signal that the process gets, once."""

    signal: signal.Signals | None
    """None: the run's time is up."""
    update: int
    """Updates finished by then."""
    moment: Moment = "between micro-batches"
    to: Literal["training", "workers", "all"] = "training"
    """Which processes get it; Ctrl-C in a terminal goes to all."""
    rank: int | None = None
    """Which of the processes that train together; None: each."""
    rollbacks: int = 0
    """How often the run has gone back by then."""


class Striker(Callback):
    """Send the signal to this process at its moment."""

    def __init__(self, hit: Hit) -> None:
        self.hit = hit
        self.struck = False
        self.rollbacks = 0

    def strike(self, trainer: pl.Trainer, moment: Moment) -> None:
        if (
            moment == self.hit.moment
            and trainer.global_step >= self.hit.update
            and self.rollbacks >= self.hit.rollbacks
            and not self.struck
            and self.hit.rank in (None, trainer.global_rank)
        ):
            self.struck = True
            if self.hit.signal is None:
                _end_time(trainer)
                return
            workers = multiprocessing.active_children()
            for worker in workers if self.hit.to != "training" else ():
                os.kill(worker.pid or 0, self.hit.signal)
            if self.hit.to != "workers":
                os.kill(os.getpid(), self.hit.signal)

    def on_train_start(self, trainer: pl.Trainer, pl_module: Any) -> None:
        self.rollbacks = pl_module.divergence.rollbacks
        save, fsync, replace, link = torch.save, os.fsync, Path.replace, os.link

        def save_half(checkpoint: Any, file: IO[bytes]) -> None:
            if self.hit.moment == "half written":
                whole = io.BytesIO()
                save(checkpoint, whole)
                file.write(whole.getvalue()[: whole.tell() // 2])
                file.flush()
                self.strike(trainer, "half written")
                file.seek(0)
            save(checkpoint, file)

        def strike_before_fsync(descriptor: int) -> None:
            self.strike(trainer, "before fsync")
            fsync(descriptor)

        def strike_around_replace(part: Path, path: Path) -> Path:
            is_checkpoint = path.name in ("last.ckpt", "best.ckpt")
            if is_checkpoint:
                self.strike(trainer, "before rename")
            replace(part, path)
            if is_checkpoint:
                self.strike(trainer, "after rename")
            return path

        def strike_before_link(path: Path, other: Path) -> None:
            self.strike(trainer, "between names")
            link(path, other)

        # For the rest of the process, which is this run's own.
        mock.patch("torch.save", save_half).start()
        mock.patch("os.fsync", strike_before_fsync).start()
        mock.patch.object(Path, "replace", strike_around_replace).start()
        mock.patch("os.link", strike_before_link).start()

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.strike(trainer, "between micro-batches")

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        self.strike(trainer, "after the step")

    def on_validation_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        self.strike(trainer, "validation")


def _end_time(trainer: pl.Trainer) -> None:
    """Let the run's time be up."""
    callbacks: list[Callback] = trainer.callbacks  # type: ignore[attr-defined]
    for callback in callbacks:
        if isinstance(callback, StopOnSignal):
            callback._deadline = 0.0


class StopAt(Callback):
    """Tell the run, as a scheduler does, that its time is up."""

    def __init__(self, update: int, name: str = "SIGUSR1") -> None:
        self.update = update
        self.name = name

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.global_step == self.update:
            os.kill(os.getpid(), signal.Signals[self.name])


class AskTwice(Callback):
    """Press Ctrl-C twice."""

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if trainer.global_step == 5:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            raise AssertionError("still here")
