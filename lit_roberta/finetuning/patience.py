"""An end before the last update: where validations in a row are no better than the best.

In: how many, and what decides. Out: a callback, and whether it ended a run.
"""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import EarlyStopping


class Patience(EarlyStopping):
    """Stop after so many validations in a row without a better one.

    Lightning's own takes the number of a checkpoint over the one that is asked for now.

    Args:
        monitor: The score that decides.
        higher_is_better: Which way.
        patience: How many.
    """

    def __init__(self, *, monitor: str, higher_is_better: bool, patience: int) -> None:
        mode = "max" if higher_is_better else "min"
        super().__init__(monitor, mode=mode, patience=patience, check_on_train_epoch_end=False)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on counting, up to what is asked for now."""
        super().load_state_dict({**state_dict, "patience": self.patience})


def exhausted_patience(trainer: pl.Trainer) -> int | None:
    """Give the number of validations without a better one that ended a run; None if none did."""
    stopping = trainer.early_stopping_callback
    if stopping is None or trainer.global_step >= trainer.max_steps:
        return None
    # Not its reason, which a run that goes on with more patience still has from before.
    return stopping.patience if stopping.wait_count >= stopping.patience else None
