"""A few updates of a run, to see how long they take.

In: a run that was built and not started. Out: seconds. The updates are the run's own, through its
own loader and its own training step, on the device that it would have; the weights that come of it
are of no use to anyone.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from torch.utils.data import DataLoader, Dataset

from lit_roberta.batch import IGNORE_INDEX, Update
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.loaders import update_loader
from lit_roberta.data.stream import UpdateSampler
from lit_roberta.model.config import EncoderConfig
from lit_roberta.model.flops import training_flops
from lit_roberta.planning.unstarted import UnstartedRun
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.trainer_settings import in_one_line

_PASSED_ON = ("precision", "deterministic", "benchmark", "plugins")
"""What a trial's trainer has of the run's own."""

_SCORED_BATCHES = 8
"""Of a validation, to time it by."""


@dataclass(frozen=True, kw_only=True)
class TrialResult:
    """How long updates took."""

    seconds_per_update: float
    """Median behind the first, which warms up; wall time, loading included."""
    updates: int
    """That were timed. 0: less than one, whose micro-batches were timed until time was out."""


class _TrialUpdates(Dataset[Update]):
    """Some updates of a run, numbered from 0 as a fresh trainer wants them."""

    def __init__(self, give: Callable[[int], Update], numbers: Sequence[int]) -> None:
        self._give = give
        self._numbers = numbers

    def __getitem__(self, number: int) -> Update:
        return self._give(self._numbers[number])._replace(number=number)


class _TrialData(pl.LightningDataModule):
    """The run's data module, with the trial's updates in place of its own."""

    def __init__(
        self, data: PretrainingDataModule, give: Callable[[int], Update], numbers: Sequence[int]
    ) -> None:
        super().__init__()
        self._data = data
        self._give = give
        self._numbers = numbers

    def __getattr__(self, name: str) -> Any:
        return getattr(self._data, name)

    def train_dataloader(self) -> DataLoader[Update]:
        """Give the trial's updates."""
        count = len(self._numbers)
        return update_loader(
            _TrialUpdates(self._give, self._numbers),
            UpdateSampler(lambda: 0, lambda: count),
            num_workers=self._data.num_workers,
            pin_memory=torch.cuda.is_available(),
        )

    def val_dataloader(self) -> Any:
        """Give the run's own: a trainer that finds none says so."""
        return self._data.val_dataloader()


class Stopwatch(Callback):
    """Note when updates end, and stop when the time is out.

    Args:
        seconds: After these, no further update begins. Where not even the first has ended, it is
            given up between two micro-batches.
    """

    def __init__(self, seconds: int | float) -> None:
        self.ends: list[float] = []
        """When the trial began, and when each update ended."""
        self.cuts: list[float] = []
        """When each micro-batch of the present update began."""
        self.gave_up = False
        self._seconds = seconds

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the clock."""
        module: Any = pl_module
        module.stop_requested = self._give_up
        self.ends = [_now(pl_module.device)]

    def on_train_batch_start(self, *_: Any) -> None:
        """Begin an update."""
        self.cuts = []

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any
    ) -> None:
        """End an update."""
        if not self.gave_up:
            self.ends.append(_now(pl_module.device))
        enough = len(self.ends) > 2 and self.ends[-1] - self.ends[0] > self._seconds
        if self.gave_up or enough:
            trainer.should_stop = True

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Leave the module as it was."""
        module: Any = pl_module
        module.stop_requested = _never

    def _give_up(self) -> bool:
        self.cuts.append(time.monotonic())
        late = self.cuts[-1] - self.ends[0] > self._seconds
        self.gave_up = late and len(self.ends) == 1 and len(self.cuts) > 1
        return self.gave_up

    def result(self, update: Update, encoder: EncoderConfig) -> TrialResult:
        """Tell what an update takes.

        Args:
            update: The first one; only read where it was given up.
            encoder: Tells its work.
        """
        between = [end - begin for begin, end in zip(self.ends, self.ends[1:], strict=False)]
        if between:
            timed = between[1:] or between
            return TrialResult(seconds_per_update=statistics.median(timed), updates=len(timed))
        first = 1 if len(self.cuts) > 2 else 0  # the first micro-batch warms up
        share = _share_of_work(update, encoder, first, len(self.cuts) - 1)
        return TrialResult(
            seconds_per_update=(self.cuts[-1] - self.cuts[first]) / share, updates=0
        )


def time_updates(
    run: UnstartedRun, data: PretrainingDataModule, *, seconds: int | float, updates: int
) -> TrialResult:
    """Make some updates of a run on one device, and time them.

    Args:
        run: Not started.
        data: Of one kind of update; a device gets its share of each.
        seconds: About how long, at the most.
        updates: How many, besides one that warms up.
    """
    watch = Stopwatch(seconds)
    stream = data.stream(world_size=run.trainer.world_size)
    trainer = _trainer(run, updates=updates + 1, callbacks=[watch])
    trial = _TrialData(run.datamodule, stream.__getitem__, range(updates + 1))
    with without_small_talk():
        trainer.fit(run.model, datamodule=trial)
    return watch.result(stream[0], run.model.model.config)


def try_update(run: UnstartedRun, update: Update) -> None:
    """Make an update twice: from the second on, the optimizer has its moments."""
    trainer = _trainer(run, updates=2, callbacks=[])
    with without_small_talk():
        trainer.fit(run.model, datamodule=_TrialData(run.datamodule, [update].__getitem__, [0, 0]))


def time_validation(run: UnstartedRun) -> float:
    """Score a few batches of validation text; tell how long all of it would take, in seconds."""
    trainer = _trainer(run, updates=1, callbacks=[], limit_val_batches=_SCORED_BATCHES)
    began = time.monotonic()
    with without_small_talk():
        trainer.validate(run.model, datamodule=run.datamodule, verbose=False)
    seconds = time.monotonic() - began
    loaders: Any = run.datamodule.val_dataloader()
    batches = [len(loader) for loader in loaders]
    scored = sum(min(count, _SCORED_BATCHES) for count in batches)
    return seconds * sum(batches) / max(1, scored)


def _trainer(
    run: UnstartedRun, *, updates: int, callbacks: list[Callback], limit_val_batches: int = 0
) -> pl.Trainer:
    """Build a trainer for one device that keeps nothing."""
    device = run.device
    with in_one_line(), without_small_talk():
        return pl.Trainer(
            **{name: run.asked[name] for name in _PASSED_ON},
            accelerator="gpu" if device.type == "cuda" else device.type,
            devices=[device.index] if device.type == "cuda" else 1,
            max_steps=updates,
            max_epochs=-1,
            callbacks=callbacks,
            limit_val_batches=limit_val_batches,
            num_sanity_val_steps=0,
            check_val_every_n_epoch=None,
            use_distributed_sampler=False,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
        )


def _share_of_work(update: Update, encoder: EncoderConfig, first: int, stop: int) -> float:
    """Tell which share of an update's work some of its micro-batches have."""
    lengths = update.attention_mask.sum(dim=1)
    predictions = (update.labels != IGNORE_INDEX).sum(dim=1)
    rows = slice(update.cuts[first].start, update.cuts[stop - 1].stop)
    some, whole = (
        training_flops(encoder, lengths=lengths[part], predictions=predictions[part])
        for part in (rows, slice(None))
    )
    return some / whole


def _now(device: torch.device) -> float:
    """Read the clock, once the device has done what it was given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    return time.monotonic()


def _never() -> bool:
    return False
