"""How much memory a command and the processes that it starts take."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PAUSE = 0.05
"""Seconds between two looks."""


class Measured(NamedTuple):
    """What a command took."""

    seconds: float
    peak: int
    """Bytes of resident memory of all its processes together."""
    peak_anonymous: int
    """Of these, what is no mapped file, whose pages the system takes back when it needs them."""


def measure(command: Sequence[str], *, environment: dict[str, str]) -> Measured:
    """Run a command to its end.

    Raises:
        CalledProcessError: If it fails.
    """
    start, peak, peak_anonymous = time.perf_counter(), 0, 0
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    while process.poll() is None:
        found = resident(process.pid)
        peak = max(peak, sum(found))
        peak_anonymous = max(peak_anonymous, found.anonymous)
        time.sleep(_PAUSE)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Measured(time.perf_counter() - start, peak, peak_anonymous)


class Resident(NamedTuple):
    """Resident memory, in bytes."""

    anonymous: int
    file: int


def resident(process: int) -> Resident:
    """Add up the memory of a process and of all below it."""
    found = [_of_one(process), *map(resident, _children(process))]
    return Resident(sum(each.anonymous for each in found), sum(each.file for each in found))


def _children(process: int) -> list[int]:
    """List the processes that the threads of a process have started."""
    found = []
    for thread in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has ended meanwhile
            found += thread.read_text().split()
    return list(map(int, found))


def _of_one(process: int) -> Resident:
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return Resident(0, 0)
    sizes = {line.split()[0]: 1024 * int(line.split()[1]) for line in lines if "Rss" in line}
    return Resident(sizes.get("RssAnon:", 0), sizes.get("RssFile:", 0))
