"""What is written down of a comparison besides its arms and runs: the text, failures, rates tried.

Only numbers and names live here; losses are in nats per predicted token.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

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
class Failure:
    """A run that did not finish."""

    recipe: str
    seed: int
    message: str


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
