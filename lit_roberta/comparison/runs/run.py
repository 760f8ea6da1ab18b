"""What one run gave, as it is written to its result.json and read back when nothing has changed.

Losses are in nats per predicted token.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lit_roberta.whole_files import write_whole


@dataclass(frozen=True, kw_only=True)
class HeldOut:
    """Scores on the test part in one format."""

    mlm_loss: float
    perplexity: float
    mlm_accuracy: float
    loss_by_kind: dict[str, float]
    """Loss where `[MASK]`, a random token or the token itself stood at the position."""
    document_nats: list[float]
    """Cross-entropy of each document, summed over its predicted tokens."""


@dataclass(frozen=True, kw_only=True)
class Curves:
    """Losses on the way, each as (number of updates, loss)."""

    training: list[tuple[int, float]]
    """One point an epoch, under the run's own masks."""
    validation: list[tuple[int, float]]
    """In the run's own format."""
    fed: dict[str, list[float]] = field(default_factory=dict)
    """What the run had been given at each point of validation: updates, sequences, tokens,
    passes over the text, FLOPs, seconds. Empty in results that were written without it."""


@dataclass(frozen=True, kw_only=True)
class ProbeScores:
    """Answers to minimal pairs: whether the good sentence was found the more likely one."""

    accuracy: float | None
    """Of the pairs that could be judged; 0.5 is chance. None: none could."""
    by_phenomenon: dict[str, float]
    """The same, by what the pairs are about."""
    phenomena: list[str]
    """What each pair is about."""
    right: list[bool | None]
    """The answer to each pair; None where a word is unknown or a sentence too long."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One recipe at one seed."""

    recipe: str
    seed: int
    updates: int
    sequences: int
    tokens: int
    """Non-padding tokens fed, special ones included."""
    predictions: int
    flops: float
    seconds: float
    """Of training, validation on the way included, and not the evaluation behind it."""
    text_passes: float
    """Text tokens fed over text tokens of the training part."""
    epochs: float
    """Passes over the recipe's own examples."""
    train_mlm_loss: float
    """Training text in evaluation mode, under the masks of the last whole epoch."""
    train_mlm_loss_fresh_masks: float
    """The same text under masks that no run has shown."""
    heldout: dict[str, HeldOut]
    """By format, at the last update."""
    best_update: int
    """The update with the lowest validation loss."""
    heldout_best: dict[str, HeldOut]
    """By format, at the best update."""
    validation_loss: float
    """All of the validation part in the run's own format, at the last update."""
    nsp_accuracy: float | None
    nsp_accuracy_b_alone: float | None
    """Next-sentence accuracy of a classifier that reads B and never A."""
    curves: Curves
    guesses: list[list[list[dict[str, Any]]]]
    """By sample and blank, best first: text, probability and whether it is right."""
    document_predictions: list[int]
    """Predicted tokens of each test document."""
    fingerprint: str
    """What it was made of, and by which code."""
    scored_by: str = ""
    """Digest of the code that scored it."""
    same_as: str | None = None
    """The recipe whose run this is, where both are the same run."""
    probes: ProbeScores | None = None
    """What the last checkpoint knows besides its loss, where that was asked for."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Run:
        """Read what `as_json` wrote."""
        scores = {
            key: {format: HeldOut(**score) for format, score in values[key].items()}
            for key in ("heldout", "heldout_best")
        }
        stored = dict(values["curves"])
        fed = stored.pop("fed", {})
        curves = {
            key: [(int(update), float(loss)) for update, loss in points]
            for key, points in stored.items()
        }
        return cls(**{**values, **scores, "curves": Curves(**curves, fed=fed)})


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a file whole or not at all. Every number in it is finite."""
    write_whole(path, (json.dumps(values, indent=1, allow_nan=False) + "\n").encode())
