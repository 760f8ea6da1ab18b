"""Which update was bad and what it held, in a line for the terminal and whole in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from lit_roberta.training.divergence import BadUpdate
from lit_roberta.whole_files import write_whole

REPORT = "divergence.json"
"""In the run's folder: the newest bad update with its examples and their text."""
_MOST_SHOWN = 8
"""Examples that one line names."""


@runtime_checkable
class Contents(Protocol):
    """What an update held."""

    def names(self) -> list[str]:
        """Name each example, for a line."""
        ...

    def records(self, data: Any) -> list[dict[str, Any]]:
        """Give each example whole, for a file, from the data module."""
        ...


def describe(update: BadUpdate, contents: Contents) -> str:
    """Say in a sentence or two which update was bad and which examples it held.

    Args:
        update: The first bad one.
        contents: What it held.
    """
    names = contents.names()
    shown = ", ".join(names[:_MOST_SHOWN])
    rest = f" and {len(names) - _MOST_SHOWN:,} more" if len(names) > _MOST_SHOWN else ""
    return (
        f"Update {update.number} (counted from 0) has diverged: {update}. Its examples: "
        f"{shown}{rest}."
    )


def write_report(path: Path, bad: Sequence[BadUpdate], contents: Contents, data: Any) -> None:
    """Write the first bad update and all of its examples, whole or not at all.

    Args:
        path: Where to.
        bad: All that were found at once.
        contents: What the first of them held.
        data: The data module.
    """
    report = {
        "update": bad[0].number,
        "reason": str(bad[0]),
        "bad_updates": [update.number for update in bad],
        "examples": contents.records(data),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (json.dumps(report, indent=1, ensure_ascii=False) + "\n").encode())
