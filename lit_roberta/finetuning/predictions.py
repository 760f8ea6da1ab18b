"""What a model says of an example, by kind of task; each can be written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

_DIGITS = 6


class LabelPrediction(NamedTuple):
    """One label of all."""

    label: str
    probabilities: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data, the most probable label first."""
        ranked = sorted(self.probabilities.items(), key=lambda each: -each[1])
        return {
            "label": self.label,
            "probabilities": {name: round(share, _DIGITS) for name, share in ranked},
        }


class NumberPrediction(NamedTuple):
    """A number."""

    value: float

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {"value": round(self.value, _DIGITS)}


class ChoicePrediction(NamedTuple):
    """One of several texts."""

    choice: int
    """Its place, from 0."""
    probabilities: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        shares = [round(share, _DIGITS) for share in self.probabilities]
        return {"choice": self.choice, "probabilities": shares}
