"""One run from its arguments to its result file, in whichever process it is called.

A run writes its result only when it is complete. A run that was interrupted goes on from its last
checkpoint, if it is still the same run; one that was made of something else is made anew.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, get_args

from lit_roberta.comparison.runs.claiming import claimed_run
from lit_roberta.comparison.runs.evaluation import evaluate
from lit_roberta.comparison.runs.held_out import score_part
from lit_roberta.comparison.runs.observer import ObservedCLI, run_planned
from lit_roberta.comparison.runs.run import Run, write_json
from lit_roberta.comparison.runs.stored import (
    FAILED,
    MARK,
    RESULT,
    Aim,
    is_whole,
    read_stored,
    scoring_digest,
)
from lit_roberta.data.examples.packing import Format
from lit_roberta.errors import UserError, must
from lit_roberta.log_files import output_to
from lit_roberta.training.checkpoint_files import BEST, CHECKPOINT_FOLDER, LAST
from lit_roberta.training.checkpoint_settings import read_checkpoint_settings
from lit_roberta.workers import ERROR, Interrupted, Tell

_LOG = "log.txt"


@dataclass(frozen=True, kw_only=True)
class Task:
    """One run to make."""

    recipe: str
    seed: int
    updates: int
    arguments: Sequence[str]
    """Of `fit`, without folder, seed and length."""
    folder: Path
    fingerprint: str
    formats: Sequence[Format]
    aim: Aim = "result"
    any_scoring: bool = False
    """Whether scores by other code will do."""

    @property
    def label(self) -> str:
        """What to call it in a message."""
        return f"{self.recipe}, seed {self.seed}"

    def execute(self, tell: Tell) -> None:
        """Make the run, in a process of its own."""
        execute(self, tell)


def finished(task: Task) -> bool:
    """Tell whether a run lies there complete, made of the same things and scored in this way."""
    stored = read_stored(task.folder / RESULT)
    return (
        stored.get("fingerprint") == task.fingerprint
        and is_whole(stored, aim=task.aim, formats=task.formats)
        and _scored_as_now(task, stored)
    )


def _scored_as_now(task: Task, stored: Mapping[str, Any]) -> bool:
    by_this_code = stored.get("scored_by") == scoring_digest()
    return task.aim != "result" or task.any_scoring or by_this_code


def superseded(task: Task) -> bool:
    """Tell whether a result lies in the run's place that was made of other things."""
    stored = read_stored(task.folder / RESULT)
    return stored.get("fingerprint", task.fingerprint) != task.fingerprint


def only_scored(task: Task) -> bool:
    """Tell whether a run that is not finished is trained: only scores are missing."""
    stored = read_stored(task.folder / RESULT)
    return (
        stored.get("fingerprint") == task.fingerprint
        and not finished(task)
        and (task.folder / CHECKPOINT_FOLDER / LAST).is_file()
    )


def without_damaged_checkpoints(task: Task) -> str | None:
    """Clear an unfinished run of which a checkpoint can't be read, so that it starts afresh.

    Returns:
        What to tell the user; None where nothing was damaged.
    """
    if read_stored(task.folder / MARK).get("fingerprint") != task.fingerprint:
        return None  # it is made anew anyway, or is nothing of ours
    for path in (task.folder / CHECKPOINT_FOLDER / name for name in (LAST, BEST)):
        try:
            if path.is_file():
                read_checkpoint_settings(path)
        except UserError:
            shutil.rmtree(task.folder)
            return f"{path} can't be read: {task.label} starts afresh."
    return None


def execute(task: Task, tell: Tell) -> None:
    """Train and score a run, and write its result; only what is missing of it is done.

    A run that is trained goes through the same steps from its last checkpoint, without an update.

    Args:
        task: The run.
        tell: Called now and then with its progress.

    Raises:
        UserError: If the run can't be made as asked, or has diverged, or another process is at it.
        Interrupted: If it was stopped by a signal.
    """
    with claimed_run(task.folder):
        if finished(task):
            return
        _prepare_folder(task)
        with output_to(task.folder / _LOG):
            cli = run_planned(
                task.arguments,
                seed=task.seed,
                updates=task.updates,
                folder=task.folder,
                tell=tell,
            )
            if cli.exit_status:
                raise Interrupted
            values = _found(task, cli)
        write_json(task.folder / RESULT, values)


def _found(task: Task, cli: ObservedCLI) -> dict[str, Any]:
    """Give what a trained run is for."""
    if task.aim == "result":
        return asdict(_scored(task, cli))
    if task.aim == "validation":
        loss = score_part(cli.model.model, cli.datamodule, "validation").loss
        return {"fingerprint": task.fingerprint, "validation_loss": loss}
    pace = cli.observer.seconds / cli.observer.costs.updates
    return {"fingerprint": task.fingerprint, "seconds_per_update": pace}


def _scored(task: Task, cli: ObservedCLI) -> Run:
    """Score a run in the formats that are asked for now, and those that were asked for before."""
    stored = read_stored(task.folder / RESULT)
    before = stored if stored.get("fingerprint") == task.fingerprint else {}
    there = before.get("heldout") or {}
    others = [each for each in get_args(Format) if each in there and each not in task.formats]
    run = evaluate(
        cli,
        recipe=task.recipe,
        fingerprint=task.fingerprint,
        formats=[*task.formats, *others],
    )
    # The last checkpoint was written a little before the clock stopped.
    seconds = before.get("seconds", run.seconds)
    return replace(run, seconds=seconds, scored_by=scoring_digest())


def _prepare_folder(task: Task) -> None:
    """Make the run's folder; keep what is there only if it belongs to the same run."""
    mark = task.folder / MARK
    if task.folder.exists() and any(task.folder.iterdir()):
        if not mark.is_file():
            remedy = "Give another --output: nothing of another program's is removed."
            raise must(
                "the run's folder", "be empty or the comparison's own", str(task.folder), remedy
            )
        if read_stored(mark).get("fingerprint") != task.fingerprint:
            shutil.rmtree(task.folder)
    task.folder.mkdir(parents=True, exist_ok=True)
    for name in (ERROR, FAILED):
        (task.folder / name).unlink(missing_ok=True)
    write_json(mark, {"fingerprint": task.fingerprint, "recipe": task.recipe, "seed": task.seed})
