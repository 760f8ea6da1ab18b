"""A few updates on a throw-away copy of the model, to see what they take on this machine.

In: the modules of a run that has not begun, and the trainer's settings. Out: seconds. The trial
trains as the run will, on its text, device, strategy and precision; the run's own weights, its
optimizer, its place in the text and every generator stay as they were.
"""

from __future__ import annotations

import copy
import logging
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import pytorch_lightning as pl
import torch
from lightning_fabric.plugins import TorchCheckpointIO
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.utilities import rank_zero_only
from pytorch_lightning.utilities.seed import isolate_rng

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.update_module import UpdateDataModule
from lit_roberta.errors import must
from lit_roberta.training.checkpoint_files import CHECKPOINT_FOLDER, AtomicCheckpointIO
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.pace import Pace, StagePace
from lit_roberta.training.profiling import NoProfiler

logger = logging.getLogger(__name__)

_WARM_UP = 3
"""Updates that are not timed: the first ones compile, allocate and start workers."""
_FEWEST, _MOST = 3, 20
"""Updates that are timed."""
_SHARE = 0.01
"""Share of the hours that one trial may take, where its fewest updates do not take longer."""


class _Seconds(NamedTuple):
    """What was measured."""

    update: float
    validation: float
    save: float


class TrialTimer(Callback):
    """Time updates until there are enough of them, then the validation and a save.

    Args:
        seconds: After which the fewest updates have to do.
        saves_to: Where a save is tried. None: none is.
    """

    def __init__(self, *, seconds: float, saves_to: Path | None) -> None:
        super().__init__()
        self.measured: _Seconds | None = None
        self._limit, self._saves_to = seconds, saves_to
        self._updates: list[float] = []
        self._validation = 0.0
        self._began = self._last = 0.0

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the clock."""
        self._began = self._last = _now(pl_module)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Take the time of an update, with the wait for its text."""
        now = _now(pl_module)
        if trainer.global_step > _WARM_UP:
            self._updates.append(now - self._last)
        self._last = now
        count = len(self._updates)
        enough = count >= _MOST or (count >= _FEWEST and now - self._began > self._limit)
        # One decision for all processes: one that stopped alone would leave the others waiting.
        trainer.should_stop = trainer.strategy.broadcast(enough)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Note when the validation began."""
        self._last = _now(pl_module)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Take the time of the validation."""
        self._validation = _now(pl_module) - self._last

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Take the time of a save; let all processes go by what the first has measured."""
        save = 0.0 if self._saves_to is None else _time_save(trainer, pl_module, self._saves_to)
        if self._updates:
            measured = _Seconds(median(self._updates), self._validation, save)
            self.measured = trainer.strategy.broadcast(measured)


def _time_save(trainer: pl.Trainer, pl_module: pl.LightningModule, path: Path) -> float:
    if type(trainer.strategy.checkpoint_io) is TorchCheckpointIO:
        trainer.strategy.checkpoint_io = AtomicCheckpointIO()
    began = _now(pl_module)
    trainer.save_checkpoint(path, weights_only=False)
    seconds = _now(pl_module) - began
    if trainer.is_global_zero:
        path.unlink(missing_ok=True)
    return seconds


def _now(pl_module: pl.LightningModule) -> float:
    """Tell the time when the device has done what it was given."""
    if pl_module.device.type == "cuda":
        torch.cuda.synchronize(pl_module.device)
    return time.perf_counter()


def measure_pace(
    module: PretrainingModule,
    data: PretrainingDataModule,
    *,
    asked: Mapping[str, Any],
    compiled: bool,
    seconds: float,
) -> Pace:
    """Time updates of every stage of length, a validation and a save.

    Args:
        module: The run's own; a copy of it is trained.
        data: The run's own.
        asked: The trainer's settings, its strategy already built.
        compiled: Whether the run compiles its model.
        seconds: What the run is to take in all.

    Raises:
        UserError: If the strategy trains in processes that tell nothing back.
    """
    text, stages = data.training, []
    measured = _Seconds(0.0, 0.0, 0.0)
    for stage in range(text.num_stages):
        points = []
        for batch_size in _batches_to_time(data, stage):
            is_last = stage == text.last_stage and batch_size == text.full_batch(stage)
            trial = copy.deepcopy(module)
            if compiled:
                trial.model.compile()
            part = data.alone(stage, batch_size=batch_size)
            measured = _try(trial, part, asked, seconds=_SHARE * seconds, is_last=is_last)
            points.append((batch_size, measured.update))
        text.let_go(range(1, stage + 1))
        stages.append(StagePace.through(*points))
        _say(text.packings[stage].max_length, points)
    return Pace(stages=stages, validation=measured.validation, save=measured.save)


def _try(
    trial: PretrainingModule,
    data: UpdateDataModule,
    asked: Mapping[str, Any],
    *,
    seconds: float,
    is_last: bool,
) -> _Seconds:
    """Make one trial; the last one validates and saves, too."""
    path = Path(asked["default_root_dir"]) / CHECKPOINT_FOLDER / "trial.ckpt.part"
    timer = TrialTimer(seconds=seconds, saves_to=path if is_last else None)
    trainer = pl.Trainer(**_trial_settings(asked, timer, validates=is_last))
    with isolate_rng():
        trainer.fit(trial, datamodule=data)
    if timer.measured is None:
        remedy = "Give --trainer.max_steps, or another --trainer.strategy."
        got = type(trainer.strategy).__name__
        raise must("max_hours", "have a strategy that can be timed", got, remedy)
    return timer.measured


def _batches_to_time(data: PretrainingDataModule, stage: int) -> Iterator[int]:
    """Choose the batches to time: the smallest of the ramp, if there is one, and the full one."""
    start, full = data.training.ramp.start, data.training.full_batch(stage)
    if start is not None and start < full:
        yield start
    yield full


def _trial_settings(
    asked: Mapping[str, Any], timer: TrialTimer, *, validates: bool
) -> dict[str, Any]:
    """Give the trainer's settings of a trial: the device's are the run's, all else is off."""
    kept = {
        name: copy.deepcopy(value)
        for name, value in asked.items()
        if name not in ("logger", "callbacks", "profiler")
    }
    return {
        **kept,
        "max_steps": _WARM_UP + _MOST,
        "max_epochs": -1,
        "max_time": None,
        "check_val_every_n_epoch": None,
        "val_check_interval": _WARM_UP + _MOST,
        "limit_val_batches": asked["limit_val_batches"] if validates else 0,
        "num_sanity_val_steps": 0,
        "log_every_n_steps": 1,
        "logger": False,
        "callbacks": [timer],
        "use_distributed_sampler": False,
        "profiler": NoProfiler(),
        "enable_checkpointing": False,
        "enable_progress_bar": False,
        "enable_model_summary": False,
    }


@rank_zero_only
def _say(max_length: int, points: list[tuple[int, float]]) -> None:
    times = ", ".join(f"{seconds:.3g} s with {size:,} sequences" for size, seconds in points)
    logger.info("Measured: an update at length %d takes %s.", max_length, times)
