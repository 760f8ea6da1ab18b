from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.errors import UserError
from lit_roberta.finetuning.judging.answers import (
    JudgedAnswer,
    answer_scores,
    best_threshold,
    check_answer_metrics,
    exact_match,
    word_f1,
)

BOTH = ["f1", "exact_match"]


@pytest.mark.parametrize(
    ("text", "right", "exact", "f1"),
    [
        ("The Denver Broncos!", "denver broncos", 1, 1),
        ("Denver", "Denver Broncos", 0, 2 / 3),
        ("a tea and a tea", "tea", 0, 2 / 4),  # one of two, which are two words more
        ("tea tea", "tea tea tea", 0, 4 / 5),
        ("U.S.", "US", 1, 1),
        ("10-year", "10 year", 0, 0),  # the hyphen goes without a space in its place
        ("caf\u00e9", "CAF\u00c9", 1, 1),
        ("\u201ctea\u201d", "tea", 0, 0),  # only ASCII's punctuation
        ("", "tea", 0, 0),
        ("tea", "", 0, 0),
        ("", "", 1, 1),
        ("the", "", 1, 1),
        ("theatre", "atre", 0, 0),
    ],
)
def test_two_answers_beside_each_other(text: str, right: str, exact: float, f1: float) -> None:
    assert exact_match(text, right) == exact
    assert word_f1(text, right) == pytest.approx(f1)


def test_the_best_of_the_right_answers_counts_and_no_answer_is_one() -> None:
    answers = [
        JudgedAnswer("old ship", ("ship", "the old ship")),
        JudgedAnswer("old ship", ("ship", "captain")),
        JudgedAnswer("", ()),
        JudgedAnswer("tea", ()),
        JudgedAnswer("", ("the",)),  # an article alone is judged as nothing, and is an answer
    ]
    scores = answer_scores(answers, metrics=[*BOTH, "has_answer_f1", "no_answer_f1"])
    assert scores["f1"] == pytest.approx((1 + 2 / 3 + 1 + 0 + 1) / 5, abs=1e-6)
    assert scores["exact_match"] == pytest.approx(3 / 5)
    assert scores["has_answer_f1"] == pytest.approx((1 + 2 / 3 + 1) / 3, abs=1e-6)
    assert scores["no_answer_f1"] == pytest.approx(1 / 2, abs=1e-6)


def test_never_to_answer_is_all_right_where_nothing_has_an_answer() -> None:
    answers = [JudgedAnswer("", ())] * 3
    names = [*BOTH, "best_f1", "best_f1_threshold", "has_answer_f1", "no_answer_f1"]
    scores = answer_scores(answers, metrics=names)
    assert scores == dict(zip(names, [1.0, 1.0, 1.0, 0.0, 0.0, 1.0], strict=True))


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["tea", "old tea", "rain", "A"]),
            # "A" is nothing once it is normalized: the letter is a right answer all the same
            st.sampled_from([(), ("tea",), ("the old tea", "rain"), ("A",), ("A", "tea")]),
            st.floats(-9, 9, allow_subnormal=False),
        ),
        min_size=1,
        max_size=9,
        unique_by=lambda each: each[2],
    )
)
def test_the_best_threshold_gives_the_best_f1_of_all(
    drawn: Sequence[tuple[str, tuple[str, ...], float]],
) -> None:
    def f1_at(threshold: float) -> float:
        """Score no answer by whether the file has one, and an answer only where it has."""
        scores = [
            answer_scores([JudgedAnswer(text, right)], metrics=["f1"])["f1"]
            if right and margin <= threshold
            else float(not right and margin > threshold)
            for text, right, margin in drawn
        ]
        return sum(scores) / len(scores)

    best, threshold = best_threshold(
        [JudgedAnswer("", right, *rest) for rest, right in _split(drawn)]
    )
    never = f1_at(-10.0)
    assert best == pytest.approx(max([never, *(f1_at(each[2]) for each in drawn)]), abs=2e-6)
    if best > never + 1e-5:
        assert f1_at(threshold) == pytest.approx(best, abs=2e-6)


def _split(
    drawn: Sequence[tuple[str, tuple[str, ...], float]],
) -> list[tuple[tuple[str, float], tuple[str, ...]]]:
    return [((text, margin), right) for text, right, margin in drawn]


def test_scores_that_there_are_not_are_refused() -> None:
    with pytest.raises(UserError, match=r"data\.metrics must be of f1, .*, got 'accuracy'"):
        check_answer_metrics(["f1", "accuracy"])


def test_what_decides_is_a_score() -> None:
    check_answer_metrics(["best_f1", "best_f1_threshold"])
    with pytest.raises(UserError, match=r"^data\.metrics must begin with a score, got 'best_f1_t"):
        check_answer_metrics(["best_f1_threshold", "f1"])
