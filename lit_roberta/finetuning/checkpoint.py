"""A checkpoint of fine-tuning, read: a model that needs nothing else, and its run.

In: a file. Out: the model, its task and its settings. It knows no Lightning, which takes seconds
to import: who predicts has none to wait for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from lit_roberta.errors import must
from lit_roberta.exchange.checkpoint import FINETUNING, read_checkpoint
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.table import find_task


@dataclass(frozen=True, kw_only=True)
class Finetuned:
    """A fine-tuned model, and the run that it comes from."""

    pretrained: Pretrained
    """With its weights, its head among them."""
    task: FinetuningTask[Any, Any]
    task_name: str
    max_length: int
    """Tokens that longer text was cut to in training."""
    pairs: bool | None
    """Whether its examples were pairs of texts; None where some were, or it has none such."""
    update: int
    total_updates: int
    settings: Mapping[str, Any]
    """How it was trained."""
    data: Mapping[str, Any]
    """Where its examples came from."""
    conditions: Mapping[str, Any]
    """What the run's numbers depend on."""


def make_task(state: Mapping[str, Any]) -> FinetuningTask[Any, Any]:
    """Make the task that a model was fine-tuned for.

    Args:
        state: What a checkpoint holds under FINETUNING.
    """
    kind = find_task(state["task"]).task
    return kind(state["labels"], metrics=state["metrics"], options=state["options"])


def is_finetuned(path: Path) -> bool:
    """Tell whether a file is a checkpoint of fine-tuning, by what it holds."""
    if not path.is_file() or path.suffix == ".pt":
        return False
    try:
        return FINETUNING in torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except Exception:  # whatever it is, it is none; who reads it says what is wrong
        return False


def read_finetuned(path: Path) -> Finetuned:
    """Read a checkpoint of fine-tuning. Nothing in the file is executed.

    Raises:
        UserError: If it is none, or was damaged.
    """
    pretrained = read_checkpoint(path)
    checkpoint = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    if FINETUNING not in checkpoint:
        remedy = "This one was only pretrained: start from it with --model.pretrained."
        raise must("ckpt_path", "be a checkpoint of fine-tuning", str(path), remedy)
    state = checkpoint[FINETUNING]
    return Finetuned(
        pretrained=pretrained,
        task=make_task(state),
        task_name=state["task"],
        max_length=state["max_length"],
        pairs=state.get("pairs"),
        update=int(checkpoint["global_step"]),
        total_updates=state["total_updates"],
        settings=checkpoint["hyper_parameters"],
        data=checkpoint["FinetuningDataModule"],
        conditions=state["conditions"],
    )
