"""How many of some are right, with an interval that holds for few and near 0 and 1, too."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from scipy.special import ndtri

CONFIDENCE = 0.95
"""Nominal coverage of the interval."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """Some of which some are right."""

    right: int
    total: int
    """At least 1."""

    @property
    def share(self) -> float:
        """The part that is right."""
        return self.right / self.total

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the share, were these drawn from many more.

        Source: Wilson 1927, "Probable inference, the law of succession, and statistical
        inference".
        """
        square = float(ndtri(0.5 + CONFIDENCE / 2)) ** 2
        weight = self.total + square
        middle = (self.right + square / 2) / weight
        spread = self.right * (self.total - self.right) / self.total + square / 4
        reach = math.sqrt(square * spread) / weight
        return max(0.0, middle - reach), min(1.0, middle + reach)

    def as_json(self) -> dict[str, Any]:
        """Give plain values, the derived ones too."""
        low, high = self.interval
        return {
            "accuracy": self.share,
            "low": low,
            "high": high,
            "right": self.right,
            "total": self.total,
        }

    def __str__(self) -> str:
        low, high = self.interval
        return f"{self.share:.1%} ({low:.1%} to {high:.1%}), {self.right:,} of {self.total:,}"
