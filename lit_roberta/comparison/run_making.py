"""The runs of a comparison: those that are there are used again, the others are made.

In: planned runs, and the workers. Out: what the runs found, and which failed. It does not know
what they are for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from lit_roberta.comparison.design.plan import Plan
from lit_roberta.comparison.display import RunDisplay
from lit_roberta.comparison.results import Failure
from lit_roberta.comparison.runs.run import Run
from lit_roberta.comparison.runs.stored import RESULT
from lit_roberta.comparison.runs.tasks import (
    Task,
    finished,
    superseded,
    without_damaged_checkpoints,
)
from lit_roberta.workers import Event, WorkerPool


def make_runs(tasks: Sequence[Task], pool: WorkerPool[Task], console: Console) -> list[Failure]:
    """Make the runs that are not there yet, and give those that failed."""
    missing = [task for task in tasks if not finished(task)]
    if len(missing) < len(tasks):
        kept = len(tasks) - len(missing)
        console.print(f"{kept} of {len(tasks)} runs are there already, and unchanged.")
    for notice in _made_anew(missing):
        console.print(notice, markup=False, highlight=False, soft_wrap=True)
    failed: list[Event[Task]] = []
    with RunDisplay(missing, console=console) as display:

        def on_event(event: Event[Task]) -> None:
            display.show(event)
            if event.kind == "failed":
                failed.append(event)

        pool.run(missing, on_event)
    return [
        Failure(recipe=event.task.recipe, seed=event.task.seed, message=event.message)
        for event in failed
    ]


def _made_anew(missing: Sequence[Task]) -> list[str]:
    """Say which of the runs that lie there are replaced, and clear those that can't go on."""
    notices = []
    if replaced := [task for task in missing if superseded(task)]:
        runs, are = ("runs", "are") if len(replaced) > 1 else ("run", "is")
        folder = os.path.commonpath([task.folder for task in replaced])
        notices.append(
            f"{len(replaced)} finished {runs} in {folder} {are} of another text, budget, setting "
            f"or version, and {are} made anew."
        )
    return [*notices, *filter(None, map(without_damaged_checkpoints, missing))]


def read_runs(plan: Plan) -> list[Run]:
    """Read every finished run; an arm that is the same run as another shares the other's."""
    made: dict[str, list[Run]] = {}
    for task in plan.tasks:
        if finished(task):
            stored = json.loads((task.folder / RESULT).read_text(encoding="utf-8"))
            made.setdefault(task.recipe, []).append(Run.from_json(stored))
    return [
        replace(run, recipe=arm.name, same_as=arm.same_as)
        for arm in plan.arms
        for run in made.get(arm.same_as or arm.name, [])
    ]
