"""How updates grow over a run: a batch that rises, and stages on shorter examples.

In: what a person asks for. Out: settings that make sense together, and where each stage starts.
What a single update is follows in `sizes`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from lit_roberta.errors import must

_LARGEST = 2**31 - 1
_SHORTEST = 5
"""A pair with a token in each half, in tokens."""


@dataclass(frozen=True, kw_only=True)
class BatchRamp:
    """A batch that grows over the first updates of a run, up to its full size.

    Before `updates`, update `u` has `start + step * floor((full - start) * u / (step * updates))`
    sequences. Warm-up and decay count updates, as without it.
    """

    start: int | None = None
    """Sequences of the first update, over all devices. None: the full batch from the start."""
    updates: int | None = None
    """Updates before the batch has its full size."""
    step: int = 1
    """Sequences by which the batch grows at once, such as the number of devices."""

    def __post_init__(self) -> None:
        for name in ("start", "updates", "step"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= _LARGEST:
                rule = f"lie between 1 and {_LARGEST:,}"
                raise must(f"data.batch_ramp.{name}", rule, value, "Give a whole number.")
        if (self.start is None) != (self.updates is None):
            missing, other = ("start", "updates") if self.start is None else ("updates", "start")
            rule = f"be given with data.batch_ramp.{other}"
            raise must(f"data.batch_ramp.{missing}", rule, None, "Leave out both for no ramp.")

    @property
    def length(self) -> int:
        """Updates with less than the full batch; 0 without a ramp."""
        return self.updates or 0


NO_RAMP = BatchRamp()
"""The full batch from the start."""


@dataclass(frozen=True, kw_only=True)
class LengthStage:
    """A first part of a run, on shorter examples; the rest of the run has data.max_length."""

    max_length: int
    """Longest example in tokens, special tokens included."""
    share: float
    """Share of the run's updates."""
    batch_size: int | None = None
    """Sequences of an update. None: as in the rest of the run."""

    def __post_init__(self) -> None:
        if self.max_length < _SHORTEST:
            remedy = "The special tokens of an example count, too."
            rule = f"be {_SHORTEST} or more"
            raise must("data.length_stages.max_length", rule, self.max_length, remedy)
        if not 0 < self.share < 1:
            remedy = "For 90%, give 0.9; the rest of the run has data.max_length."
            raise must("data.length_stages.share", "lie between 0 and 1", self.share, remedy)
        if self.batch_size is not None and not 1 <= self.batch_size <= _LARGEST:
            rule = f"lie between 1 and {_LARGEST:,}"
            remedy = "Leave it out for the batch of the rest of the run."
            raise must("data.length_stages.batch_size", rule, self.batch_size, remedy)

    def __str__(self) -> str:
        batch = "" if self.batch_size is None else f" in batches of {self.batch_size:,}"
        return f"{self.share:g} of the run at length {self.max_length:,}{batch}"


def check_stages(stages: Sequence[LengthStage], *, max_length: int) -> None:
    """Refuse stages that leave nothing of a run, or that are longer than the rest of it.

    Raises:
        UserError: Names the rule and the value.
    """
    total = math.fsum(stage.share for stage in stages)
    if total >= 1:
        remedy = "The last updates of a run have data.max_length."
        raise must("data.length_stages", "have shares that sum to less than 1", total, remedy)
    for stage in stages:
        if stage.max_length > max_length:
            rule = f"be at most data.max_length, {max_length}"
            remedy = "Raise data.max_length: a run ends, and is judged, at its longest examples."
            raise must("data.length_stages.max_length", rule, stage.max_length, remedy)


def stage_starts(stages: Sequence[LengthStage], *, total: int) -> tuple[int, ...]:
    """Find the first update of each stage of a run, the rest of the run being the last.

    Example:
        >>> stage_starts([LengthStage(max_length=128, share=0.9)], total=1_000_000)
        (0, 900000)
    """
    shares = [stage.share for stage in stages]
    ends = (math.fsum(shares[: place + 1]) for place in range(len(shares)))
    return (0, *(round(end * total) for end in ends))
