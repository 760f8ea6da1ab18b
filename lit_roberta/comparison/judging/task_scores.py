"""What a recipe's runs came to when they were fine-tuned for a task, and which recipe is better.

In: scores. Out: one judgement a pair of recipes and task. The units that vary are the run, whose
pretraining and fine-tuning have one seed, and the example that runs are judged on; a claim needs
both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lit_roberta.finetuning.collapse import has_learned
from lit_roberta.finetuning.evaluation.significance import Difference, judge_pairs


@dataclass(frozen=True, kw_only=True)
class TaskScores:
    """The runs of a recipe on a task."""

    task: str
    """The name of its file."""
    recipe: str
    metric: str
    higher_is_better: bool
    part: str
    """What was scored: the test part where that is labelled, else the validation part."""
    baseline: float | None
    """What is scored without reading."""
    seeds: list[int]
    """Of the runs that have a score."""
    scores: list[float]
    """By seed."""
    examples: list[dict[str, Any]]
    """By seed: what the examples of the part contributed to the score."""

    @property
    def model(self) -> str:
        """The recipe, by the name that judges of models have for it."""
        return self.recipe

    @property
    def has_learned(self) -> bool:
        """Whether it is better than what is said without reading."""
        return has_learned(self.scores, self.baseline, higher_is_better=self.higher_is_better)


def judge_tasks(
    scores: Sequence[TaskScores], *, asked: Sequence[tuple[str, str]] | None = None
) -> list[Difference]:
    """Judge pairs of recipes on each task, corrected for the number of pairs and tasks.

    Args:
        scores: By task and recipe.
        asked: The pairs in question, by name; None for all. A pair of which one was not
            fine-tuned is left out.
    """
    return judge_pairs(
        scores, {(each.recipe, each.task): each.examples for each in scores}, asked=asked
    )
