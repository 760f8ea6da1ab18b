"""The curves of a run in TensorBoard, over updates, over sequences and over tokens.

Recipes differ in how much text an update sees, so a curve over updates compares them at unequal
work. What says how good the model is (losses, perplexity, accuracies) is therefore written three
times: under its own tag by updates, as `by_sequences/...` and as `by_tokens/...`. A run's folder
beside another's is a run beside another in TensorBoard.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import TensorBoardLogger
from tensorboard.compat.proto.event_pb2 import (  # type: ignore[import-untyped]
    Event,
    SessionLog,
)
from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[import-untyped]
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

from lit_roberta.training.tags import PRETRAINING, RunTags

_AXES = ("by_sequences", "by_tokens")
_BY_UPDATES_ALONE = ("train/lr", "train/grad_norm", "train/tokens_per_second")
"""Of these no other axis says more, and each point costs a fiftieth of a ms."""


class TrainingCurves(Callback):
    """Read the module's meter every `log_every_n_steps` updates, and write what it says.

    The values are logged for other callbacks too, as `train/...`; the progress bar and early
    stopping read them there. A logger that is not TensorBoard's gets them by updates alone.

    Args:
        hyperparameters: Of the run, flat; they stand in TensorBoard beside its newest metrics, and
            every other logger gets them, too.
        tags: What the values of the run are called.
    """

    def __init__(self, *, hyperparameters: Mapping[str, Any], tags: RunTags = PRETRAINING) -> None:
        super().__init__()
        self.hyperparameters = hyperparameters
        self.tags = tags
        self._writers: dict[str, SummaryWriter] = {}
        self._last_update = 0
        self._validation_began = 0.0

    # ---- hooks

    def setup(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Give the loggers the hyperparameters: Lightning writes them before training starts."""
        if stage == "fit":
            self._log_hyperparameters(trainer)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Open the files, and let a resumed run take back the points behind its checkpoint."""
        module: Any = pl_module
        self._last_update = trainer.global_step
        experiment = tensorboard_writer(trainer)
        if experiment is None:
            return
        folder = Path(experiment.log_dir)
        # A folder of its own for each axis: a restart takes back all points of a folder from
        # one step on, and a number of updates says nothing about a number of tokens.
        self._writers = {axis: SummaryWriter(str(folder / axis)) for axis in _AXES}
        steps = self._steps(module)
        # Also at the very start: an earlier one may have been killed before its first save.
        mark_resumption(experiment, step=trainer.global_step)
        for axis, writer in self._writers.items():
            mark_resumption(writer, step=steps[axis])
        if trainer.global_step == 0:
            experiment.add_custom_scalars(self.tags.layout)
            self._write_hyperparameters(experiment)

    def on_train_batch_end(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: object
    ) -> None:
        """Write the curves of training, if it is time and the update was finished."""
        update = trainer.global_step
        every: int = trainer.log_every_n_steps  # type: ignore[attr-defined]
        due = update % every == 0 or update == trainer.max_steps
        if not due or update == self._last_update:
            return
        self._last_update = update
        module: Any = pl_module
        values: dict[str, float] = module.training_values()
        # As `log_dict` would at the end of this hook, at a fiftieth of its cost.
        trainer.callback_metrics.update({tag: torch.tensor(v) for tag, v in values.items()})
        experiment = tensorboard_writer(trainer)
        if experiment is not None:
            write_scalars(experiment, values, step=update)
        for logger in trainer.loggers:
            if not isinstance(logger, TensorBoardLogger):
                logger.log_metrics(values, step=update)
        self._write_by_axis(pl_module, values)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Note when training paused."""
        self._validation_began = time.monotonic()

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the validation's values by the other axes; by updates, Lightning has done it."""
        if trainer.state.fn != "fit" or trainer.sanity_checking:
            return
        module: Any = pl_module
        module.meter.leave_out(seconds=time.monotonic() - self._validation_began)
        metrics = trainer.callback_metrics
        values = {tag: float(value) for tag, value in metrics.items() if tag.startswith("val/")}
        self._write_by_axis(pl_module, values)

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: dict[str, Any]
    ) -> None:
        """Write out what is buffered: no resumed run writes a point before this again."""
        experiment = tensorboard_writer(trainer)
        for writer in (*([experiment] if experiment else []), *self._writers.values()):
            writer.flush()
        for logger in trainer.loggers:
            logger.save()

    def teardown(self, trainer: pl.Trainer, pl_module: pl.LightningModule, stage: str) -> None:
        """Close the files."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    # ---- writing

    def _steps(self, module: Any) -> dict[str, int]:
        return {"by_sequences": module.num_sequences, "by_tokens": module.num_tokens}

    def _write_by_axis(self, module: pl.LightningModule, values: Mapping[str, float]) -> None:
        steps = self._steps(module)
        for axis, writer in self._writers.items():
            tagged = {
                f"{axis}/{tag}": value
                for tag, value in values.items()
                if tag not in _BY_UPDATES_ALONE
            }
            write_scalars(writer, tagged, step=steps[axis])

    def _log_hyperparameters(self, trainer: pl.Trainer) -> None:
        """Give them to every logger."""
        for logger in trainer.loggers:
            if isinstance(logger, TensorBoardLogger):
                # For its `hparams.yaml`; what its page shows is written with the metrics.
                logger.hparams.update(self._plain_hyperparameters)
            else:
                logger.log_hyperparams(self._plain_hyperparameters)

    @property
    def _plain_hyperparameters(self) -> dict[str, bool | int | float | str]:
        return {name: _plain(value) for name, value in self.hyperparameters.items()}

    def _write_hyperparameters(self, experiment: SummaryWriter) -> None:
        """Name hyperparameters and metrics; TensorBoard shows each metric's newest value."""
        plain = self._plain_hyperparameters
        for summary in hparams(plain, dict.fromkeys(self.tags.final, 0.0)):  # type: ignore[no-untyped-call]
            _file_writer(experiment).add_summary(summary)


def write_scalars(writer: SummaryWriter, values: Mapping[str, float], *, step: int) -> None:
    """Write values that belong together as one event; an event each costs several times as much.

    Args:
        writer: Where to.
        values: By tag.
        step: Their place on the axis.
    """
    points = [Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()]
    _file_writer(writer).add_summary(Summary(value=points), step)


def mark_resumption(writer: SummaryWriter, *, step: int) -> None:
    """Tell TensorBoard that a run goes on after a step: what was written behind it is void.

    A run that was killed had written points behind its last checkpoint, and writes them again.
    """
    _file_writer(writer).add_event(
        Event(step=step + 1, session_log=SessionLog(status=SessionLog.START))
    )


def tensorboard_writer(trainer: pl.Trainer) -> SummaryWriter | None:
    """Give the writer of the run's TensorBoard files; None where this process writes none."""
    for logger in trainer.loggers if trainer.is_global_zero else ():
        if isinstance(logger, TensorBoardLogger):
            return logger.experiment
    return None


def _file_writer(writer: SummaryWriter) -> Any:
    return writer._get_file_writer()  # type: ignore[no-untyped-call]


def _plain(value: object) -> bool | int | float | str:
    return value if isinstance(value, bool | int | float | str) else str(value)
