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
class Bucket:
    """What was scored of one kind."""

    nats: float
    """Cross-entropy, summed."""
    count: int
    right: int
    """First guesses that were the token."""

    @property
    def loss(self) -> float:
        """Nats per predicted token."""
        return self.nats / self.count


Buckets = dict[str, dict[str, Bucket]]
"""By what they are sorted by, then by name, in order; empty ones are left out."""


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
    buckets: Buckets
    """By frequency in the training part, position in the row, piece of a word and what stands
    there. Each sorts all predictions. At the best update: none."""

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> HeldOut:
        """Read what a result holds."""
        buckets = {
            name: {key: Bucket(**each) for key, each in some.items()}
            for name, some in values["buckets"].items()
        }
        return cls(**{**values, "buckets": buckets})


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """How far a model's probabilities can be taken at their word. Lists have one entry a bin."""

    count: list[int]
    """Predicted tokens, by the probability of the first guess."""
    confidence: list[float]
    """That probability, summed: divided by the count it is the bin's mean."""
    right: list[int]
    """First guesses that were the token."""
    expected_error: float
    """Mean distance of accuracy and confidence of a bin, weighted by count.
    Source: the expected calibration error of Naeini et al. 2015, as Guo et al. 2017 use it."""
    brier_score: float
    """Mean squared distance of the probabilities from the truth, over the whole vocabulary: 0 at
    best, 2 at worst. Source: Brier 1950."""


@dataclass(frozen=True, kw_only=True)
class WordScores:
    """Held-out words, masked whole: what models with different tokenizers are compared by.

    The words are the same for every tokenizer. Lists have one entry a word.
    """

    spans: list[str]
    """`document:start-stop`: number of the document in the test part, and bytes of its text."""
    nats: dict[str, list[float | None]]
    """By format: the word's cross-entropy, summed over its pieces. None: the vocabulary lacks the
    word, or no tokens are the word alone, or a row would cut it."""
    unigram_nats: list[float | None]
    """The same under the training text's token frequencies. None where the vocabulary lacks it."""
    unknown: int
    """Words that the vocabulary lacks."""
    sampled_of: int
    """Words of the whole test part."""


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
    calibration: Calibration
    """On the test part in the run's own format, at the last update."""
    words: WordScores | None
    """Of the test part, at the last update. None: an older version prepared the text."""
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
            key: {format: HeldOut.from_json(score) for format, score in values[key].items()}
            for key in ("heldout", "heldout_best")
        }
        stored = dict(values["curves"])
        fed = stored.pop("fed", {})
        curves = {
            key: [(int(update), float(loss)) for update, loss in points]
            for key, points in stored.items()
        }
        words = values["words"]
        parts = {
            "curves": Curves(**curves, fed=fed),
            "calibration": Calibration(**values["calibration"]),
            "words": None if words is None else WordScores(**words),
        }
        return cls(**{**values, **scores, **parts})


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write a file whole or not at all. Every number in it is finite."""
    write_whole(path, (json.dumps(values, indent=1, allow_nan=False) + "\n").encode())
