"""Checkpoints as files: written whole or not at all, and read without running anything in them.

In: a checkpoint and a path. Out: the file, complete. It knows nothing of when to save or what.
"""

from __future__ import annotations

import logging
import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from lightning_fabric.plugins import TorchCheckpointIO

from lit_roberta.whole_files import PART, failures_in_one_line, file_on_disk, written_beside

logger = logging.getLogger(__name__)

CHECKPOINT_FOLDER = "checkpoints"
"""Where a run keeps its checkpoints, in the run's own folder."""
LAST = "last.ckpt"
BEST = "best.ckpt"
PREVIOUS = "previous.ckpt"
"""The last but one, for the day on which a disk loses the last."""


def last_checkpoint(folder: Path) -> Path | None:
    """Find the newest checkpoint of a run, to go on with.

    Args:
        folder: The run's folder.

    Returns:
        The file; None where the run has saved nothing yet.
    """
    path = folder / CHECKPOINT_FOLDER / LAST
    return path if path.is_file() else None


def best_or_last(folder: Path) -> str:
    """Say which checkpoint of a run is judged where none is named: the last of one without a best.

    Args:
        folder: The run's folder.
    """
    has_best = (folder / CHECKPOINT_FOLDER / BEST).is_file()
    return "best" if has_best or last_checkpoint(folder) is None else "last"


def remove_leftovers(folder: Path) -> None:
    """Remove what writes that were cut off left in a folder of checkpoints.

    A checkpoint can be gigabytes, and one is left by every kill that hits a write.
    """
    for path in folder.glob(f"*{PART}"):
        logger.info("Removing %s: its writing was cut off.", path)
        path.unlink(missing_ok=True)


class AtomicCheckpointIO(TorchCheckpointIO):
    """Write beside, then rename; load plain data only.

    Lightning builds the file in memory, writes it under `$TMPDIR` and moves it. Between two file
    systems a move is a copy, and a kill in the middle of it cuts off the only `last.ckpt`.
    """

    def save_checkpoint(
        self,
        checkpoint: dict[str, Any],
        path: str | Path,
        storage_options: Any = None,
    ) -> None:
        """Write a checkpoint, so that the path holds the old file or the whole new one.

        Args:
            checkpoint: What to write.
            path: Where to. A path with a protocol (`s3://...`) is left to Lightning.
            storage_options: Not used; Lightning's.

        Raises:
            UserError: If the folder can't take the file; the old file is still there.
        """
        if "://" in str(path):
            super().save_checkpoint(checkpoint, path, storage_options)
            return
        with _replacing(Path(path)) as part, file_on_disk(part) as file:
            torch.save(checkpoint, file)

    def load_checkpoint(
        self,
        path: str | Path,
        map_location: Any = "cpu",
        weights_only: bool | None = None,
    ) -> dict[str, Any]:
        """Load a checkpoint on the CPU. Nothing in it is executed, whatever was asked for.

        `weights_only` is said in full because an environment variable can turn torch's default
        off.
        """
        return super().load_checkpoint(path, map_location=map_location, weights_only=True)


def give_another_name(path: Path, other: Path) -> None:
    """Let a second name hold the same checkpoint, at no cost where the file system has hard links.

    A checkpoint is never changed, only replaced, so two names can share it.
    """
    with _replacing(other) as part:
        _link(path, part)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a path beside a checkpoint to write to, and put it in the other's place."""
    with failures_in_one_line(path, name="the checkpoint folder", rule="take a file"):
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(path) as part:
            yield part
            if path.name == LAST and zipfile.is_zipfile(path):
                # Only now, where the new one is whole, and never one that was cut short.
                with written_beside(path.with_name(PREVIOUS)) as other:
                    _link(path, other)


def _link(path: Path, other: Path) -> None:
    try:
        os.link(path, other)
    except OSError:
        shutil.copyfile(path, other)
