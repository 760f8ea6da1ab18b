"""Commands as a shell runs them: in processes of their own, between other programs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
TIMEOUT = 300
"""Seconds; torch alone takes some to import, on a busy machine."""


def start(*words: str) -> subprocess.Popen[bytes]:
    """Start `lit-roberta WORDS...` with pipes."""
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-m", "lit_roberta", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
