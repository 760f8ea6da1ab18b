"""What is written down of a comparison besides its runs: the text, the arms, failures, rates.

Only numbers and names live here; losses are in nats per predicted token.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, kw_only=True)
class PartFacts:
    """What one part of the corpus holds."""

    documents: int
    sentences: int
    tokens: int
    unk_share: float


@dataclass(frozen=True, kw_only=True)
class TextFacts:
    """The text that all arms were trained on and judged by."""

    corpus: str
    digest: str
    tokenizer: str
    vocab_size: int
    parts: dict[str, PartFacts]
    unigram_loss: float
    """Test text under the training text's word frequencies, in nats per token."""
    document_unigram_nats: list[float]
    samples: list[list[str]]
    """Sentences as text, blank, text, ...: the blanks hold what was hidden."""
    notes: list[str]


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One arm of the comparison, as it was run."""

    name: str
    source: str
    """The file that it was read from."""
    format: str
    settings: dict[str, Any]
    """Every resolved setting that is not common to all arms, by its dotted name."""
    unjudged: dict[str, Any]
    """The settings that loss can't judge."""
    stream: str
    """Identity of examples, order and masks; equal for arms that see the same at the same seed."""
    updates: int
    sequences_per_update: int
    num_examples: int
    copies: int | None
    """Masking copies; None: dynamic."""
    learning_rate: float
    tuned: bool = False
    """Whether the learning rate was chosen on this text's validation part."""
    at_grid_edge: bool = False
    """Whether it is the smallest or the largest rate tried: a better one may lie beyond."""
    same_as: str | None = None
    tokenizer: str = ""
    """Identity of its tokens: where it differs between arms, no loss per token compares them."""
    vocab_size: int | None = None


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A run that did not finish."""

    recipe: str
    seed: int
    message: str
    tried: bool = True
    """Whether it was begun; a report alone begins none."""


@dataclass(frozen=True, kw_only=True)
class TuningRow:
    """One learning rate of one recipe."""

    recipe: str
    learning_rate: float
    validation_losses: list[float]
    """One a seed; empty where every run failed."""
    chosen: bool

    @property
    def mean(self) -> float:
        """Mean over the seeds; infinite where no run finished."""
        return float(np.mean(self.validation_losses)) if self.validation_losses else math.inf
