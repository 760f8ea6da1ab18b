"""What a run says, in a file of its own: a terminal shows several runs at once."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def output_to(path: Path) -> Iterator[None]:
    """Send notices, and what libraries print, to a file: the terminal shows all runs at once."""
    ours = logging.getLogger("lit_roberta")
    sys.stdout.flush()
    sys.stderr.flush()
    with path.open("a", encoding="utf-8", buffering=1) as file:
        handler = logging.StreamHandler(file)
        handler.setFormatter(logging.Formatter("%(message)s"))
        level, kept = ours.level, [os.dup(1), os.dup(2)]
        ours.addHandler(handler)
        ours.setLevel(logging.INFO)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        try:
            yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            for target, copy in zip((1, 2), kept, strict=True):
                os.dup2(copy, target)
                os.close(copy)
            ours.removeHandler(handler)
            ours.setLevel(level)
