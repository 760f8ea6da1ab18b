"""A length in hours: how many updates it makes is found when a run starts, and kept.

Schedules and stages count in updates, and a run that went on under another machine's pace would be
another run.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytorch_lightning.utilities import rank_zero_only

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.errors import must
from lit_roberta.training.checkpoint_settings import CheckpointSettings
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.pace import Pace, updates_in
from lit_roberta.training.trainer_flags import require_writable
from lit_roberta.training.trial import measure_pace

logger = logging.getLogger(__name__)

_KEPT = "For another length leave it out and give --trainer.max_steps."


class Hours(NamedTuple):
    """A length in hours, and what it came to when the run started."""

    max_hours: float
    updates: int


def hours_to_train(
    max_hours: float,
    module: PretrainingModule,
    data: PretrainingDataModule,
    *,
    asked: Mapping[str, Any],
    checkpoint: CheckpointSettings | None,
    compiled: bool,
    save_every: int,
) -> Hours:
    """Turn hours into updates: by a trial, or as it was done when the run started.

    Args:
        max_hours: As asked for.
        module: The run's own, which is to record what the hours came to.
        data: The run's own.
        asked: The trainer's settings, its strategy already built.
        checkpoint: What the run goes on from, if anything.
        compiled: Whether the run compiles its model.
        save_every: Updates between two saves.

    Raises:
        UserError: If the hours make no sense, too little, or another run than the checkpoint's.
    """
    check_hours(max_hours)
    if checkpoint is not None:
        return kept_hours(checkpoint, max_hours=max_hours)
    require_writable(Path(asked["default_root_dir"]))
    pace = measure_pace(module, data, asked=asked, compiled=compiled, seconds=3600 * max_hours)
    hours = Hours(
        max_hours,
        updates_in(
            max_hours,
            pace,
            sizes_of=data.sizes,
            validate_every=asked["val_check_interval"],
            save_every=save_every,
        ),
    )
    _say(hours, pace)
    module.hours = hours._asdict()
    return hours


@rank_zero_only
def _say(hours: Hours, pace: Pace) -> None:
    logger.info(
        "With %.3g s a validation and %.3g s a save, %g hours make %s updates.",
        pace.validation,
        pace.save,
        hours.max_hours,
        f"{hours.updates:,}",
    )


def check_hours(max_hours: float) -> None:
    """Refuse hours that are none.

    Raises:
        UserError: If they are not above 0, or not finite.
    """
    if not 0 < max_hours < math.inf:
        raise must("max_hours", "be above 0", max_hours, "For 90 minutes, give 1.5.")


def kept_hours(checkpoint: CheckpointSettings, *, max_hours: float) -> Hours:
    """Give the length that hours came to when a run started.

    Args:
        checkpoint: What the run goes on from.
        max_hours: As given now.

    Raises:
        UserError: If the run was not started for hours, or for others.
    """
    stored: Mapping[str, Any] | None = checkpoint.hours
    if stored is None:
        remedy = (
            "Hours fix a run's length when it starts. For this start's time: trainer.max_time."
        )
        raise must("max_hours", "be left out of a run that was started without", max_hours, remedy)
    hours = Hours(**stored)
    if hours.max_hours != max_hours:
        remedy = f"They came to {hours.updates:,} updates, which are kept. {_KEPT}"
        raise must("max_hours", f"stay the checkpoint's {hours.max_hours:g}", max_hours, remedy)
    logger.info(
        "Length: the %s updates that %g hours were found to make when the run started.",
        f"{hours.updates:,}",
        max_hours,
    )
    return hours
