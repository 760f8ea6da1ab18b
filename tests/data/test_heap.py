from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lit_roberta.data.heap import give_back

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
