"""The runs of a comparison: those that are there are used again, the others are made.

In: planned runs, and the workers. Out: what the runs found, and which failed. It does not know
what they are for.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from lit_roberta.comparison.adopting import adopt_runs
from lit_roberta.comparison.choosing import EVERY, Choice, RunsFailed, list_runs
from lit_roberta.comparison.design.plan import Plan
from lit_roberta.comparison.display import RunDisplay
from lit_roberta.comparison.results import Failure
from lit_roberta.comparison.runs.claiming import ELSEWHERE, is_claimed
from lit_roberta.comparison.runs.run import Run, write_json
from lit_roberta.comparison.runs.stored import (
    FAILED,
    MARK,
    RESULT,
    differs_by_code,
    read_stored,
)
from lit_roberta.comparison.runs.tasks import (
    Task,
    finished,
    only_scored,
    superseded,
    without_damaged_checkpoints,
)
from lit_roberta.errors import UserError, must
from lit_roberta.workers import Event, WorkerPool

NOT_THERE = "not there yet"
_SECONDS_BETWEEN_LOOKS = 0.5


def make_chosen(
    choice: Choice, tasks: Sequence[Task], pool: WorkerPool[Task], console: Console
) -> list[Failure]:
    """Make the chosen runs, or list all of them.

    Raises:
        RunsFailed: If some that were chosen by number failed: there is no report to say it.
    """
    if choice.listing:
        list_runs(tasks, Console())
        return []
    failures = make_runs(tasks, pool, console, choice=choice)
    if failures and choice.numbers is not None:
        first = failures[0]
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        raise RunsFailed(f"{first.recipe}, seed {first.seed} failed: {first.message}{more}")
    return failures


def make_runs(
    tasks: Sequence[Task],
    pool: WorkerPool[Task],
    console: Console,
    *,
    choice: Choice = EVERY,
    patience: float = 20.0,
) -> list[Failure]:
    """Make the runs that are not there yet, and give those that failed.

    Args:
        tasks: The planned runs.
        pool: Makes them.
        console: Told how far it is.
        choice: Which of them to make.
        patience: Seconds to wait, at the end, for runs that other processes are making; a process
            that was killed leaves its runs at once, and its workers within this time.

    Raises:
        UserError: If finished runs of other settings lie there, which nobody wants replaced.
    """
    chosen = choice.of(tasks)
    missing = [task for task in chosen if not finished(task)]
    if not choice.report_only and (adopted := adopt_runs(missing)):
        console.print(f"{_runs(adopted)} had another name before.", highlight=False)
        missing = [task for task in missing if not finished(task)]
    if len(missing) < len(chosen):
        kept = len(chosen) - len(missing)
        console.print(f"{kept} of {len(chosen)} runs are there already, and unchanged.")
    if choice.report_only:
        return [replace(_failure(task, NOT_THERE), tried=False) for task in missing]
    for notice in _what_becomes_of(missing, choice):
        console.print(notice, markup=False, highlight=False, soft_wrap=True)
    failed = _attempt(missing, pool, console)
    failed = _retry_elsewhere(failed, pool, console, patience=patience)
    for event in failed:
        _note(event)
    return [_failure(event.task, event.message) for event in failed]


def _attempt(tasks: Sequence[Task], pool: WorkerPool[Task], console: Console) -> list[Event[Task]]:
    """Make runs, each in a process of its own, and give the failures."""
    failed: list[Event[Task]] = []
    with RunDisplay(tasks, console=console) as display:

        def on_event(event: Event[Task]) -> None:
            display.show(event)
            if event.kind == "failed":
                failed.append(event)

        pool.run(tasks, on_event)
    return failed


def _retry_elsewhere(
    failed: Sequence[Event[Task]], pool: WorkerPool[Task], console: Console, *, patience: float
) -> list[Event[Task]]:
    """Wait a while for the runs that other processes had, and make what they left unfinished."""
    final = [event for event in failed if event.message != ELSEWHERE]
    elsewhere = [event for event in failed if event.message == ELSEWHERE]
    until = time.monotonic() + patience
    while elsewhere:
        elsewhere = [event for event in elsewhere if not finished(event.task)]
        free = [event.task for event in elsewhere if not is_claimed(event.task.folder)]
        again = _attempt(free, pool, console) if free else []
        final += [event for event in again if event.message != ELSEWHERE]
        lost = [event for event in again if event.message == ELSEWHERE]
        elsewhere = [event for event in elsewhere if event.task not in free] + lost
        if time.monotonic() > until:
            break
        if elsewhere:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
    return final + elsewhere


def _failure(task: Task, message: str) -> Failure:
    return Failure(recipe=task.recipe, seed=task.seed, message=message)


def _note(event: Event[Task]) -> None:
    """Leave word in a run's own folder that it failed."""
    task = event.task
    if read_stored(task.folder / MARK).get("fingerprint") == task.fingerprint:
        values = {"fingerprint": task.fingerprint, "message": event.message}
        write_json(task.folder / FAILED, values)


def _what_becomes_of(missing: Sequence[Task], choice: Choice) -> list[str]:
    """Say which runs are only scored and which replaced, and clear those that can't go on.

    Raises:
        UserError: If runs would be replaced that are not to be.
    """
    replaced = [task for task in missing if superseded(task)]
    if replaced and not choice.anew and replaced[0].aim != "timing":
        raise _of_others(replaced)
    notices = []
    if replaced:
        folder = os.path.commonpath([task.folder for task in replaced])
        notices.append(f"{_runs(replaced)} in {folder} {_are(replaced)} made anew.")
    if scored := [task for task in missing if only_scored(task)]:
        notices.append(
            f"{_runs(scored)} {_are(scored)} scored in what is missing. Nothing is trained again."
        )
    ours = [task for task in missing if not is_claimed(task.folder)]
    return [*notices, *filter(None, map(without_damaged_checkpoints, ours))]


def _of_others(replaced: Sequence[Task]) -> UserError:
    folder = os.path.commonpath([task.folder for task in replaced])
    stored = [str(read_stored(task.folder / RESULT)["fingerprint"]) for task in replaced]
    by_code = all(
        differs_by_code(there, task.fingerprint)
        for there, task in zip(stored, replaced, strict=True)
    )
    if by_code:
        rule = "hold runs of this version of the package and of torch"
        remedy = "Give --report-only to report on what is there, or --anew to make it anew."
    else:
        rule = "hold runs of the same text, budget and settings"
        remedy = "Give another folder, or --anew to replace what is there."
    return must("--output", rule, f"{folder} with {_runs(replaced)} of others", remedy)


def _runs(tasks: Sequence[Task]) -> str:
    return f"{len(tasks)} finished run{'s' * (len(tasks) != 1)}"


def _are(tasks: Sequence[Task]) -> str:
    return "is" if len(tasks) == 1 else "are"


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
