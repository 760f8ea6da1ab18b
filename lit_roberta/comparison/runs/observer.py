"""Watch a run from inside: what it is fed, how it does on validation text, how far it is."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.batch import Update
from lit_roberta.training.arguments import arrange
from lit_roberta.training.console import without_small_talk
from lit_roberta.training.costs import Costs
from lit_roberta.training.pretraining_cli import PretrainingCLI
from lit_roberta.training.tags import PRETRAINING
from lit_roberta.workers import Tell

_SECONDS_BETWEEN_REPORTS = 0.5


class RunObserver(Callback):
    """Count a run's costs, keep its validation curve, and tell how far it is.

    What it knows travels in the checkpoints, so a run that was interrupted ends with the same
    sums.

    Args:
        tell: Called now and then with the updates finished, those of the whole run, and the last
            training loss if there is one yet.
    """

    def __init__(self, tell: Tell) -> None:
        super().__init__()
        self.costs = Costs()
        self.validation: list[tuple[int, float]] = []
        """Number of updates and loss, in nats per masked token."""
        self.fed: list[dict[str, float | int]] = []
        """What had been fed and spent at each of these points: costs, and seconds."""
        self.seconds = 0.0
        """Spent training, validation on the way included."""
        self._tell = tell
        self._began = self._told = time.monotonic()
        self._earlier = 0.0

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Start the clock."""
        self._began, self._earlier = time.monotonic(), self.seconds

    def on_train_batch_end(
        self,
        trainer: pl.Trainer,
        pl_module: pl.LightningModule,
        outputs: Any,
        batch: Update,
        batch_idx: int,
    ) -> None:
        """Count an update, unless a stop has cut it short."""
        if trainer.global_step != batch.number + 1:
            return
        module: Any = pl_module
        data: Any = trainer.datamodule  # type: ignore[attr-defined]
        self.costs.add(batch, encoder=module.model.config, vocabulary=data.vocabulary)
        now = time.monotonic()
        self.seconds = self._earlier + now - self._began
        if now - self._told > _SECONDS_BETWEEN_REPORTS:
            self._told = now
            loss = trainer.callback_metrics.get(PRETRAINING.train_loss)
            known = None if loss is None else float(loss)
            self._tell(trainer.global_step, trainer.max_steps, known)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Keep a point of the validation curve, and what it took to get there."""
        loss = trainer.callback_metrics.get("val/masked_lm_loss")
        self.seconds = self._earlier + time.monotonic() - self._began
        if loss is not None and not trainer.sanity_checking:
            self.validation.append((trainer.global_step, float(loss)))
            self.fed.append({**asdict(self.costs), "seconds": self.seconds})

    def state_dict(self) -> dict[str, Any]:
        """Give what a resumed run goes on from."""
        return {
            "costs": asdict(self.costs),
            "validation": [list(point) for point in self.validation],
            "fed": [dict(point) for point in self.fed],
            "seconds": self.seconds,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from a checkpoint."""
        self.costs = Costs(**state_dict["costs"])
        self.validation = [(int(update), loss) for update, loss in state_dict["validation"]]
        self.fed = [dict(point) for point in state_dict["fed"]]
        self.seconds = state_dict["seconds"]


class ObservedCLI(PretrainingCLI):
    """A run of the training command, watched."""

    def __init__(self, argv: Sequence[str], observer: RunObserver) -> None:
        self.observer = observer
        super().__init__(argv)

    def before_fit(self) -> None:
        """Let the observer watch; the run itself does not notice."""
        # First of all, so that what is saved after a validation holds that validation's point.
        self.trainer.callbacks.insert(0, self.observer)  # type: ignore[attr-defined]


def run_observed(argv: Sequence[str], tell: Tell) -> ObservedCLI:
    """Run a training command line in this process, watched.

    Args:
        argv: The arguments, without the program's name.
        tell: Called now and then with the updates finished, those of the whole run, and the last
            training loss if there is one yet.

    Raises:
        UserError: If something that was asked for can't be done.
    """
    with without_small_talk():
        return ObservedCLI(arrange(argv), RunObserver(tell))


def run_planned(
    arguments: Sequence[str], *, seed: int, updates: int, folder: Path, tell: Tell
) -> ObservedCLI:
    """Make a run of a recipe in a folder, or go on with what lies there.

    Args:
        arguments: Of `fit`, without folder, seed and length.
        seed: The run's.
        updates: Its length.
        folder: Its own.
        tell: As for `run_observed`.

    Raises:
        UserError: If something that was asked for can't be done.
    """
    decided = (
        f"--seed_everything={seed}",
        f"--trainer.max_steps={updates}",
        f"--trainer.default_root_dir={folder}",
        "--trainer.enable_progress_bar=false",
        "--ckpt_path=last",
    )
    return run_observed([*arguments, *decided], tell)
