"""What the C library of Linux does with memory that was freed, where it can be told.

Left alone it keeps small pieces and gives large ones back. Reading a corpus wants the first
changed, and training the second.
"""

from __future__ import annotations

import ctypes
import sys

# The names and numbers are those of malloc.h of glibc; musl has none of them.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
_NEVER = 2**31 - 1


def give_back() -> None:
    """Give the system what is free between pieces that are still in use.

    After some minutes of blocks that come and go, that is two or three times what is held.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def keep_freed_blocks() -> None:
    """Keep what is freed for the next block of its size, however large, from now on.

    Above 32 MB a block is asked of the system each time, which clears it page by page. A gradient
    of token embeddings is one, at every micro-batch: of 12 million weights it took 27 ms, and
    a tenth of the whole update of a small model.
    """
    if sys.platform == "linux":
        tell = getattr(ctypes.CDLL(None), "mallopt", None)
        if tell is not None:
            tell(_M_MMAP_MAX, 0)
            tell(_M_TRIM_THRESHOLD, _NEVER)
