"""One run from its arguments to its result file, in whichever process it is called.

A run writes its result only when it is complete. A run that was interrupted goes on from its last
checkpoint, if it is still the same run; one that was made of something else is made anew.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from types import NoneType
from typing import Any, Literal

from lit_roberta.comparison.runs.evaluation import evaluate, score_part
from lit_roberta.comparison.runs.observer import run_observed
from lit_roberta.comparison.runs.run import Curves, HeldOut, Run, write_json
from lit_roberta.data.examples.packing import Format
from lit_roberta.errors import UserError, must
from lit_roberta.log_files import output_to
from lit_roberta.training.checkpoint_files import BEST, CHECKPOINT_FOLDER, LAST
from lit_roberta.training.checkpoint_settings import read_checkpoint_settings
from lit_roberta.workers import ERROR, Interrupted, Tell

Aim = Literal["result", "validation", "timing"]
"""A whole result; only the validation loss, to choose a learning rate by; or only the pace."""

RESULT = "result.json"
_MARK = "run.json"
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

    @property
    def label(self) -> str:
        """What to call it in a message."""
        return f"{self.recipe}, seed {self.seed}"

    def execute(self, tell: Tell) -> None:
        """Make the run, in a process of its own."""
        execute(self, tell)


def finished(task: Task) -> bool:
    """Tell whether a run lies there complete, made of the same things."""
    stored = _stored(task)
    return stored.get("fingerprint") == task.fingerprint and _is_whole(stored, task)


def superseded(task: Task) -> bool:
    """Tell whether a result lies in the run's place that was made of other things."""
    return _stored(task).get("fingerprint", task.fingerprint) != task.fingerprint


def without_damaged_checkpoints(task: Task) -> str | None:
    """Clear an unfinished run of which a checkpoint can't be read, so that it starts afresh.

    Returns:
        What to tell the user; None where nothing was damaged.
    """
    if _fingerprint_of(task.folder / _MARK) != task.fingerprint:
        return None  # it is made anew anyway, or is nothing of ours
    for path in (task.folder / CHECKPOINT_FOLDER / name for name in (LAST, BEST)):
        try:
            if path.is_file():
                read_checkpoint_settings(path)
        except UserError:
            shutil.rmtree(task.folder)
            return f"{path} can't be read: {task.label} starts afresh."
    return None


def _stored(task: Task) -> dict[str, Any]:
    """Read what lies in the place of a run's result; nothing where that is no result."""
    try:
        stored = json.loads((task.folder / RESULT).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}


def _is_whole(stored: Mapping[str, Any], task: Task) -> bool:
    """Tell whether a result has everything that will be read of it."""
    if task.aim != "result":
        name = "validation_loss" if task.aim == "validation" else "seconds_per_update"
        return isinstance(stored.get(name), float)
    try:
        run = Run.from_json(stored)
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    parts: list[Run | Curves | HeldOut] = [run, run.curves]
    parts += [*run.heldout.values(), *run.heldout_best.values()]
    has_formats = set(task.formats) <= set(run.heldout) & set(run.heldout_best)
    return has_formats and all(map(_fits_its_fields, parts))


def _fits_its_fields(part: Run | HeldOut | Curves) -> bool:
    """Tell whether numbers, names and lists stand where they belong."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "int": int,
        "float": (int, float),
        "float | None": (int, float, NoneType),
        "str": str,
        "list": list,
        "dict": dict,
    }
    return all(
        isinstance(getattr(part, each.name), kinds.get(str(each.type).split("[")[0], object))
        for each in fields(part)
    )


def execute(task: Task, tell: Tell) -> None:
    """Train and score a run, and write its result.

    Args:
        task: The run.
        tell: Called now and then with its progress.

    Raises:
        UserError: If the run can't be made as asked, or has diverged.
        Interrupted: If it was stopped by a signal.
    """
    _prepare_folder(task)
    with output_to(task.folder / _LOG):
        cli = run_observed(
            [
                *task.arguments,
                f"--seed_everything={task.seed}",
                f"--trainer.max_steps={task.updates}",
                f"--trainer.default_root_dir={task.folder}",
                "--trainer.enable_progress_bar=false",
                "--ckpt_path=last",
            ],
            tell,
        )
        if cli.exit_status:
            raise Interrupted
        if task.aim == "result":
            run = evaluate(
                cli, recipe=task.recipe, fingerprint=task.fingerprint, formats=task.formats
            )
            values = asdict(run)
        elif task.aim == "validation":
            loss = score_part(cli.model.model, cli.datamodule, "validation").loss
            values = {"fingerprint": task.fingerprint, "validation_loss": loss}
        else:
            pace = cli.observer.seconds / cli.observer.costs.updates
            values = {"fingerprint": task.fingerprint, "seconds_per_update": pace}
    write_json(task.folder / RESULT, values)


def _prepare_folder(task: Task) -> None:
    """Make the run's folder; keep what is there only if it belongs to the same run."""
    mark = task.folder / _MARK
    if task.folder.exists() and any(task.folder.iterdir()):
        if not mark.is_file():
            remedy = "Give another --output: nothing of another program's is removed."
            raise must(
                "the run's folder", "be empty or the comparison's own", str(task.folder), remedy
            )
        if _fingerprint_of(mark) != task.fingerprint:
            shutil.rmtree(task.folder)
    task.folder.mkdir(parents=True, exist_ok=True)
    (task.folder / ERROR).unlink(missing_ok=True)
    write_json(mark, {"fingerprint": task.fingerprint, "recipe": task.recipe, "seed": task.seed})


def _fingerprint_of(mark: Path) -> object:
    try:
        return json.loads(mark.read_text(encoding="utf-8"))["fingerprint"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
