"""What a run takes from a fine-tuned checkpoint, and what from its configuration."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from jsonargparse import Namespace

from lit_roberta.errors import must
from lit_roberta.finetuning.checkpoint import Finetuned
from lit_roberta.finetuning.reading.texts import label_names
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.table import find_task
from lit_roberta.training.checkpoint_settings import flatten
from lit_roberta.training.taking_over import check_agreement

_LENGTH = "--data.max_length"
_OPTIONS = "--data.options"
_FILES = ("data.folder", "data.train", "data.validation", "data.test")
"""With any of these, a run has examples of its own."""


def take_over_finetuned(
    checkpoint: Finetuned,
    *,
    settings: Namespace,
    given: Mapping[str, Any],
    trains: bool,
    words: Sequence[str],
) -> None:
    """Let a checkpoint's task win over the defaults; its examples too, unless others are named.

    Args:
        checkpoint: What the weights stand on.
        settings: Of a subcommand, as parsed; changed in place.
        given: Those that were given, nested.
        trains: Whether the run goes on, and is not only judged.
        words: Of the command line. A file says how long rows are in training, and how they are
            cut; how they are for a model that is judged, only the command line says against its
            checkpoint.

    Raises:
        UserError: If one was given and is not the checkpoint's.
    """
    named = dict(flatten(given))
    _check_labels(checkpoint, named.get("data.labels"))
    if "data.task" in named:
        named["data.task"] = find_task(named["data.task"]).name
    task = checkpoint.pretrained.task
    stored = {
        "data.task": checkpoint.task_name,
        "model.head_dropout": None if task is None else task.dropout,
        "model.freeze": checkpoint.settings["freeze"],
    }
    check_agreement(stored, named)
    typed = {word.partition("=")[0] for word in words}
    if _LENGTH[2:] not in named or not (trains or _LENGTH in typed):
        stored["data.max_length"] = checkpoint.max_length
    options = given.get("data", {}).get("options")
    if options and not (trains or _OPTIONS in typed):
        settings["data.options"] = _judging_options(checkpoint.task, options, typed)
    if not any(name.startswith(_FILES) for name in named):
        data = {name: value for name, value in checkpoint.data.items() if name != "task"}
        here = flatten({"data": data})
        stored |= {name: value for name, value in here if name not in named}
    for name, value in stored.items():
        settings[name] = value


def _judging_options(
    task: FinetuningTask[Any, Any], asked: Mapping[str, Any], typed: Collection[str]
) -> dict[str, Any]:
    """Leave out the options of a file that say against those of training."""
    task.with_options(asked)  # refuses what the weights do not stand on
    return {
        name: value
        for name, value in asked.items()
        if name not in task.options or f"{_OPTIONS}.{name}" in typed
    }


def _check_labels(checkpoint: Finetuned, asked: Sequence[Any] | None) -> None:
    labels = list(checkpoint.task.labels)
    if asked is not None and label_names(asked) != labels:
        remedy = "Leave it out: the weights stand on it."
        raise must("data.labels", f"be the checkpoint's {labels}", asked, remedy)
