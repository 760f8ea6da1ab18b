"""How much text one update sees, and how much of it a device holds at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

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

    def sequences(self, tokens_per_sequence: float) -> int:
        """Give the sequences of one update."""
        if self.batch_tokens is not None:
            return max(1, round(self.batch_tokens / tokens_per_sequence))
        return 16 if self.batch_size is None else self.batch_size


def updates_for(
    unit: BudgetUnit,
    amount: float | int,
    *,
    sequences_per_update: int,
    tokens_per_sequence: float,
    num_examples: int,
) -> int:
    """Turn an amount of training into a number of updates, rounded up.

    Args:
        unit: What is counted; an epoch is a pass over the examples.
        amount: How much of it.
        sequences_per_update: The batch size, over all devices.
        tokens_per_sequence: Mean length of an example.
        num_examples: Examples of an epoch.

    Example:
        >>> size = {"sequences_per_update": 4, "tokens_per_sequence": 10.0, "num_examples": 6}
        >>> [updates_for(unit, 60, **size) for unit in ("updates", "tokens", "epochs")]
        [60, 2, 90]
    """
    per_update = {
        "updates": 1.0,
        "sequences": float(sequences_per_update),
        "tokens": sequences_per_update * tokens_per_sequence,
        "epochs": sequences_per_update / num_examples,
    }[unit]
    # What divides evenly must not become one more update by rounding.
    return max(1, math.ceil(amount / per_update - 1e-9))
