"""What each update of a run is: its batch, its longest example, and its place in the text.

In: the full batch, how it is grown, and the stages of length. Out: sizes by the update's number,
in closed form: nothing counts along, so a run goes on from any update. It knows no text; how many
examples there are and how long they are is for others to say.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.growth import NO_RAMP, BatchRamp
from lit_roberta.errors import must


class StageSize(NamedTuple):
    """A stage of a run."""

    start: int
    """Its first update."""
    max_length: int
    """Longest example in tokens, special tokens included."""
    batch_size: int
    """Sequences of an update behind the ramp, over all devices."""


class UpdateSize(NamedTuple):
    """What an update is."""

    stage: int
    """Its stage, from 0."""
    max_length: int
    """Longest example in tokens, special tokens included."""
    batch_size: int
    """Sequences, over all devices."""
    place: int
    """Sequences of its stage before it: where its first one lies in the stage's stream."""


class Span(NamedTuple):
    """Updates of one size that follow each other."""

    start: int
    stop: int
    stage: int
    max_length: int
    batch_size: int


@dataclass(frozen=True)
class UpdateSizes:
    """The sizes of all updates of a run, by their numbers.

    Args:
        stages: In their order; the first starts at update 0, and the last has no end.
        ramp: How the batch grows at the start. It rises to the batch of the update's own stage.

    Raises:
        UserError: If the ramp starts above the batch of a stage.

    Example:
        >>> sizes = UpdateSizes(
        ...     (StageSize(0, 128, 8), StageSize(6, 512, 4)), BatchRamp(start=2, updates=3)
        ... )
        >>> [sizes.at(number).batch_size for number in range(8)]
        [2, 4, 6, 8, 8, 8, 4, 4]
        >>> sizes.at(7)
        UpdateSize(stage=1, max_length=512, batch_size=4, place=4)
        >>> sizes.sequences(0, 7)
        40
    """

    stages: tuple[StageSize, ...]
    ramp: BatchRamp = NO_RAMP

    def __post_init__(self) -> None:
        assert self.stages[0].start == 0
        assert all(one.start <= other.start for one, other in pairwise(self.stages))
        for stage in self.stages:
            if (self.ramp.start or 0) > stage.batch_size:
                rule = f"be at most the batch, {stage.batch_size} at length {stage.max_length}"
                remedy = "A ramp rises: start lower, or leave it out."
                raise must("data.batch_ramp.start", rule, self.ramp.start, remedy)

    @classmethod
    def constant(cls, batch_size: int, *, max_length: int) -> UpdateSizes:
        """Give every update the same size."""
        return cls((StageSize(0, max_length, batch_size),))

    @property
    def smallest_batch(self) -> int:
        """Sequences of the smallest update."""
        return self.ramp.start or min(stage.batch_size for stage in self.stages)

    def at(self, number: int) -> UpdateSize:
        """Tell what an update is."""
        stage = self.stage_of(number)
        start, max_length, _ = self.stages[stage]
        place = self._sum(number, stage) - self._sum(start, stage)
        batch_size = self._sum(number + 1, stage) - self._sum(number, stage)
        return UpdateSize(stage, max_length, batch_size, place)

    def stage_of(self, number: int) -> int:
        """Find the stage of an update, from 0."""
        return bisect_right(self.stages, number, key=lambda stage: stage.start) - 1

    def stop_of(self, stage: int) -> int | None:
        """Give the first update behind a stage; None for the last stage."""
        return self.stages[stage + 1].start if stage + 1 < len(self.stages) else None

    def by_stage(self, numbers: range) -> Iterator[tuple[int, range]]:
        """Cut updates that follow each other into those of each stage; none of them is empty."""
        for stage, (start, _, _) in enumerate(self.stages):
            stop = self.stop_of(stage)
            cut = range(
                max(numbers.start, start),
                numbers.stop if stop is None else min(numbers.stop, stop),
            )
            if cut:
                yield stage, cut

    def sequences(self, start: int, stop: int, *, stage: int | None = None) -> int:
        """Count the sequences of the updates from `start` to before `stop`.

        Args:
            start: The first update.
            stop: The update behind the last.
            stage: Count those of one stage alone. None: of all.
        """
        return sum(
            self._sum(cut.stop, each) - self._sum(cut.start, each)
            for each, cut in self.by_stage(range(start, stop))
            if stage in (None, each)
        )

    def spans(self, total: int) -> Iterator[Span]:
        """Yield the updates of a run in spans of one size, for sums over it.

        Args:
            total: Updates of the run.

        Example:
            >>> sizes = UpdateSizes((StageSize(0, 64, 4),), BatchRamp(start=3, updates=4))
            >>> [(span.start, span.stop, span.batch_size) for span in sizes.spans(10)]
            [(0, 4, 3), (4, 10, 4)]
        """
        start = 0
        while start < total:
            size = self.at(start)
            stop = self._end_of_size(start, size, limit=total)
            yield Span(start, stop, size.stage, size.max_length, size.batch_size)
            start = stop

    def batch_sizes(
        self, numbers: Int64[np.ndarray, " updates"], *, stage: int
    ) -> Int64[np.ndarray, " updates"]:
        """Give the batch of many updates of one stage."""
        full, ramp = self.stages[stage].batch_size, self.ramp
        if ramp.start is None:
            return np.full(len(numbers), full)
        inside = np.minimum(numbers, ramp.length)
        growing = (
            ramp.start + (full - ramp.start) * inside // (ramp.step * ramp.length) * ramp.step
        )
        return np.where(numbers < ramp.length, growing, full)

    def _sum(self, count: int, stage: int) -> int:
        """Sum the batches of the first updates of a run that had the batch of one stage alone."""
        full, ramp = self.stages[stage].batch_size, self.ramp
        if ramp.start is None:
            return full * count
        growing = min(count, ramp.length)
        steps = _floor_sum(growing, full - ramp.start, ramp.step * ramp.length)
        return ramp.start * growing + ramp.step * steps + full * (count - growing)

    def _end_of_size(self, number: int, size: UpdateSize, *, limit: int) -> int:
        """Find the update behind the last that has the size of this one."""
        end = self.stop_of(size.stage)
        ramp, full = self.ramp, self.stages[size.stage].batch_size
        ends = [limit if end is None else min(end, limit)]
        if ramp.start is not None and number < ramp.length and ramp.start < full:
            steps = (size.batch_size - ramp.start) // ramp.step + 1
            next_step = -(-steps * ramp.step * ramp.length // (full - ramp.start))
            ends.append(min(ramp.length, next_step))
        return min(ends)


def _floor_sum(count: int, numerator: int, denominator: int) -> int:
    """Sum `numerator * i // denominator` over the first `count` whole numbers.

    The sum counts lattice points below a line. Whole slopes are taken off, axes are swapped, and
    so on as in Euclid's algorithm, so a ramp of a million updates takes twenty rounds.
    """
    total, offset = 0, 0
    while True:
        total += count * (count - 1) // 2 * (numerator // denominator)
        total += count * (offset // denominator)
        numerator, offset = numerator % denominator, offset % denominator
        reach = numerator * count + offset
        if reach < denominator:
            return total
        count, offset = divmod(reach, denominator)
        numerator, denominator = denominator, numerator
