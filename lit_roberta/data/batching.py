"""How much text one update sees: the recipe's batch, in sequences or in tokens, and the machine's micro-batch."""

from __future__ import annotations

from dataclasses import dataclass

from lit_roberta.errors import UserError, must


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
