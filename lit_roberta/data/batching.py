"""How much text an update sees, how much of it a device holds at once, and budgets in updates."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.errors import UserError, must

BudgetUnit = Literal["updates", "sequences", "tokens", "epochs"]
"""What training can be counted in. Tokens are non-padding ones, special ones included."""

_LARGEST = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class BatchConfig:
    """How much text one update sees, and how much of it a device holds at once."""

    batch_size: int | None = None
    """Sequences; 16 where neither this nor batch_tokens is given."""
    batch_tokens: int | None = None
    """Non-padding tokens, special ones included."""
    micro_batch_size: int | None = None
    """Sequences; None for the whole share of a device."""

    def __post_init__(self) -> None:
        for name in ("batch_size", "batch_tokens", "micro_batch_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise must(f"data.{name}", "be 1 or more", value, "Give a positive whole number.")
            if value is not None and value > _LARGEST:
                raise must(
                    f"data.{name}", f"be at most {_LARGEST:,}", value, "No memory holds it."
                )
        if self.batch_size is not None and self.batch_tokens is not None:
            raise UserError(
                "data.batch_size and data.batch_tokens can't both be set. "
                "Leave one of them out: `--data.batch_size null`."
            )

    def sequences(self, tokens_per_sequence: Callable[[], float]) -> int:
        """Give the sequences of one update.

        Args:
            tokens_per_sequence: Measures the mean length of an example; only asked where the batch
                is given in tokens.
        """
        if self.batch_tokens is not None:
            return max(1, round(self.batch_tokens / tokens_per_sequence()))
        return 16 if self.batch_size is None else self.batch_size


def updates_for(
    amount: float | int, *, sizes_of: Callable[[int], UpdateSizes], worth: Sequence[float]
) -> int:
    """Turn an amount of training into a number of updates, rounded up.

    A longer run has later stages of length and so other sizes; no longer run does less.

    Args:
        amount: How much of it, in any unit.
        sizes_of: Tells the sizes of a run of so many updates.
        worth: What a sequence of each stage counts in that unit: 1, its tokens, or the share that
            it is of an epoch.

    Example:
        >>> sizes = UpdateSizes.constant(4, max_length=16)
        >>> worths = {"sequences": 1.0, "tokens": 10.0, "epochs": 1 / 6}.values()
        >>> [updates_for(60, sizes_of=lambda _: sizes, worth=[worth]) for worth in worths]
        [15, 2, 90]
    """
    # What divides evenly must not become one more update by rounding.
    enough = amount * (1 - 1e-12)

    def is_enough(total: int) -> bool:
        sizes = sizes_of(total)
        done = (sizes.sequences(0, total, stage=stage) for stage in range(len(worth)))
        return sum(count * each for count, each in zip(done, worth, strict=True)) >= enough

    most = 1
    while not is_enough(most):
        most *= 2
    return bisect_left(range(most), True, lo=most // 2, key=is_enough) or 1
