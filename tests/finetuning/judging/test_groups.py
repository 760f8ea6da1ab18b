from __future__ import annotations

import random

import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.judging.groups import (
    JudgedCandidate,
    check_group_metrics,
    group_scores,
)

METRICS = ["f1_a", "exact_match", "best_f1", "best_exact_match"]


def said(group: str, text: str, right: bool, probability: float) -> JudgedCandidate:
    return JudgedCandidate(group, text, right, probability > 0.5, probability)


def test_answers_are_judged_all_together_and_a_question_at_a_time() -> None:
    answers = [
        said("one", "a", True, 0.9),
        said("one", "b", False, 0.1),
        said("two", "c", True, 0.4),
        said("two", "d", True, 0.8),
        said("two", "e", False, 0.7),
    ]
    # of three right ones two are found, and one said that is not right
    assert group_scores(answers, metrics=["f1_a", "exact_match"]) == {
        "f1_a": pytest.approx(2 / 3, abs=1e-6),
        "exact_match": 0.5,
    }


def test_the_most_probable_candidate_is_what_is_said_of_a_query() -> None:
    answers = [
        said("one", "The United States", True, 0.2),
        said("one", "Washington", False, 0.1),
        said("two", "John Smith", False, 0.4),
        said("two", "Smith", True, 0.3),
        said("two", "John Doe Smith", True, 0.2),
    ]
    # neither has reached a half; an article is not judged; of two right ones the nearer counts
    assert group_scores(answers, metrics=["best_f1", "best_exact_match"]) == {
        "best_f1": pytest.approx((1 + 0.8) / 2),
        "best_exact_match": 0.5,
    }


def test_a_query_without_a_right_candidate_is_missed() -> None:
    answers = [said("one", "a ship", False, 0.9), said("two", "tea", True, 0.9)]
    assert group_scores(answers, metrics=["best_f1", "best_exact_match"]) == {
        "best_f1": 0.5,
        "best_exact_match": 0.5,
    }


def test_what_is_all_right_scores_one_and_what_is_all_wrong_none() -> None:
    rights = [said(str(n % 3), f"text {n}", n < 3, float(n < 3)) for n in range(9)]
    wrongs = [
        each._replace(is_chosen=not each.is_chosen, probability=1 - each.probability)
        for each in rights
    ]
    assert set(group_scores(rights, metrics=METRICS).values()) == {1.0}
    found = group_scores(wrongs, metrics=METRICS)
    assert (found["f1_a"], found["exact_match"], found["best_exact_match"]) == (0.0, 0.0, 0.0)


def test_nothing_said_and_nothing_right_is_no_division_by_none() -> None:
    found = group_scores([said("one", "tea", False, 0.1)], metrics=METRICS)
    assert found == {"f1_a": 0.0, "exact_match": 1.0, "best_f1": 0.0, "best_exact_match": 0.0}


def test_the_order_of_the_answers_does_not_matter() -> None:
    draw = random.Random(7)
    answers = [
        said(str(draw.randrange(5)), f"text {n}", draw.random() < 0.5, draw.random())
        for n in range(60)
    ]
    mixed = draw.sample(answers, len(answers))
    assert group_scores(answers, metrics=METRICS) == pytest.approx(
        group_scores(mixed, metrics=METRICS)
    )


def test_scores_that_there_are_not_are_refused() -> None:
    with pytest.raises(UserError, match=r"data\.metrics must be of f1_a, .*'accuracy'"):
        check_group_metrics(["accuracy"])
