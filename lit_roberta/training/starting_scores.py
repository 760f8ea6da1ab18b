"""What held-out text gives before the first update and after the last, side by side.

A model that goes on with other text learns it, and forgets. Both show where the text that it is
trained on and a general one are scored at both ends, under the same masks.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.whole_files import write_whole

logger = logging.getLogger(__name__)

SCORES = "before_and_after.json"
"""The scores of both ends, in the run's folder."""

_ROWS = {
    "val/masked_lm_loss": "your text, nats a token",
    "val/nats_per_word": "your text, nats a word",
    "general/masked_lm_loss": "general text, nats a token",
    "general/nats_per_word": "general text, nats a word",
}


class StartingScores:
    """The scores before the first update, and the newest ones."""

    def __init__(self) -> None:
        self.before: dict[str, float] = {}
        self.after: dict[str, float] = {}
        self.update = 0
        """At which the newest ones were taken."""

    def note(self, scores: Mapping[str, float], *, update: int) -> None:
        """Take the scores of a validation down."""
        if update == 0:
            self.before = dict(scores)
        else:
            self.after, self.update = dict(scores), update

    def state_dict(self) -> dict[str, Any]:
        """Give the scores as plain numbers."""
        return {"before": self.before, "after": self.after, "update": self.update}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from stored scores."""
        self.before = dict(state.get("before", {}))
        self.after = dict(state.get("after", {}))
        self.update = int(state.get("update", 0))

    def table(self) -> Iterator[str]:
        """Write both ends as lines of a table; none where an end is missing."""
        rows = [name for name in _ROWS if name in self.before and name in self.after]
        if rows:
            yield f"{'Held out':<28}{'update 0':>12}{f'update {self.update:,}':>16}{'change':>10}"
        for name in rows:
            before, after = self.before[name], self.after[name]
            yield f"{_ROWS[name]:<28}{before:>12.3f}{after:>16.3f}{after - before:>+10.3f}"

    def write(self, path: Path, *, source: str) -> None:
        """Write both ends as JSON, whole or not at all."""
        content = {"pretrained": source, **self.state_dict()}
        write_whole(path, (json.dumps(content, indent=1) + "\n").encode())


class LogStartingScores(Callback):
    """Give loggers what the validation before the first update found; Lightning drops it."""

    def on_sanity_check_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Say why nothing is trained yet."""
        if trainer.is_global_zero:
            logger.info("Scoring held-out text before the first update.")

    def on_sanity_check_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Log the scores at update 0."""
        module: Any = pl_module
        for each in trainer.loggers:
            each.log_metrics(module.scores.before, step=0)


def with_scores_at_start(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Have a trainer score all of the validation text before its first update.

    Args:
        settings: The trainer's.
    """
    callbacks = [*settings["callbacks"], LogStartingScores()]
    return {**settings, "num_sanity_val_steps": -1, "callbacks": callbacks}


def announce_before_and_after(module: Any, folder: Path) -> None:
    """Say what a run that started from weights has learned and forgotten, and keep it.

    Args:
        module: The pretraining module, trained.
        folder: The run's.
    """
    if module.origin is None:
        return
    for line in module.scores.table():
        logger.info("%s", line)
    module.scores.write(folder / SCORES, source=module.origin["source"])
