"""What is said without reading is the best that can be: a collapsed model must not pass it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.collapse import has_learned, is_better
from lit_roberta.finetuning.examples import ChoiceExample, TextExample, WordsExample
from lit_roberta.finetuning.predictions import (
    ChoicePrediction,
    LabelPrediction,
    NumberPrediction,
    TagsPrediction,
)
from lit_roberta.finetuning.tasks.base import FinetuningTask
from lit_roberta.finetuning.tasks.classification import Classification
from lit_roberta.finetuning.tasks.grouped import GroupedClassification
from lit_roberta.finetuning.tasks.multiple_choice import MultipleChoice
from lit_roberta.finetuning.tasks.regression import Regression
from lit_roberta.finetuning.tasks.tagging import Tagging

LABELS = ("no", "yes")
SAID = [
    LabelPrediction("no", {"no": 1.0, "yes": 0.0}),
    LabelPrediction("yes", {"no": 0.0, "yes": 1.0}),
]
TAGS = ("O", "NOUN", "VERB")
NUMBERS = st.lists(st.integers(0, 2), min_size=2, max_size=12)
"""Of each example, its label by number."""


def is_the_best(
    task: FinetuningTask[Any, Any], examples: Sequence[Any], constants: Sequence[Any]
) -> bool:
    """Whether no constant prediction scores better on the training part than the naive one."""
    sign = 1 if task.higher_is_better else -1

    def merit(prediction: Any) -> float:
        return sign * task.scores(examples, [prediction] * len(examples))[task.monitor]

    return merit(task.naive_prediction(examples)) >= max(map(merit, constants))


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "f1", "matthews_correlation"])
@given(numbers=NUMBERS)
def test_no_label_is_better_than_the_one_that_is_said(metric: str, numbers: list[int]) -> None:
    examples = [TextExample("a text", None, LABELS[n % 2], "") for n in numbers]
    assert is_the_best(Classification(LABELS, metrics=[metric]), examples, SAID)


@given(NUMBERS)
def test_no_answer_to_all_questions_is_better_than_the_one_that_is_said(
    numbers: list[int],
) -> None:
    examples = [TextExample("a text", None, LABELS[n % 2], "", f"question {n}") for n in numbers]
    assert is_the_best(GroupedClassification(LABELS), examples, SAID)


@given(NUMBERS)
def test_no_tag_is_better_than_the_one_that_is_said(numbers: list[int]) -> None:
    examples = [WordsExample(("word",), (TAGS[n],), "") for n in numbers]
    assert is_the_best(Tagging(TAGS), examples, [TagsPrediction((tag,)) for tag in TAGS])


@given(NUMBERS)
def test_no_place_is_better_than_the_one_that_is_said(numbers: list[int]) -> None:
    choices = tuple((name, None) for name in "abc")
    examples = [ChoiceExample(choices, n, "") for n in numbers]
    said = [ChoicePrediction(n, (1 / 3,) * 3) for n in range(3)]
    assert is_the_best(MultipleChoice(), examples, said)


@given(NUMBERS)
def test_no_number_is_better_than_the_one_that_is_said(numbers: list[int]) -> None:
    examples = [TextExample("a text", None, float(n), "") for n in numbers]
    said = [NumberPrediction(n / 4) for n in range(9)]
    assert is_the_best(Regression(metrics=["mse"]), examples, said)


@pytest.mark.parametrize("unit", [1e-4, 1.0, 1e4])
def test_an_error_is_held_against_its_baseline_in_whatever_unit(unit: float) -> None:
    assert is_better(0.5 * unit, unit, higher_is_better=False)
    assert not is_better(0.999 * unit, unit, higher_is_better=False)
    assert not is_better(1.5 * unit, unit, higher_is_better=False)


def test_a_score_is_better_by_half_a_hundredth_and_no_number_never() -> None:
    assert is_better(0.51, 0.5, higher_is_better=True)
    for score in (0.504, 0.3, float("nan")):
        assert not is_better(score, 0.5, higher_is_better=True)
    assert not is_better(float("nan"), 0.5, higher_is_better=False)


def test_it_is_the_median_that_has_learned() -> None:
    assert has_learned([0.5, 0.9, 0.9], 0.5, higher_is_better=True)
    assert not has_learned([0.5, 0.5, 0.9], 0.5, higher_is_better=True)
    assert not has_learned([], 0.5, higher_is_better=True)
    assert has_learned([0.1], None, higher_is_better=True)
