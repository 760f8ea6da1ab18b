"""The tasks by name: those of one's own files, and those of the benchmarks.

A new kind of task is a file beside this one, and a line in the first table.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.benchmarks.layout import OfRow, ReadPart
from lit_roberta.finetuning.benchmarks.superglue import GROUPED
from lit_roberta.finetuning.benchmarks.table import BENCHMARKS
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.grouped import GroupedClassification
from lit_roberta.finetuning.tasks.multiple_choice import MultipleChoice
from lit_roberta.finetuning.tasks.prompted_classification import PromptedClassification
from lit_roberta.finetuning.tasks.question_answering import QuestionAnswering
from lit_roberta.finetuning.tasks.regression import Regression
from lit_roberta.finetuning.tasks.tagging import Tagging

KINDS: Mapping[str, type[FinetuningTask[Any, Any]]] = {
    "classification": Classification,
    "prompted-classification": PromptedClassification,
    "regression": Regression,
    "multiple-choice": MultipleChoice,
    "tagging": Tagging,
    "question-answering": QuestionAnswering,
}
"""By the name that `--data.task` takes."""

_OF_BENCHMARKS: Mapping[str, type[FinetuningTask[Any, Any]]] = {
    **KINDS,
    GROUPED: GroupedClassification,
}
"""With those that no file of one's own has the form for."""


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
    of_row: OfRow | None = None
    """None: rows of the user's own are as those of any task of the kind."""


def find_task(name: str) -> TaskSpec:
    """Find a task. Capitals, dashes and underscores do not count: `SST-2` is `sst2`.

    Raises:
        UserError: If there is none of that name.
    """
    specs = {plain(name): spec for name, spec in all_tasks().items()}
    wanted = plain(name)
    if wanted not in specs:
        close = get_close_matches(wanted, specs, n=1)
        remedy = (
            f"Did you mean {specs[close[0]].name}?" if close else "Of one's own: classification."
        )
        raise must("data.task", f"be one of {', '.join(all_tasks())}", name, remedy)
    return specs[wanted]


def all_tasks() -> dict[str, TaskSpec]:
    """Give all tasks by name."""
    own = {name: TaskSpec(name=name, task=kind) for name, kind in KINDS.items()}
    return own | {
        each.name: TaskSpec(
            name=each.name,
            task=_OF_BENCHMARKS[each.kind],
            labels=each.labels,
            metrics=each.metrics,
            folder=each.folder,
            read_part=each.read_part,
            of_row=each.of_row,
        )
        for each in BENCHMARKS
    }


def plain(name: str) -> str:
    """Write a task's name without case, hyphens and underscores.

    Example:
        >>> plain("STS-B")
        'stsb'
    """
    return name.lower().replace("-", "").replace("_", "")
