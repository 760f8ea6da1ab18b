"""Running out of memory, which torch and numpy say in many ways."""

from __future__ import annotations

import torch

_SAID_OF_CPUS = (
    "can't allocate memory",
    "Storage size calculation overflowed",
    "integer multiplication overflow",
)


def is_out_of_memory(error: BaseException) -> bool:
    """Tell whether an error says that something is too large for this machine.

    Example:
        >>> is_out_of_memory(RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried"))
        True
    """
    if isinstance(error, MemoryError | torch.OutOfMemoryError):
        return True
    return any(words in str(error) for words in _SAID_OF_CPUS)
