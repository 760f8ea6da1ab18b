"""What a run leaves, read and compared bit by bit."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import torch
from tensorboard.backend.event_processing.event_accumulator import (  # type: ignore[import-untyped]
    EventAccumulator,
)

from lit_roberta.training.checkpoint_files import last_checkpoint

VALIDATION_LOG = "validation.jsonl"


def read_last(folder: Path) -> dict[str, Any]:
    """Load the last checkpoint, as safely as the package does."""
    path = last_checkpoint(folder)
    assert path is not None
    return torch.load(path, weights_only=True)


def validations(folder: Path) -> dict[int, float]:
    """Read the validation losses by update; the latest counts."""
    lines = (folder / VALIDATION_LOG).read_text(encoding="utf-8").splitlines()
    return {int(update): loss for update, loss in map(json.loads, lines)}


def series(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Read every series that was logged, from TensorBoard's files and from the CSV table."""
    found: dict[str, list[tuple[int, float]]] = {}
    for place in (folder, folder / "by_sequences", folder / "by_tokens"):
        events = EventAccumulator(str(place))
        events.Reload()
        for tag in events.Tags()["scalars"]:
            found[tag] = [(event.step, event.value) for event in events.Scalars(tag)]
    with (folder / "csv" / "metrics.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for tag in row.keys() - {"step", "epoch"}:
                if row[tag]:
                    found.setdefault(f"csv/{tag}", []).append((int(row["step"]), float(row[tag])))
    return {tag: points for tag, points in found.items() if "tokens_per_second" not in tag}


def assert_same_end(one: Path, other: Path) -> None:
    """Compare all that two runs leave, bit by bit."""
    assert validations(one) == validations(other)
    left, right = read_last(one), read_last(other)
    for checkpoint in (left, right):
        checkpoint["callbacks"].pop("ModelSummary", None)
        checkpoint["conditions"].pop("data.num_workers")
    assert_equal(left, right, "checkpoint")


def assert_equal(one: Any, other: Any, name: str) -> None:
    """Compare nested plain data with tensors in it."""
    if isinstance(one, torch.Tensor):
        assert torch.equal(one, other), name
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), name
        for key, value in one.items():
            assert_equal(value, other[key], f"{name}[{key!r}]")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), name
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_equal(left, right, f"{name}[{place}]")
    else:
        assert one == other, (name, one, other)
