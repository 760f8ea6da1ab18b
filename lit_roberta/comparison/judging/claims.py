"""What the judges read and what they say: arms, differences, floors and judgements.

Numbers only; `judging` fills them in and `verdict` puts them into words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from jaxtyping import Float64, Int64

from lit_roberta.statistics import Interval, combined_interval

Kind = Literal[
    "winner",
    "each-wins-own-format",
    "no-difference",
    "cannot-tell",
    "not-learned-context",
    "same-run",
    "too-few",
    "luck",
    "ladder",
]
"""The last two of all runs together: where what they differ by was asked, or what each switch of a
ladder brings."""

LEFT_OPEN: tuple[Kind, ...] = ("each-wins-own-format", "cannot-tell", "no-difference")
"""Those that name no winner between recipes that have learned: where another judge is asked."""

SMALLEST_DIFFERENCE = 0.05
"""Nats per predicted token, some 5% of perplexity: an interval within it shows no difference."""


@dataclass(frozen=True, kw_only=True)
class Arm:
    """A recipe and what its runs scored on the held-out text."""

    name: str
    format: str
    """The format that it was trained on."""
    seeds: tuple[int, ...]
    nats: Mapping[str, Float64[np.ndarray, "runs documents"]]
    """By format: cross-entropy summed over the predicted tokens of each document."""
    counts: Int64[np.ndarray, " documents"]
    """Predicted tokens of each document, the same for all arms and formats."""
    same_as: str | None = None
    """The arm whose runs these are, where the settings make both the same run."""
    stream: str | None = None
    """Two arms with the same stream see the same examples, order and masks at the same seed."""
    unjudged: Mapping[str, object] = field(default_factory=dict)
    """Settings that loss can't judge, because they change what it measures."""
    unit: str = "masked token"
    """What is predicted: where arms have different tokens, whole words."""

    def losses(self, format: str) -> Float64[np.ndarray, " runs"]:
        """Give the loss of each run, in nats per predicted token."""
        return self.nats[format].sum(axis=1) / self.counts.sum()

    def documents(self, format: str) -> Float64[np.ndarray, " documents"]:
        """Give the summed loss of each document, averaged over runs."""
        return self.nats[format].mean(axis=0)

    @property
    def num_documents(self) -> int:
        """Documents in which anything was predicted."""
        return int((self.counts > 0).sum())


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What separates two arms in one format: first minus second, so below zero the first wins."""

    format: str
    estimate: float
    """Nats per predicted token."""
    over_runs: Interval | None
    over_documents: Interval | None
    over_both: Interval | None = None
    """Runs and documents drawn anew at once, from ten runs a side; beside the other two."""
    paired: bool
    """Whether runs of the same seed were compared with each other."""
    runs_needed: int | None
    """About how many runs an arm would show this difference. None: too many, or unknown."""
    unit: str = "masked token"
    """What is predicted."""

    @property
    def p_value(self) -> float:
        """The weakest evidence: over runs, over documents, or where both vary."""
        if self.over_runs is None or self.over_documents is None:
            return 1.0
        both = combined_interval(self.over_runs, self.over_documents)
        return max(self.over_runs.p_value, self.over_documents.p_value, both.p_value)

    @property
    def negligible(self) -> bool:
        """Whether both intervals stay within the smallest difference that matters."""
        return all(
            interval is not None
            and max(abs(interval.low), abs(interval.high)) <= SMALLEST_DIFFERENCE
            for interval in (self.over_runs, self.over_documents)
        )


@dataclass(frozen=True, kw_only=True)
class Floor:
    """How far an arm is from word frequencies alone, in its own format; below zero is learning."""

    name: str
    over_runs: Interval | None
    over_documents: Interval | None
    estimate: float
    """Loss minus the unigram cross-entropy, in nats per predicted token."""

    @property
    def learned(self) -> bool:
        """Whether it is below the line by more than either interval."""
        intervals = (self.over_runs, self.over_documents)
        return all(interval is not None and interval.high < 0 for interval in intervals)


@dataclass(frozen=True, kw_only=True)
class PairJudgement:
    """The judgement on two arms."""

    first: str
    second: str
    kind: Kind
    better: str | None
    """The winner, where there is one."""
    differences: list[Difference]
    """One in each of the pair's own formats."""
    p_value: float
    """The weakest evidence of all that a claim needs, corrected for the number of pairs."""
    not_learned: list[str]
    """Arms of the pair that have not learned context."""
    unjudged: list[str]
    """Settings in which they differ and which loss can't judge."""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The judgement on all arms."""

    kind: Kind
    winner: str | None
    pairs: list[PairJudgement]
    floors: list[Floor]
