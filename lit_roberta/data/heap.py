"""Memory that was freed, back to the system.

The C library of Linux keeps what is freed between pieces that are still in use: after some minutes
of blocks that come and go, two or three times what is held.
"""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Give the system what the C library keeps, where it can be asked to."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # musl has none, and keeps less
        if trim is not None:
            trim(0)
