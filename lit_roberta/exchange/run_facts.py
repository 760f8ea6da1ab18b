"""What is known of the run that a checkpoint comes from, for whoever reads of the model.

In: what a checkpoint holds besides weights, and the run's folder. Out: the facts. What was not
recorded is None: nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_CHECKPOINTS = "checkpoints"
_CONFIG = "config.yaml"


@dataclass(frozen=True, kw_only=True)
class RunFacts:
    """A run, up to a checkpoint."""

    updates: int
    total_updates: int
    """That the run was to make."""
    num_sequences: int | None
    num_tokens: int
    """Fed, without padding."""
    conditions: Mapping[str, Any]
    """Text, packing, masks and batch, by the names of their settings."""
    settings: Mapping[str, Any]
    """Of the model and its optimizer."""
    text: Mapping[str, Any]
    """Where the text came from, and how it was read and split."""
    training_loss: float | None
    """Of the last epoch, in nats per masked token."""
    validated: Mapping[str, int | float]
    """The last validation: its update, and what it measured."""
    started_from: str | None = None
    """The weights that it began with, as the user named them. None: with initial ones."""
    before: Mapping[str, int | float] = field(default_factory=dict)
    """What those gave on held-out text before the first update."""
    config: str | None
    """The run's saved configuration, which makes the run again."""

    @property
    def max_length(self) -> int:
        """The longest example of the training, in tokens, special ones included."""
        return int(self.conditions["data.max_length"])


def read_run_facts(checkpoint: Mapping[str, Any], path: Path) -> RunFacts | None:
    """Read what a checkpoint tells of its run.

    Args:
        checkpoint: Its contents.
        path: Where it lies; the run's configuration lies above its folder.

    Returns:
        None if no training wrote it.
    """
    if "conditions" not in checkpoint:
        return None
    callback = checkpoint.get("callbacks", {}).get("UpdateCheckpoint", {})
    history = checkpoint["history"]
    loss = history["sums"][-1] / history["counts"][-1] if any(history["counts"][-1:]) else None
    return RunFacts(
        updates=int(checkpoint["global_step"]),
        total_updates=int(checkpoint["total_updates"]),
        num_sequences=checkpoint.get("num_sequences"),
        num_tokens=int(checkpoint["num_tokens"]),
        conditions=checkpoint["conditions"],
        settings=checkpoint["hyper_parameters"],
        text=checkpoint["PretrainingDataModule"],
        training_loss=loss,
        validated=callback.get("validated", {}),
        started_from=(checkpoint.get("origin") or {}).get("source"),
        before=checkpoint.get("scores", {}).get("before", {}),
        config=_config(path),
    )


@dataclass(frozen=True, kw_only=True)
class FinetuningFacts:
    """A run of fine-tuning, up to a checkpoint."""

    task: str
    """By the name that it was asked for with."""
    options: Mapping[str, Any]
    """Of the task, such as a template and the words of its labels."""
    started_from: str
    """The weights that it began with, as the user named them."""
    max_length: int
    """Tokens that longer text was cut to, special ones included."""
    updates: int
    total_updates: int
    """That the run was to make."""
    num_tokens: int
    """Fed, without padding."""
    num_examples: Mapping[str, int]
    """By part."""
    conditions: Mapping[str, Any]
    """Examples, batch and machine, by the names of their settings."""
    settings: Mapping[str, Any]
    """Of the model and its optimizer."""
    data: Mapping[str, Any]
    """Where the examples came from."""
    validated: Mapping[str, int | float]
    """The last validation: its update, and what it measured."""
    config: str | None
    """The run's saved configuration, which makes the run again."""


def read_finetuning_facts(checkpoint: Mapping[str, Any], path: Path) -> FinetuningFacts | None:
    """Read what a checkpoint tells of the run that fine-tuned its model.

    Args:
        checkpoint: Its contents.
        path: Where it lies; the run's configuration lies above its folder.

    Returns:
        None if no fine-tuning wrote it.
    """
    state = checkpoint.get("finetuning")
    if state is None:
        return None
    callback = checkpoint.get("callbacks", {}).get("UpdateCheckpoint", {})
    return FinetuningFacts(
        task=state["task"],
        options=state.get("options", {}),
        started_from=state["source"],
        max_length=int(state["max_length"]),
        updates=int(checkpoint["global_step"]),
        total_updates=int(state["total_updates"]),
        num_tokens=int(state["num_tokens"]),
        num_examples=state.get("num_examples", {}),
        conditions=state["conditions"],
        settings=checkpoint["hyper_parameters"],
        data=checkpoint["FinetuningDataModule"],
        validated=callback.get("validated", {}),
        config=_config(path),
    )


def _config(path: Path) -> str | None:
    folder = path.resolve().parent
    file = folder.parent / _CONFIG
    if folder.name != _CHECKPOINTS or not file.is_file():
        return None
    return file.read_text(encoding="utf-8")
