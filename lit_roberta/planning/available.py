"""How much memory this process may still take, as the operating system says.

A container's limit counts as much as the machine's memory; whichever is lower decides.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path("/")
_UNLIMITED = 2**60
"""Control groups write a number near 2**63 where there is no limit."""


def available_memory(root: Path = _ROOT) -> int | None:
    """Tell how many bytes are free for this process, or could be made free without swapping.

    Args:
        root: Where `proc` and `sys` lie.

    Returns:
        Bytes; None where the system does not say.
    """
    found = [size for size in (_free_on_machine(root), *_free_in_groups(root)) if size is not None]
    return max(0, min(found)) if found else None


def resident_peak(root: Path = _ROOT) -> int | None:
    """Tell how many bytes of this process were in memory at the most, since `forget_peak`."""
    peak = _fields(root / "proc/self/status").get("VmHWM")
    return None if peak is None else peak * 1024


def resident_now(root: Path = _ROOT) -> int | None:
    """Tell how many bytes of this process are in memory."""
    size = _fields(root / "proc/self/status").get("VmRSS")
    return None if size is None else size * 1024


def forget_peak(root: Path = _ROOT) -> bool:
    """Start to measure the peak anew; tell whether the system allows that."""
    try:
        (root / "proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _free_on_machine(root: Path) -> int | None:
    available = _fields(root / "proc/meminfo").get("MemAvailable")
    if available is not None:
        return available * 1024
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _free_in_groups(root: Path) -> Iterator[int]:
    """Yield what is left under each limit that holds for this process, in both versions."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0":
            folder, limit, usage = "sys/fs/cgroup", "memory.max", "memory.current"
            cache = "inactive_file"
        elif "memory" in controllers.split(","):
            folder, limit, usage = (
                "sys/fs/cgroup/memory",
                "memory.limit_in_bytes",
                "memory.usage_in_bytes",
            )
            cache = "total_inactive_file"
        else:
            continue
        # A limit further up holds too; inside a container the path may not be there at all.
        place = Path(path.lstrip("/"))
        for group in (place, *place.parents):
            at = root / folder / group
            most, used = _number(at / limit), _number(at / usage)
            if most is not None and used is not None and most < _UNLIMITED:
                yield most - used + _fields(at / "memory.stat").get(cache, 0)


def _fields(path: Path) -> dict[str, int]:
    """Read lines of a name and a number."""
    words = (line.replace(":", " ").split() for line in _read(path).splitlines())
    return {line[0]: int(line[1]) for line in words if len(line) > 1 and line[1].isdecimal()}


def _number(path: Path) -> int | None:
    text = _read(path).strip()
    return int(text) if text.isdecimal() else None


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
