"""The trainer's settings for `fit`: a length in updates, our callbacks, TensorBoard's folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lightning_fabric.plugins.environments.cluster_environment import ClusterEnvironment
from lightning_fabric.plugins.environments.slurm import SLURMEnvironment
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import TensorBoardLogger

from lit_roberta.command_line import one_line
from lit_roberta.errors import UserError
from lit_roberta.training.profiling import NoProfiler
from lit_roberta.training.progress import UpdateProgress
from lit_roberta.training.ranks import EndTogether
from lit_roberta.training.sharding import FSDP2, FullySharded
from lit_roberta.training.stopping import StopOnSignal
from lit_roberta.training.tags import PRETRAINING, RunTags
from lit_roberta.training.tensorboard import TrainingCurves
from lit_roberta.training.trainer_flags import (
    require_writable,
    running_time,
    validation_interval,
)


def fit_settings(
    asked: Mapping[str, Any],
    *,
    total: int,
    hyperparameters: Mapping[str, Any],
    tags: RunTags = PRETRAINING,
    callbacks: Sequence[Callback] = (),
) -> dict[str, Any]:
    """Build what takes the place of the trainer's settings as a person gave them.

    Args:
        asked: The trainer's settings, its logger and callbacks already built.
        total: Length of the run, in updates.
        hyperparameters: Of the run, flat, for TensorBoard.
        tags: What the values of the run are called.
        callbacks: Besides those that every run has.

    Raises:
        UserError: If an interval or a time makes no sense, or the folder can't be written to.
    """
    folder = Path(asked["default_root_dir"])
    stop = StopOnSignal(max_time=running_time(asked["max_time"]))
    own = [*_own_callbacks(asked, hyperparameters, tags), *callbacks, stop]
    settings = {
        "max_steps": total,
        "max_epochs": -1,
        "max_time": None,  # StopOnSignal's: Lightning's own timer loses the last updates
        "check_val_every_n_epoch": None,
        "val_check_interval": validation_interval(asked["val_check_interval"], total=total),
        "log_every_n_steps": min(asked["log_every_n_steps"], total),
        "profiler": asked["profiler"] or NoProfiler(),
        "callbacks": [*users_callbacks(asked), *own],
        **_without_requeueing(asked),
    }
    if not asked["fast_dev_run"]:
        require_writable(folder)
    if asked["logger"] in (None, True):
        settings["logger"] = TensorBoardLogger(
            folder, name="", version="", default_hp_metric=False
        )
    return settings


def strategy_settings(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Build the strategy where it is ours.

    Args:
        asked: The trainer's settings.

    Returns:
        What takes the place of the trainer's settings. What inference mode makes of weights that
        are put together in it could not be trained afterwards.
    """
    strategy = FullySharded() if asked["strategy"] == FSDP2 else asked["strategy"]
    if not isinstance(strategy, FullySharded):
        return {}
    return {"strategy": strategy, "inference_mode": False}


def _without_requeueing(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Leave SLURM's signals to the run's own stop.

    Lightning would save where it stands at SIGUSR1, in the middle of an update, under a name of
    its own, and requeue the job from inside of it.
    """
    given = asked["plugins"] or []
    plugins = list(given) if isinstance(given, list) else [given]
    named = any(isinstance(plugin, ClusterEnvironment) for plugin in plugins)
    if named or not SLURMEnvironment.detect():
        return {}
    return {"plugins": [*plugins, SLURMEnvironment(auto_requeue=False)]}


def users_callbacks(asked: Mapping[str, Any]) -> list[Callback]:
    """Give the callbacks that a person configured."""
    given = asked["callbacks"] or []
    return list(given) if isinstance(given, list) else [given]


def _own_callbacks(
    asked: Mapping[str, Any], hyperparameters: Mapping[str, Any], tags: RunTags
) -> list[Callback]:
    curves = TrainingCurves(hyperparameters=hyperparameters, tags=tags)
    callbacks: list[Callback] = [EndTogether(), curves]
    if asked["enable_progress_bar"] is not False:
        callbacks.append(UpdateProgress(tags=tags))
    return callbacks


@contextmanager
def in_one_line() -> Iterator[None]:
    """Turn what Lightning says against a setting of its own into one line.

    Raises:
        UserError: In place of what Lightning's checks raise.
    """
    try:
        yield
    except UserError:
        raise
    except (
        MisconfigurationException,
        ModuleNotFoundError,
        OverflowError,
        TypeError,
        ValueError,
    ) as error:  # its checks raise any of these
        raise UserError(f"The trainer's settings don't fit: {one_line(str(error))}") from error
