"""What to go on with where a checkpoint is damaged.

In: the damaged file. Out: the newest whole one beside it, in words. It decides nothing: going back
costs updates, and whoever runs the training says whether.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lit_roberta.errors import UserError
from lit_roberta.training.checkpoint_files import BEST, LAST, PREVIOUS

_NAMED = (LAST, PREVIOUS, BEST)


def earlier_checkpoint(damaged: Path, *, update_of: Callable[[Path], int]) -> str:
    """Offer the newest whole checkpoint in a damaged one's folder.

    Args:
        damaged: The one that can't be read.
        update_of: Reads a checkpoint through, and gives the updates that it has seen.

    Returns:
        A sentence, with a space before it; "" where there is none.

    Example:
        >>> earlier_checkpoint(Path("nowhere/last.ckpt"), update_of=lambda path: 0)
        ''
    """
    found: list[tuple[int, Path]] = []
    for path in sorted(damaged.parent.glob("*.ckpt")):
        if path.name == damaged.name or path.samefile(damaged):
            continue  # two names may hold one file
        try:
            found.append((update_of(path), path))
        except UserError:
            continue
    if not found:
        return ""
    # Of two that have seen as much, the one with a name of its own on the command line.
    update, path = max(found, key=lambda each: (each[0], each[1].name in _NAMED))
    name = path.stem if path.name in _NAMED else str(path)
    return f" The one before is whole: --ckpt_path {name} goes on from update {update:,}."
