"""Where a prepared folder goes: looked at before any work is done, and taken at the end.

A folder is made beside its place, as `.NAME.part`, and then renamed. What stood in its place until
then is renamed, too, before it is deleted: no moment leaves half a folder under the name.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from tempfile import TemporaryFile

from lit_roberta.data.preparation.manifest import is_prepared
from lit_roberta.errors import must
from lit_roberta.whole_files import PART


def beside(folder: Path, what: str) -> Path:
    """Name a hidden place beside a folder."""
    return folder.with_name(f".{folder.name}.{what}")


def check_place(folder: Path) -> None:
    """See that a folder can be made here, and make the folders above it.

    Raises:
        UserError: If something else is here.
        OSError: If nothing can be written here.
    """
    is_free = not os.path.lexists(folder) or (folder.is_dir() and not any(folder.iterdir()))
    if not is_free and not is_prepared(folder):
        remedy = "It holds something else, which stays as it is: name another."
        raise must("output", "be a new, an empty or a prepared folder", str(folder), remedy)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryFile(dir=folder.parent):
        pass


def take_place(part: Path, folder: Path) -> None:
    """Give a folder that is made its name."""
    for left in part.rglob(f"*{PART}"):  # of a process that was killed while it wrote
        left.unlink()
    old = beside(folder, "old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    part.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def sync_files(folder: Path) -> None:
    """Wait until the files of a folder are on disk, those of its folders as well."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())
