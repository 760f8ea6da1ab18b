from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.errors import UserError
from lit_roberta.finetuning.judging.entities import (
    ENTITY_METRICS,
    EntitySpan,
    check_entity_metrics,
    entity_scores,
    entity_spans,
)

TYPES = ("PER", "LOC", "creative-work")
TAGS = ["O", *(f"{prefix}-{kind}" for prefix in "BI" for kind in TYPES)]
SENTENCES = st.lists(st.sampled_from(TAGS), max_size=12)


def by_pattern(tags: list[str]) -> set[EntitySpan]:
    """Find entities in another way: of each type, a B with the Is behind it, or Is alone."""
    spans = set()
    for kind in TYPES:
        letters = "".join(tag[0].lower() if tag[2:] == kind else "o" for tag in tags)
        for found in re.finditer("bi*|i+", letters):
            spans.add(EntitySpan(kind, found.start(), found.end()))
    return spans


def in_scheme(spans: list[EntitySpan], length: int, scheme: str) -> list[str]:
    """Write entities as tags."""
    tags = ["O"] * length
    ends = {span.stop: span.type for span in spans}
    for kind, start, stop in spans:
        tags[start:stop] = [f"I-{kind}"] * (stop - start)
        if scheme == "IOB1":
            if ends.get(start) == kind:
                tags[start] = f"B-{kind}"
            continue
        tags[start] = f"B-{kind}"
        if scheme != "IOB2":
            tags[stop - 1] = f"{scheme[0]}-{kind}"
            if stop - start == 1:
                tags[start] = f"{scheme[1]}-{kind}"
    return tags


@given(SENTENCES)
def test_spans_are_those_of_the_rules_and_lie_apart(tags: list[str]) -> None:
    spans = entity_spans(tags)
    assert set(spans) == by_pattern(tags)
    places = [place for span in spans for place in range(span.start, span.stop)]
    assert places == [place for place, tag in enumerate(tags) if tag != "O"]


@given(SENTENCES, st.sampled_from(["IOB1", "IOB2", "ES", "LU"]))
def test_every_scheme_says_the_same(tags: list[str], scheme: str) -> None:
    spans = entity_spans(tags)
    assert entity_spans(in_scheme(spans, len(tags), scheme)) == spans


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("O I-A", [("A", 1, 2)]),
        ("B-A I-B", [("A", 0, 1), ("B", 1, 2)]),
        ("B-A B-A", [("A", 0, 1), ("A", 1, 2)]),
        ("I-A I-A B-A I-A", [("A", 0, 2), ("A", 2, 4)]),
        ("B-A O I-A", [("A", 0, 1), ("A", 2, 3)]),
        ("I-A E-A I-A", [("A", 0, 2), ("A", 2, 3)]),
        ("S-A I-A", [("A", 0, 1), ("A", 1, 2)]),
        ("B I O B", [("", 0, 2), ("", 3, 4)]),
        ("NOUN -LRB- B- O", []),
        ("", []),
    ],
)
def test_the_corners_of_the_rules(tags: str, spans: list[tuple[str, int, int]]) -> None:
    assert [tuple(span) for span in entity_spans(tags.split())] == spans


@given(st.lists(SENTENCES, min_size=1, max_size=4))
def test_the_truth_is_all_right(tags: list[list[str]]) -> None:
    scores = entity_scores(tags, tags, metrics=ENTITY_METRICS)
    assert set(scores.values()) == {1.0}


@given(st.lists(st.tuples(SENTENCES, st.randoms()), min_size=1, max_size=4))
def test_scores_are_shares_of_common_spans(pairs: list[tuple[list[str], object]]) -> None:
    true = [tags for tags, _ in pairs]
    predicted = []
    for tags, random in pairs:
        shuffled = list(tags)
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        predicted.append(shuffled)
    numbered = [
        {(number, *span) for number, tags in enumerate(part) for span in by_pattern(tags)}
        for part in (true, predicted)
    ]
    common = len(numbered[0] & numbered[1])
    scores = entity_scores(true, predicted, metrics=ENTITY_METRICS)
    if numbered[0] and numbered[1]:
        assert scores["recall"] == pytest.approx(common / len(numbered[0]), abs=1e-6)
        assert scores["precision"] == pytest.approx(common / len(numbered[1]), abs=1e-6)
    both = len(numbered[0]) + len(numbered[1])
    assert scores["f1"] == pytest.approx(2 * common / both if both else 1.0, abs=1e-6)
    words = [
        pair for tags in zip(true, predicted, strict=True) for pair in zip(*tags, strict=True)
    ]
    right = sum(one == other for one, other in words) / len(words) if words else 1.0
    assert scores["accuracy"] == pytest.approx(right, abs=1e-6)


def test_nothing_found_scores_nothing() -> None:
    true = [["B-PER", "O"]]
    assert entity_scores(true, [["O", "O"]], metrics=("f1", "precision", "recall")) == {
        "f1": 0.0,
        "precision": 0.0,
        "recall": 0.0,
    }


def test_a_score_that_there_is_not_is_named() -> None:
    with pytest.raises(UserError, match=r"must be of f1, .* got 'rouge'"):
        check_entity_metrics(("rouge",), ("O", "B-PER"))
    with pytest.raises(UserError, match=r"must be accuracy where no tag is an entity's"):
        check_entity_metrics(("f1",), ("NOUN", "VERB"))
