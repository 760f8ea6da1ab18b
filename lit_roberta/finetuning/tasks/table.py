"""The tasks by name: those of one's own files, and those of the benchmarks.

A new kind of task is a file beside this one, and a line in the first table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from lit_roberta.errors import must
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.regression import Regression

PartName = Literal["train", "validation", "test"]

ReadPart = Callable[[Path, PartName], Mapping[str, Sequence[Any]]]
"""Reads a part of a benchmark's folder: examples by the name of the set, "" for the one that has
no name of its own. Nothing where the folder has no such part."""

KINDS: Mapping[str, type[FinetuningTask[Any, Any]]] = {
    "classification": Classification,
    "regression": Regression,
}
"""By the name that `--data.task` takes."""


@dataclass(frozen=True, kw_only=True)
class TaskSpec:
    """A task by name: its kind, and what is fixed with the name."""

    name: str
    task: type[FinetuningTask[Any, Any]]
    labels: tuple[str, ...] | None = None
    """In the order of their numbers. None: as found in the training part."""
    metrics: tuple[str, ...] | None = None
    """None: the kind's own."""
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: str | None = None
    """What the folder of a benchmark's task is called."""
    read_part: ReadPart | None = None
    """None: it has no folder, and files are the user's own."""


def find_task(name: str) -> TaskSpec:
    """Find a task.

    Raises:
        UserError: If there is none of that name.
    """
    specs = all_tasks()
    if name not in specs:
        close = get_close_matches(name.lower(), specs, n=1)
        remedy = f"Did you mean {close[0]}?" if close else "Of one's own: classification."
        raise must("data.task", f"be one of {', '.join(specs)}", name, remedy)
    return specs[name]


def all_tasks() -> dict[str, TaskSpec]:
    """Give all tasks by name."""
    return {name: TaskSpec(name=name, task=kind) for name, kind in KINDS.items()}
