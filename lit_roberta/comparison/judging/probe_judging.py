"""Which recipe's runs answer more minimal pairs rightly, as numbers.

In: the answers of each recipe's runs. Out: how far each recipe is above chance, and one judgement
a pair of recipes. The units that vary are the run and the minimal pair, as runs and documents are
for the loss, and a claim needs both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from jaxtyping import Bool, Float64

from lit_roberta.comparison.judging.judging import FEWEST_RUNS, LEVEL
from lit_roberta.statistics import (
    Interval,
    combined_interval,
    holm,
    mean_interval,
    welch_interval,
)

CHANCE = 0.5


@dataclass(frozen=True, kw_only=True)
class Answers:
    """What the runs of a recipe answered."""

    name: str
    right: Bool[np.ndarray, "runs pairs"]
    """Only pairs that every run of every recipe could be asked."""
    asked: Sequence[int]
    """Which pairs these are."""

    @property
    def by_run(self) -> Float64[np.ndarray, " runs"]:
        """Share of right answers of each run."""
        return self.right.mean(axis=1)

    @property
    def by_pair(self) -> Float64[np.ndarray, " pairs"]:
        """Share of the runs that answered each pair rightly."""
        return self.right.mean(axis=0)


@dataclass(frozen=True, kw_only=True)
class Gain:
    """A share of right answers, minus another one or minus chance."""

    estimate: float
    over_runs: Interval | None
    over_pairs: Interval | None

    @property
    def p_value(self) -> float:
        """The weakest evidence: over runs, over pairs, or where both vary."""
        if self.over_runs is None or self.over_pairs is None:
            return 1.0
        both = combined_interval(self.over_runs, self.over_pairs)
        return max(self.over_runs.p_value, self.over_pairs.p_value, both.p_value)


@dataclass(frozen=True, kw_only=True)
class ProbeJudgement:
    """The judgement on two recipes."""

    first: str
    second: str
    runs: int
    """Of the recipe with fewer of them."""
    gain: Gain
    """First minus second."""
    p_value: float
    """The weakest evidence, corrected for the number of pairs of recipes."""
    better: str | None
    """The one that knows more, where that can be told."""


def gather(answers: Mapping[str, Sequence[Sequence[bool | None]]]) -> list[Answers]:
    """Keep the pairs that every run of every recipe could be asked.

    Args:
        answers: By recipe, of each run and pair; None where a pair was left out.

    Returns:
        In the order of the recipes; nothing where no pair is left.
    """
    rows = [row for own in answers.values() for row in own]
    if not rows:
        return []
    asked = [all(row[pair] is not None for row in rows) for pair in range(len(rows[0]))]
    if not any(asked):
        return []
    return [
        Answers(
            name=name,
            right=np.array(
                [[each for each, is_in in zip(row, asked, strict=True) if is_in] for row in own],
                dtype=bool,
            ),
            asked=[pair for pair, is_in in enumerate(asked) if is_in],
        )
        for name, own in answers.items()
    ]


def above_chance(answers: Answers) -> Gain:
    """Tell how far a recipe is above chance."""
    return Gain(
        estimate=float(answers.by_run.mean()) - CHANCE,
        over_runs=mean_interval(answers.by_run - CHANCE),
        over_pairs=mean_interval(answers.by_pair - CHANCE),
    )


def knows_something(answers: Answers) -> bool:
    """Tell whether a recipe is above chance, over runs and over pairs."""
    gain = above_chance(answers)
    return gain.estimate > 0 and gain.p_value < LEVEL


def judge_probes(
    answers: Sequence[Answers], *, asked: Sequence[tuple[str, str]] | None = None
) -> list[ProbeJudgement]:
    """Judge every pair of recipes, in their order.

    The better one is above chance, too: to be less wrong than another is no knowledge.

    Args:
        answers: Of each recipe.
        asked: The pairs in question, by name; None for all. Those of which one was not probed are
            left out.
    """
    by_name = {each.name: each for each in answers}
    questions = [
        pair
        for pair in (combinations(by_name, 2) if asked is None else asked)
        if by_name.keys() >= {*pair}
    ]
    above = {each.name for each in answers if knows_something(each)}
    found = [_compare(by_name[first], by_name[second]) for first, second in questions]
    corrected = holm([each.p_value for each in found])
    return [
        _claim(replace(each, p_value=p_value), above)
        for each, p_value in zip(found, corrected, strict=True)
    ]


def _compare(first: Answers, second: Answers) -> ProbeJudgement:
    gain = Gain(
        estimate=float(first.by_run.mean() - second.by_run.mean()),
        over_runs=welch_interval(first.by_run, second.by_run),
        over_pairs=mean_interval(first.by_pair - second.by_pair),
    )
    return ProbeJudgement(
        first=first.name,
        second=second.name,
        runs=min(len(first.right), len(second.right)),
        gain=gain,
        p_value=gain.p_value,
        better=None,
    )


def _claim(judgement: ProbeJudgement, above: set[str]) -> ProbeJudgement:
    if judgement.p_value >= LEVEL or judgement.runs < FEWEST_RUNS:
        return judgement
    better = judgement.first if judgement.gain.estimate > 0 else judgement.second
    return replace(judgement, better=better) if better in above else judgement
