"""Scores of yes and no that are judged together: the answers to a question, or who fits a gap.

All are shares from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from lit_roberta.errors import must
from lit_roberta.finetuning.judging.answers import exact_match, word_f1


class JudgedCandidate(NamedTuple):
    """What was said of one answer of a group, and what is right."""

    group: str
    candidate: str
    is_right: bool
    is_chosen: bool
    """Whether it was said to be right."""
    probability: float
    """That it is."""


def check_group_metrics(metrics: Sequence[str]) -> None:
    """Refuse scores that there are not.

    Raises:
        UserError: Names the first.
    """
    for name in metrics:
        if name not in _METRICS:
            known = ", ".join(_METRICS)
            raise must("data.metrics", f"be of {known}", name, "Leave it out for the task's own.")


def group_scores(
    candidates: Sequence[JudgedCandidate], *, metrics: Sequence[str]
) -> dict[str, float]:
    """Judge answers.

    Args:
        candidates: At least one.
        metrics: Names of scores.

    Example:
        >>> said = [("q1", True, True), ("q1", False, True), ("q2", True, True)]
        >>> answers = [JudgedCandidate(q, "", right, yes, 1.0) for q, right, yes in said]
        >>> group_scores(answers, metrics=["f1_a", "exact_match"])
        {'f1_a': 0.8, 'exact_match': 0.5}
    """
    return {name: round(_METRICS[name](candidates), 6) for name in metrics}


def f1_of_answers(candidates: Sequence[JudgedCandidate]) -> float:
    """Compute the F1 of saying yes, over the answers of all questions.

    Source: Khashabi et al. 2018, section 5.1, F1a.
    """
    hits = sum(each.is_right and each.is_chosen for each in candidates)
    total = sum(each.is_right for each in candidates) + sum(each.is_chosen for each in candidates)
    return 2 * hits / total if total else 0.0


def share_of_exact_groups(candidates: Sequence[JudgedCandidate]) -> float:
    """Compute the share of questions of which each answer was judged rightly."""
    return fmean(
        all(each.is_right == each.is_chosen for each in group) for group in _groups(candidates)
    )


def _of_best(
    score: Callable[[str, str], float],
) -> Callable[[Sequence[JudgedCandidate]], float]:
    """Make what takes the most probable candidate of each group, and the right one nearest to it.

    A group without a right candidate counts as missed.

    Source: Zhang et al. 2018 (ReCoRD), section 5.2.
    """

    def scored(candidates: Sequence[JudgedCandidate]) -> float:
        scores = []
        for group in _groups(candidates):
            best = max(group, key=lambda each: each.probability).candidate
            right = (each.candidate for each in group if each.is_right)
            scores.append(max((score(best, each) for each in right), default=0.0))
        return fmean(scores)

    return scored


def _groups(candidates: Sequence[JudgedCandidate]) -> list[list[JudgedCandidate]]:
    found: dict[str, list[JudgedCandidate]] = {}
    for each in candidates:
        found.setdefault(each.group, []).append(each)
    return list(found.values())


_METRICS: Mapping[str, Callable[[Sequence[JudgedCandidate]], float]] = {
    "f1_a": f1_of_answers,
    "exact_match": share_of_exact_groups,
    "best_f1": _of_best(word_f1),
    "best_exact_match": _of_best(exact_match),
}
"""The first two are MultiRC's, the last two ReCoRD's."""
