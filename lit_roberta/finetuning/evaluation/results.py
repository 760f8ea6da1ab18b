"""What the runs found: scores by model and task, the chosen settings, runs that learned nothing.

In: runs with their results. Out: plain values. How models differ is judged in the module beside.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, stdev
from typing import Any

from lit_roberta.finetuning.collapse import has_learned, is_better
from lit_roberta.finetuning.evaluation.runs import EvaluationRun, is_number


@dataclass(frozen=True, kw_only=True)
class Failure:
    """A run that is not there."""

    run: EvaluationRun
    message: str


@dataclass(frozen=True, kw_only=True)
class Found:
    """A finished run."""

    run: EvaluationRun
    result: Mapping[str, Any]

    @property
    def part(self) -> str:
        """The part that it is judged by: the test part where that is labelled."""
        return "test" if "test" in self.result["scores"] else "validation"

    def score(self, part: str) -> float | None:
        """Give the score that decides, on the first set of a part; None where there is none."""
        return _first_score(self.result, part)

    @property
    def baseline(self) -> float | None:
        """What is scored without reading."""
        value = self.result["baseline"].get(self.part, {}).get(self.result["metric"])
        return float(value) if is_number(value) else None

    @property
    def is_collapsed(self) -> bool:
        """Whether it is no better than what is said without reading."""
        score, baseline = self.score(self.part), self.baseline
        if baseline is None:
            return False
        if score is None:
            return True
        higher = bool(self.result["higher_is_better"])
        return not is_better(score, baseline, higher_is_better=higher)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The runs of a model on a task with one learning rate and batch size."""

    lr: float
    batch_size: int
    runs: Sequence[Found]

    def scores(self, part: str) -> list[float]:
        """Give the score of each run that has one, in the order of the seeds."""
        found = (run.score(part) for run in self.runs)
        return [score for score in found if score is not None]

    @property
    def collapsed(self) -> list[int]:
        """The seeds of the runs that learned nothing."""
        return [run.run.seed for run in self.runs if run.is_collapsed]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A model on a task."""

    model: str
    task: str
    metric: str
    higher_is_better: bool
    part: str
    """What its scores are of."""
    baseline: float | None
    settings: Sequence[Setting]
    """All that were tried."""
    chosen: Setting
    """The one with the best median on the validation part."""

    @property
    def scores(self) -> list[float]:
        """Of the chosen setting, a run each."""
        return self.chosen.scores(self.part)

    @property
    def is_optimistic(self) -> bool:
        """Whether the setting was chosen by the very scores that are shown."""
        return self.part == "validation" and len(self.settings) > 1

    @property
    def has_learned(self) -> bool:
        """Whether its median is better than what is said without reading."""
        return has_learned(self.scores, self.baseline, higher_is_better=self.higher_is_better)


@dataclass(frozen=True, kw_only=True)
class Spread:
    """What some numbers have in common, and how far apart they are."""

    median: float
    minimum: float
    maximum: float
    deviation: float | None
    """Standard deviation; None of one number."""
    count: int

    @classmethod
    def of(cls, scores: Sequence[float]) -> Spread | None:
        """Describe scores.

        Example:
            >>> Spread.of([0.5, 0.7, 0.6])
            Spread(median=0.6, minimum=0.5, maximum=0.7, deviation=0.1, count=3)
        """
        if not scores:
            return None
        return cls(
            median=median(scores),
            minimum=min(scores),
            maximum=max(scores),
            deviation=round(stdev(scores), 6) if len(scores) > 1 else None,
            count=len(scores),
        )


def validation_score(result: Mapping[str, Any]) -> float | None:
    """Give the score that settings are chosen by; None where there is no validation part."""
    return _first_score(result, "validation")


def _first_score(result: Mapping[str, Any], part: str) -> float | None:
    sets = result["scores"].get(part, {})
    value = next(iter(sets.values()), {}).get(result["metric"])
    return float(value) if is_number(value) else None


def read_found(runs: Iterable[EvaluationRun]) -> list[Found]:
    """Read the results that are there."""
    stored = ((run, run.result()) for run in runs)
    return [Found(run=run, result=result) for run, result in stored if result is not None]


def make_cells(found: Sequence[Found]) -> list[Cell]:
    """Put runs together by task and model, and choose each one's setting."""
    groups: dict[tuple[str, str], list[Found]] = {}
    for each in found:
        groups.setdefault((each.run.model, each.run.task), []).append(each)
    tasks = list(dict.fromkeys(task for _, task in groups))
    by_task = sorted(groups.items(), key=lambda group: tasks.index(group[0][1]))
    return [_cell(model, task, runs) for (model, task), runs in by_task]


def _cell(model: str, task: str, runs: Sequence[Found]) -> Cell:
    by_setting: dict[tuple[float, int], list[Found]] = {}
    for each in runs:
        by_setting.setdefault((each.run.lr, each.run.batch_size), []).append(each)
    settings = [
        Setting(lr=lr, batch_size=size, runs=members) for (lr, size), members in by_setting.items()
    ]
    first = runs[0]
    higher = bool(first.result["higher_is_better"])
    asked = max(len(setting.scores("validation")) for setting in settings)
    return Cell(
        model=model,
        task=task,
        metric=first.result["metric"],
        higher_is_better=higher,
        part=first.part,
        baseline=first.baseline,
        settings=settings,
        chosen=max(settings, key=lambda each: _merit(each, higher_is_better=higher, asked=asked)),
    )


def _merit(setting: Setting, *, higher_is_better: bool, asked: int) -> tuple[float, int]:
    """Rank settings by their median on the validation part, equal ones by how many runs ended.

    A run that failed is the worst of all: a rate at which most runs diverge is no good one for
    the luck of the others. So many runs are taken to have been asked for as the most of any ended.
    """
    scores = setting.scores("validation")
    signed = [score if higher_is_better else -score for score in scores]
    ranked = [*signed, *[float("-inf")] * (asked - len(scores))]
    return median(ranked) if ranked else float("-inf"), len(setting.runs)
