"""Scores of torchmetrics, which is imported where something is judged: that takes seconds."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from torch import Tensor


def score(name: str, *values: Any, **settings: Any) -> Tensor:
    """Compute a score.

    Args:
        name: Of a function in `torchmetrics.functional` or in its part `classification`.
        values: What it takes.
        settings: By name.
    """
    functions = import_module("torchmetrics.functional")
    where = functions if hasattr(functions, name) else functions.classification
    found: Tensor = getattr(where, name)(*values, **settings)
    return found
