"""A finished run under another name is taken over, not made again.

In: planned runs that are missing. Out: folders in which they lie. An arm gets another name where a
study is arranged in another way; what the run is made of says that it is the same.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from lit_roberta.comparison.runs.claiming import claimed_run, is_claimed
from lit_roberta.comparison.runs.stored import MARK, RESULT, read_stored
from lit_roberta.comparison.runs.tasks import Task

_PART = ".part"


def adopt_runs(missing: Sequence[Task]) -> list[Task]:
    """Give missing runs the folders of equal ones that lie beside them under other names.

    Checkpoints, which are never changed but only replaced, are shared where the file system has
    hard links.

    Args:
        missing: Runs that are not finished, as `<root>/<name>/<seed>`.

    Returns:
        Those that were found.
    """
    return [task for task in missing if not _is_begun(task) and _adopt(task)]


def _is_begun(task: Task) -> bool:
    return is_claimed(task.folder) or (task.folder.exists() and any(task.folder.iterdir()))


def _adopt(task: Task) -> bool:
    found = _equal_run(task)
    if found is None:
        return False
    with claimed_run(task.folder):
        part = task.folder.with_name(task.folder.name + _PART)
        shutil.rmtree(part, ignore_errors=True)
        shutil.copytree(found, part, copy_function=_link)
        part.replace(task.folder)  # which is empty, or not there
    return True


def _equal_run(task: Task) -> Path | None:
    """Find a finished run that is made of the same things."""
    root = task.folder.parents[1]
    for result in sorted(root.glob(f"*/{task.folder.name}/{RESULT}")):
        stored = [read_stored(path).get("fingerprint") for path in (result, result.parent / MARK)]
        if stored == [task.fingerprint, task.fingerprint]:
            return result.parent
    return None


def _link(source: str, target: str) -> None:
    if Path(source).suffix == ".ckpt":
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copy2(source, target)
