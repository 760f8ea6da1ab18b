"""What the tests of exporting commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHECKPOINT = "runs/roberta/checkpoints/last.ckpt"
SAID = "said.txt"
"""In the folder of a run: what training said."""

Exporter = Callable[..., tuple[int, str]]
"""The command in this process: arguments to its status and messages."""
