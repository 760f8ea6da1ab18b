"""What this machine has for runs: cores, GPUs, and how many runs it takes at once.

In: nothing but the process's surroundings. Out: counts and names. It does not know what a run is.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch

_CPU = Path("/proc/cpuinfo")
_VISIBLE = "CUDA_VISIBLE_DEVICES"


def default_jobs() -> int:
    """Choose how many runs to make at once: one a GPU, or a core or two for each small model."""
    if torch.accelerator.is_available():
        return max(1, len(visible_gpus()))  # more would only wait for each other
    return max(1, min(4, available_cores()))


def available_cores() -> int:
    """Count the CPU cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on every system
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads_of_each(jobs: int) -> int:
    """Give each of several runs its share of the cores, at least one."""
    return max(1, available_cores() // jobs)


def visible_gpus() -> list[str]:
    """Name the CUDA devices that this process may use, as `CUDA_VISIBLE_DEVICES` names them."""
    count = torch.cuda.device_count()
    named = [name.strip() for name in os.environ.get(_VISIBLE, "").split(",")]
    # Names behind one that does not exist are not devices, which only torch can tell.
    return named[:count] if named != [""] else [str(number) for number in range(count)]


def maker_of_cpu() -> str | None:
    """Name who made the processor, as it says itself: `GenuineIntel`, `AuthenticAMD`.

    Returns:
        None where nobody says it, as on ARM and on other systems than Linux.
    """
    try:
        lines = _CPU.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("vendor_id"))
    return next(named, None)


@contextmanager
def only_gpu(name: str | None) -> Iterator[None]:
    """Let processes that start meanwhile see one CUDA device; None changes nothing."""
    before = os.environ.get(_VISIBLE)
    if name is not None:
        os.environ[_VISIBLE] = name
    try:
        yield
    finally:
        if name is not None:
            os.environ.pop(_VISIBLE)
            if before is not None:
                os.environ[_VISIBLE] = before
