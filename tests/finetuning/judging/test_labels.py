from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.errors import UserError
from lit_roberta.finetuning.judging.labels import check_label_metrics, label_scores

LABELS = ("a", "b", "c")
METRICS = ["accuracy", "macro_f1", "matthews_correlation"]


@pytest.mark.parametrize("labels", [LABELS, LABELS[:2]])  # of two, torchmetrics has its own way
@given(data=st.data())
def test_what_is_always_the_same_correlates_with_nothing(
    labels: tuple[str, ...], data: st.DataObject
) -> None:
    name = st.sampled_from(labels)
    true = data.draw(st.lists(name, min_size=2, max_size=12))
    constant = [data.draw(name)] * len(true)
    for pair in ((true, constant), (constant, true)):
        scores = label_scores(*pair, labels=labels, metrics=["matthews_correlation"])
        assert scores == {"matthews_correlation": 0.0}


@given(st.lists(st.tuples(*[st.sampled_from(LABELS)] * 2), min_size=2, max_size=12))
def test_the_correlation_is_that_of_its_definition(pairs: list[tuple[str, str]]) -> None:
    true, said = zip(*pairs, strict=True)
    count = len(pairs)
    of_true, of_said = Counter(true), Counter(said)
    # Gorodkin 2004, equation 8, in counts
    right = sum(one == other for one, other in pairs)
    above = right * count - sum(of_true[name] * of_said[name] for name in LABELS)
    below = math.prod(
        count**2 - sum(number**2 for number in each.values()) for each in (of_true, of_said)
    )
    wanted = above / math.sqrt(below) if below else 0.0
    found = label_scores(true, said, labels=LABELS, metrics=METRICS)
    assert found["matthews_correlation"] == pytest.approx(wanted, abs=2e-6)
    assert found["accuracy"] == pytest.approx(right / count, abs=2e-6)


def f1_of(label: str, true: tuple[str, ...], said: tuple[str, ...]) -> float:
    hits = sum(one == other == label for one, other in zip(true, said, strict=True))
    total = true.count(label) + said.count(label)
    return 2 * hits / total if total else 0.0


@given(st.lists(st.tuples(*[st.sampled_from("ab")] * 2), min_size=1, max_size=12))
def test_f1_is_that_of_the_second_label(pairs: list[tuple[str, str]]) -> None:
    true, said = zip(*pairs, strict=True)
    found = label_scores(true, said, labels=("a", "b"), metrics=["f1"])
    assert found["f1"] == pytest.approx(f1_of("b", true, said), abs=2e-6)


@given(st.lists(st.tuples(*[st.sampled_from(LABELS)] * 2), min_size=1, max_size=12))
def test_macro_f1_is_the_mean_over_labels_that_are_there(pairs: list[tuple[str, str]]) -> None:
    true, said = zip(*pairs, strict=True)
    there = {*true, *said}  # as in scikit-learn
    wanted = sum(f1_of(label, true, said) for label in there) / len(there)
    found = label_scores(true, said, labels=LABELS, metrics=["macro_f1"])
    assert found["macro_f1"] == pytest.approx(wanted, abs=2e-6)


def test_scores_that_there_are_not_are_refused() -> None:
    check_label_metrics(METRICS, num_labels=3)
    with pytest.raises(UserError, match=r"data\.metrics must be of accuracy, .*'bleu'"):
        check_label_metrics(["accuracy", "bleu"], num_labels=2)
    with pytest.raises(UserError, match="for more than two labels, got 'f1'"):
        check_label_metrics(["f1"], num_labels=3)
