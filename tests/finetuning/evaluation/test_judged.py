"""Scores are taken apart into what chance put there: the answers of a question stay together."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.evaluation.judged import example_scores
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.predictions import LabelPrediction
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.grouped import GroupedClassification

LABELS = ("false", "true")
ANSWERS = st.lists(
    st.tuples(st.integers(0, 4), st.booleans(), st.floats(0.01, 0.99)), min_size=1, max_size=12
)
"""Of each the number of its question, whether it is right, and how probable it was said to be."""

Answers = Sequence[tuple[int, bool, float]]


def written(answers: Answers) -> tuple[list[TextExample], list[LabelPrediction]]:
    examples = [
        TextExample("a text", f"{n}", LABELS[right], "", f"question {group}", f"answer {n}")
        for n, (group, right, _) in enumerate(answers)
    ]
    shares = [{"false": 1 - share, "true": share} for _, _, share in answers]
    said = [LabelPrediction(LABELS[each["true"] > 0.5], each) for each in shares]
    return examples, said


@pytest.mark.parametrize("metric", ["exact_match", "best_f1", "best_exact_match"])
@given(answers=ANSWERS)
def test_a_score_of_questions_is_the_mean_of_one_for_each(metric: str, answers: Answers) -> None:
    task = GroupedClassification(LABELS, metrics=[metric])
    found = example_scores(task, *written(answers))
    assert found["count"] == len(found["each"]) == len({group for group, _, _ in answers})
    whole = task.scores(*written(answers))[metric]
    assert sum(found["each"]) / found["count"] == pytest.approx(whole, abs=2e-6)


@given(ANSWERS, st.integers(2, 3))
def test_more_of_the_same_answers_to_a_question_are_no_more_evidence(
    answers: Answers, copies: int
) -> None:
    task = GroupedClassification(LABELS, metrics=["f1_a"])
    once = example_scores(task, *written(answers))
    often = example_scores(task, *written([each for each in answers for _ in range(copies)]))
    assert once["count"] == often["count"]
    for name in ("each", "resampled"):
        assert once.get(name) == often.get(name)


def test_texts_are_drawn_one_by_one() -> None:
    task = Classification(LABELS, metrics=["matthews_correlation"])
    examples, said = written([(0, n % 3 == 0, 0.9 if n % 2 else 0.1) for n in range(20)])
    found = example_scores(task, examples, said)
    assert found["count"] == 20
    assert len({round(each, 4) for each in found["resampled"]}) > 20


@pytest.mark.parametrize("metric", ["accuracy", "matthews_correlation"])
def test_examples_without_a_label_are_no_evidence(metric: str) -> None:
    task = Classification(LABELS, metrics=[metric])
    examples, said = written([(0, n % 3 == 0, 0.9 if n % 2 else 0.1) for n in range(20)])
    unknown = [example._replace(label=None) for example in examples]
    mixed = [each for pair in zip(unknown, examples, strict=True) for each in pair]
    twice = [each for each in said for _ in range(2)]
    assert example_scores(task, mixed, twice) == example_scores(task, examples, said)
