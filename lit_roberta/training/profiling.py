"""No profiling, at no cost.

Lightning asks its profiler for a context manager around each hook of each callback, some fifty
times an update, and its profiler that does nothing builds every one anew.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from pytorch_lightning.profilers import PassThroughProfiler


class NoProfiler(PassThroughProfiler):
    """Lightning's profiler that does nothing, with one context manager for all actions."""

    _nothing = nullcontext()

    # Lightning types a generator here, and enters what it gets as a context manager alone.
    def profile(self, action_name: str) -> AbstractContextManager[Any]:  # type: ignore[override]
        """Give a context manager that does nothing."""
        return self._nothing
