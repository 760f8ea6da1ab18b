"""Which of two models is better at a task, and whether that can be told.

The units that vary are the run (its seed) and the example that models are judged on. A difference
is one only if it holds over both, corrected for the number of pairs and tasks:

1. Fewer than 3 runs a side or fewer than 8 examples: figures only.
2. If neither has learned more than what is said without reading, there is nothing to compare.
3. A model is better if the difference is outside of chance over runs (Welch's t), over examples
   (paired, of the scores averaged over runs), and where both vary.
4. If every interval stays within a hundredth, there is no difference that matters.
5. Otherwise nobody can tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float64

from lit_roberta.finetuning.evaluation.resampling import resampled_means
from lit_roberta.statistics import (
    Interval,
    combined_interval,
    holm,
    mean_interval,
    runs_needed,
    t_interval,
    welch_interval,
)

Verdict = Literal["better", "no-difference", "cannot-tell", "not-learned", "too-few", "not-paired"]

LEVEL = 0.05
"""Chance of a false claim that is accepted, over all pairs and tasks together."""
FEWEST_RUNS = 3
FEWEST_EXAMPLES = 8
SMALLEST_DIFFERENCE = 0.01
"""Of a score from 0 to 1: an interval within it shows no difference that matters."""

Examples = Mapping[str, Any]
"""What the examples of a part contributed to the score of a run."""


@runtime_checkable  # signatures are checked while testing
class Scored(Protocol):
    """A model with its runs' scores on a task."""

    @property
    def model(self) -> str:
        """Its name."""

    @property
    def task(self) -> str:
        """The task's name."""

    @property
    def higher_is_better(self) -> bool:
        """Whether the score is one from 0 to 1, or an error of any size."""

    @property
    def scores(self) -> Sequence[float]:
        """One a run."""

    @property
    def has_learned(self) -> bool:
        """Whether it is better than what is said without reading."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two models on a task: the gain of the first over the second."""

    task: str
    first: str
    second: str
    estimate: float
    """Difference of the means over runs, so that above zero the first is better."""
    over_runs: Interval | None
    over_examples: Interval | None
    runs: tuple[int, int]
    num_examples: int
    runs_needed: int | None
    """About how many runs of each would show this difference. None: too many, or unknown."""
    higher_is_better: bool = True
    """Whether the score is one from 0 to 1, or an error of any size."""
    verdict: Verdict = "cannot-tell"
    p_value: float | None = None
    """The weakest evidence that a claim needs, corrected. None: not tested."""

    @property
    def better(self) -> str | None:
        """The better model, where there is one."""
        if self.verdict != "better":
            return None
        return self.first if self.estimate > 0 else self.second

    @property
    def weakest(self) -> float:
        """The largest p value: over runs, over examples, or where both vary."""
        if self.over_runs is None or self.over_examples is None:
            return 1.0
        both = combined_interval(self.over_runs, self.over_examples)
        return max(each.p_value for each in (self.over_runs, self.over_examples, both))


def judge_pairs(
    cells: Sequence[Scored],
    examples: Mapping[tuple[str, str], Sequence[Examples]],
    *,
    asked: Sequence[tuple[str, str]] | None = None,
) -> list[Difference]:
    """Judge each two models on each task.

    Args:
        cells: By model and task.
        examples: By model and task: those of each run of the chosen setting.
        asked: The pairs of models in question, by name; None for all of them.

    Returns:
        By task, then by pair.
    """
    tasks = dict.fromkeys(cell.task for cell in cells)
    pairs = [
        _difference(first, second, examples)
        for task in tasks
        for first, second in _pairs([cell for cell in cells if cell.task == task], asked)
    ]
    tested = [n for n, pair in enumerate(pairs) if pair.verdict == "cannot-tell"]
    corrected = holm([pairs[n].weakest for n in tested])
    for n, p_value in zip(tested, corrected, strict=True):
        pairs[n] = _claim(replace(pairs[n], p_value=p_value))
    return pairs


def _pairs(
    cells: Sequence[Scored], asked: Sequence[tuple[str, str]] | None
) -> list[tuple[Scored, Scored]]:
    """Pair the models of a task; a pair of which one has no scores is left out."""
    if asked is None:
        return list(combinations(cells, 2))
    by_name = {cell.model: cell for cell in cells}
    return [(by_name[a], by_name[b]) for a, b in asked if a in by_name and b in by_name]


def _difference(
    first: Scored, second: Scored, examples: Mapping[tuple[str, str], Sequence[Examples]]
) -> Difference:
    sign = 1.0 if first.higher_is_better else -1.0
    ours, theirs = (sign * np.asarray(cell.scores, np.float64) for cell in (first, second))
    contributions = [examples.get((cell.model, cell.task), ()) for cell in (first, second)]
    over_examples = example_interval(*contributions, sign=sign)
    estimate = float(ours.mean() - theirs.mean()) if len(ours) and len(theirs) else 0.0
    needed = None
    if min(len(ours), len(theirs)) > 1:
        deviation = float(np.sqrt((ours.var(ddof=1) + theirs.var(ddof=1)) / 2))
        needed = runs_needed(difference=estimate, deviation=deviation)
    count = min((int(each["count"]) for part in contributions for each in part), default=0)
    difference = Difference(
        task=first.task,
        first=first.model,
        second=second.model,
        estimate=estimate,
        over_runs=welch_interval(ours, theirs),
        over_examples=over_examples,
        runs=(len(ours), len(theirs)),
        num_examples=count,
        runs_needed=needed,
        higher_is_better=first.higher_is_better,
    )
    return replace(difference, verdict=_untested(difference, first, second))


def _untested(difference: Difference, first: Scored, second: Scored) -> Verdict:
    """Settle pairs on which no claim is possible; `cannot-tell` for those to be tested."""
    if min(difference.runs) < FEWEST_RUNS or difference.num_examples < FEWEST_EXAMPLES:
        return "too-few"
    if not (first.has_learned or second.has_learned):
        return "not-learned"
    return "cannot-tell" if difference.over_examples is not None else "not-paired"


def _claim(difference: Difference) -> Difference:
    assert difference.p_value is not None, "it was tested"
    intervals = [each for each in (difference.over_runs, difference.over_examples) if each]
    if difference.p_value < LEVEL:
        return replace(difference, verdict="better")
    reach = max(max(abs(each.low), abs(each.high)) for each in intervals)
    if difference.higher_is_better and reach <= SMALLEST_DIFFERENCE:
        return replace(difference, verdict="no-difference")
    return difference


def example_interval(
    first: Sequence[Examples], second: Sequence[Examples], *, sign: float = 1.0
) -> Interval | None:
    """Give the gain of one model over another, with examples as the units that vary.

    Args:
        first: Of each run of the one.
        second: Of each run of the other.
        sign: -1 where less is better.

    Returns:
        Scores averaged over runs, then compared example by example where the score is a mean over
        examples, else over drawings of examples that both were judged on. None: they were not
        judged on the same examples.
    """
    both = [*first, *second]
    if not first or not second or len({each["digest"] for each in both}) > 1:
        return None
    if all("each" in run for run in both):
        if len({len(run["each"]) for run in both}) > 1:
            return None
        return mean_interval(sign * (_mean_each(first) - _mean_each(second)))
    gains = sign * (_mean_resampled(first) - _mean_resampled(second))
    gains = gains[np.isfinite(gains)]
    if len(gains) < 2:
        return None
    error = float(gains.std(ddof=1))
    return t_interval(float(gains.mean()), error=error, degrees=both[0]["count"] - 1)


def _mean_each(runs: Sequence[Examples]) -> Float64[np.ndarray, " examples"]:
    return np.asarray([run["each"] for run in runs], np.float64).mean(axis=0)


def _mean_resampled(runs: Sequence[Examples]) -> Float64[np.ndarray, " resamples"]:
    values = [
        resampled_means(run["each"]) if "each" in run else np.asarray(run["resampled"], np.float64)
        for run in runs
    ]
    return np.asarray(values, np.float64).mean(axis=0)
