"""What a run takes, from what a few of its parts took: updates, validations and saves.

In: seconds. Out: the seconds of a whole run, and how many updates a time has room for.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.errors import must
from lit_roberta.training.trainer_flags import running_time, validation_interval

_MOST_UPDATES = 2**31
"""More than anyone makes."""


@dataclass(frozen=True, kw_only=True)
class StagePace:
    """What updates of one stage of length take: a part for each, and a part for each sequence."""

    per_update: float
    """Seconds."""
    per_sequence: float
    """Seconds."""

    @classmethod
    def through(cls, *points: tuple[int, float]) -> StagePace:
        """Draw the line through one or two measurements.

        Args:
            points: Sequences of an update and the seconds that it took. Where there is one, or two
                that make no sense together, time goes by sequences alone.
        """
        size, seconds = points[-1]
        if len(points) == 2 and size > points[0][0]:
            slope = (seconds - points[0][1]) / (size - points[0][0])
            if 0 <= slope <= seconds / size:
                return cls(per_update=seconds - slope * size, per_sequence=slope)
        return cls(per_update=0.0, per_sequence=seconds / size)


@dataclass(frozen=True, kw_only=True)
class Pace:
    """What everything that a run does takes on this machine, in seconds."""

    stages: Sequence[StagePace]
    validation: float
    save: float

    def seconds(self, sizes: UpdateSizes, total: int, *, validations: int, saves: int) -> float:
        """Add up what a run takes.

        Args:
            sizes: Of its updates.
            total: How many of them.
            validations: How many of those.
            saves: Besides one for each validation, which may be the best, and one at the end.
        """
        updates = sum(
            pace.per_update * len(numbers)
            + pace.per_sequence * sizes.sequences(0, total, stage=stage)
            for stage, numbers in sizes.by_stage(range(total))
            for pace in [self.stages[stage]]
        )
        saving = self.save * (1 + validations + saves)
        return updates + self.validation * validations + saving


def updates_in(
    max_hours: float,
    pace: Pace,
    *,
    sizes_of: Callable[[int], UpdateSizes],
    validate_every: object,
    save_every: int,
) -> int:
    """Find how many updates a number of hours makes, with their validations and saves.

    Args:
        max_hours: Of training; what comes before the first update is not part of it.
        pace: What was measured.
        sizes_of: Tells the sizes of a run of so many updates.
        validate_every: `--trainer.val_check_interval`, as given.
        save_every: Updates between two saves.

    Raises:
        UserError: If not even one update fits.
    """
    budget = 3600 * max_hours

    def is_too_long(total: int) -> bool:
        validations = count_validations(validate_every, total=total, seconds=budget)
        needed = pace.seconds(
            sizes_of(total), total, validations=validations, saves=total // save_every
        )
        return needed > budget

    if is_too_long(1):
        remedy = "Give more, or --trainer.max_steps."
        raise must("max_hours", "have room for an update and its validation", max_hours, remedy)
    most = 2
    while most < _MOST_UPDATES and not is_too_long(most):
        most *= 2
    return bisect_right(range(most), False, lo=most // 2, key=is_too_long) - 1


def count_validations(every: object, *, total: int, seconds: float) -> int:
    """Count the validations of a run; the last update has one, whatever the interval."""
    interval = validation_interval(every, total=total)
    if isinstance(interval, int):
        return math.ceil(total / interval)
    time = running_time(interval)
    assert time is not None, "no interval is one in updates"
    return math.ceil(seconds / time.total_seconds())
