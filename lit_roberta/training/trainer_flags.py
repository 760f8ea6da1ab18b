"""Flags of Lightning's Trainer that an update of ours has no room for, and those that it needs."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from lit_roberta.errors import must
from lit_roberta.training.sharding import FSDP2, FullySharded

_REFUSED = {
    "accumulate_grad_batches": (
        1,
        "Give --data.micro_batch_size N: it cuts an update to fit, and its gradient stays exact.",
    ),
    "gradient_clip_val": (None, "Give --model.optimizer.clip_norm NORM."),
    "gradient_clip_algorithm": (None, "Clipping is by norm: --model.optimizer.clip_norm NORM."),
    "overfit_batches": (
        0.0,
        "It would put another sampler in the stream's place. Give a small --data.corpus instead.",
    ),
    "limit_train_batches": (None, "Give the length of the run: --trainer.max_steps N."),
    "min_steps": (None, "A run has one length: --trainer.max_steps N."),
    "min_epochs": (None, "A run has one length: --trainer.max_steps N."),
    "check_val_every_n_epoch": (1, "Give --trainer.val_check_interval N, in updates."),
    "reload_dataloaders_every_n_epochs": (0, "The stream of updates has no epochs to reload at."),
    "barebones": (False, "Turn off what you do not need, as --trainer.enable_progress_bar false."),
}
"""By flag: the one value that it may have, and what to do instead."""

_REFUSED_PRECISIONS = ("16-true", "bf16-true")
"""Weights in 16 bits: a small step rounds back to the weight that it started from."""

_SHARDED_PRECISIONS = ("32-true", "bf16-mixed", "32", 32, "bf16")
_ELSEWHERE = ("fsdp", "deepspeed", "modelparallel", "model_parallel", "xla")
"""In names of strategies that clip, accumulate or save in ways of their own."""

_REFUSED_CALLBACKS = {
    "BatchSizeFinder": "Give --data.micro_batch_size: the gradient stays exact.",
    "LearningRateFinder": "Compare rates on validation text instead: compare.py --tune-lr.",
    "StochasticWeightAveraging": "Give pytorch_lightning.callbacks.EMAWeightAveraging.",
    "GradientAccumulationScheduler": "Give --data.batch_size for a run; its updates are alike.",
    "ModelCheckpoint": "Give --checkpoint.every_n_updates; last and best are always kept.",
    "LearningRateMonitor": "The rate is in TensorBoard already, as train/lr.",
}


def refuse_trainer_flags(trainer: Mapping[str, Any], *, compiles: bool = False) -> None:
    """Refuse what manual optimization or the stream can't honour; nothing is skipped silently.

    Args:
        trainer: The trainer's settings, as parsed.
        compiles: Whether the model is to be compiled.

    Raises:
        UserError: Names ours in place of the flag.
    """
    for flag, (allowed, remedy) in _REFUSED.items():
        value = trainer.get(flag, allowed)
        if value is not None and value != allowed:
            raise must(f"trainer.{flag}", f"stay {allowed}", value, remedy)
    every = trainer.get("log_every_n_steps")
    if every is not None and every < 1:
        raise must("trainer.log_every_n_steps", "be 1 or more", every, "Give updates.")
    precision = trainer.get("precision")
    if precision in _REFUSED_PRECISIONS:
        remedy = "Weights in 16 bits lose small steps without a word."
        raise must("trainer.precision", "be 32-true, bf16-mixed or 16-mixed", precision, remedy)
    _refuse_strategy(trainer.get("strategy") or "auto", precision=precision, compiles=compiles)
    callbacks = trainer.get("callbacks") or []
    for callback in callbacks if isinstance(callbacks, list) else [callbacks]:
        name = str(callback.get("class_path", "")).rpartition(".")[2]
        if name in _REFUSED_CALLBACKS:
            remedy = _REFUSED_CALLBACKS[name]
            raise must("trainer.callbacks", f"do without {name}", name, remedy)


def _refuse_strategy(asked: object, *, precision: object, compiles: bool) -> None:
    """Refuse to train in several processes in a way that is not exact here."""
    name = str(asked.get("class_path") if isinstance(asked, Mapping) else asked)
    is_sharded = name.rpartition(".")[2] in (FSDP2, FullySharded.__name__)
    if not is_sharded and any(word in name.lower() for word in _ELSEWHERE):
        remedy = f"To shard weights, gradients and moments over devices, give {FSDP2}."
        raise must("trainer.strategy", f"be auto, ddp or {FSDP2}", name, remedy)
    if is_sharded and precision not in (None, *_SHARDED_PRECISIONS):
        remedy = f"The scaler of 16-mixed can't read shards: {FSDP2} has none."
        raise must("trainer.precision", "be 32-true or bf16-mixed", precision, remedy)
    if is_sharded and compiles:
        remedy = "Compiling a model in shards has not been made to work yet: leave it out."
        raise must("compile", f"be false under {FSDP2}", compiles, remedy)


def validation_interval(asked: object, *, total: int) -> object:
    """Turn `--trainer.val_check_interval` into updates.

    Args:
        asked: Updates; a share of the run between 0 and 1; a time, which is Lightning's; or None.
        total: Updates of the run.

    Returns:
        Updates, or the time as it was given; where nothing was asked for, a twentieth of the run.

    Example:
        >>> [validation_interval(asked, total=1000) for asked in (None, 0.25, 30)]
        [50, 250, 30]
    """
    if asked is None:
        return max(1, total // 20)
    if isinstance(asked, float):
        if not 0 < asked <= 1:
            remedy = "Give updates as a whole number."
            raise must("trainer.val_check_interval", "be a share of the run", asked, remedy)
        return max(1, math.floor(asked * total))
    if isinstance(asked, int) and asked < 1:
        remedy = "Leave it out for twenty validations in a run."
        raise must("trainer.val_check_interval", "be 1 update or more", asked, remedy)
    return asked


def require_writable(folder: Path) -> None:
    """Make a run's folder, and see that a file can be written there, before hours are spent.

    Raises:
        UserError: If it can't be made or written to.
    """
    probe = folder / f".probe-{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("config.yaml", "history.json"):
            if (folder / name).is_dir():
                raise IsADirectoryError(0, f"{name} in it is a folder")
        probe.touch()
        probe.unlink()
    except OSError as error:
        remedy = f"The system says: {error.strerror or error}."
        raise must("trainer.default_root_dir", "be writable", str(folder), remedy) from error


def running_time(asked: object) -> timedelta | None:
    """Read `--trainer.max_time`: days:hours:minutes:seconds, or named parts as in `{hours: 2}`.

    Raises:
        UserError: If it is neither.

    Example:
        >>> running_time("00:12:00:00")
        datetime.timedelta(seconds=43200)
    """
    if asked is None or isinstance(asked, timedelta):
        return asked
    try:
        time = timedelta(**asked) if isinstance(asked, Mapping) else _clock_time(str(asked))
    except (OverflowError, TypeError, ValueError) as error:
        remedy = "For half a day, give 00:12:00:00."
        raise must("trainer.max_time", "be days:hours:minutes:seconds", asked, remedy) from error
    if time <= timedelta():
        raise must("trainer.max_time", "be above 0", asked, "Leave it out for no limit.")
    return time


def _clock_time(text: str) -> timedelta:
    days, hours, minutes, seconds = (int(part) for part in text.split(":"))
    return timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
