"""What `torch.save` wrote, read without running anything in it.

In: a file. Out: plain data. It does not know what the data should be.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import torch


def load_plain(path: Path, *, mmap: bool = True) -> Any:
    """Load plain data on the CPU, and say nothing beside.

    `weights_only` is said in full because an environment variable can turn torch's default off.

    Args:
        path: The file.
        mmap: Whether tensors are read when they are used; only an archive can be read so.

    Raises:
        Exception: Of half a dozen kinds, for a file that is cut short, is none of torch's or holds
            code.
    """
    with warnings.catch_warnings():
        # torch first guesses aloud why it may fail on a pickle of another protocol, and then fails
        warnings.simplefilter("ignore")
        return torch.load(path, map_location="cpu", weights_only=True, mmap=mmap)
