from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lit_roberta.heap import give_back

STATUS = Path("/proc/self/status")


def anonymous() -> int:
    """Read how many kB of this process are no file's."""
    (line,) = (line for line in STATUS.read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1])


@pytest.mark.skipif(sys.platform != "linux" or not STATUS.exists(), reason="asks glibc of Linux")
def test_what_is_free_between_pieces_in_use_goes_back_to_the_system() -> None:
    pieces = [b"x" * 50_000 for _ in range(2000)]
    kept = pieces[::40]
    del pieces
    before = anonymous()
    give_back()
    assert before - anonymous() > 80_000
    assert all(piece == b"x" * 50_000 for piece in kept)


_FAULTS = """
import resource, torch
from lit_roberta.heap import keep_freed_blocks
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        torch.zeros(12_000_000).add_(1)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
left_alone = faults()
keep_freed_blocks()
faults()
print(left_alone, faults())
"""


@pytest.mark.skipif(sys.platform != "linux" or not STATUS.exists(), reason="asks glibc of Linux")
def test_large_blocks_are_kept_for_the_next_ones_where_that_is_asked_for() -> None:
    # In a process of its own: what the library is told holds as long as the process.
    made = subprocess.run(
        [sys.executable, "-c", _FAULTS], capture_output=True, text=True, check=True
    )
    left_alone, kept = map(int, made.stdout.split())
    assert kept < left_alone / 20
