"""How long a checkpoint takes to be written."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

_PROBE = 2**25
"""Bytes that are written to see how fast that goes."""


def seconds_to_write(size: int) -> float:
    """Estimate how long so many bytes take to reach the disk that temporary files lie on."""
    probe = bytes(min(size, _PROBE))
    with tempfile.TemporaryDirectory(prefix="lit_roberta-") as folder:
        began = time.monotonic()
        with (Path(folder) / "probe").open("wb") as file:
            file.write(probe)
            file.flush()
            os.fsync(file.fileno())
        return (time.monotonic() - began) * size / len(probe)
