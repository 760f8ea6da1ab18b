from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.corpus import overlap as module
from lit_roberta.data.corpus.overlap import Overlap, Passage, measure_overlap

STORY = ["The old ship left the harbour at dawn.", "Nobody on the quay waved to it."]
OTHER = ["A baker never sleeps while the dough is rising slowly."]


def passage(*documents: list[str]) -> Passage:
    return Passage(["".join(f"{line}\n" for line in lines).encode() for lines in documents])


def test_an_edited_copy_is_a_near_duplicate() -> None:
    edited = [STORY[0].upper(), "Nobody on the quay waved to her."]
    overlap = measure_overlap([passage(STORY)], [passage(edited, OTHER)])
    assert (overlap.documents, overlap.near_duplicates) == (2, 1)
    # 11 windows of five words in the copy, all but the last seen; 6 in the other, none seen.
    assert overlap.shared == 10 / 17
    assert str(overlap) == (
        "1 of 2 held-out documents are near-duplicates of training text (it holds at least half "
        "of their 5-grams); it holds 58.8% of all held-out 5-grams"
    )


def test_a_word_order_of_its_own_is_no_overlap() -> None:
    assert measure_overlap(
        [passage(list(reversed(STORY)))], [passage(["dawn at harbour the left ship"])]
    ) == Overlap(documents=1, near_duplicates=0, shared=0.0)


def test_texts_below_five_words_have_nothing_to_share() -> None:
    assert measure_overlap([passage(["one two"])], [passage(["one two"])]).near_duplicates == 0
    assert measure_overlap([], []) == Overlap(documents=0, near_duplicates=0, shared=0.0)


words = st.lists(
    st.lists(st.sampled_from("abc"), min_size=1, max_size=12).map(" ".join), max_size=6
)


@settings(max_examples=60, deadline=None)
@given(words, words)
def test_the_count_is_that_of_sets(train: list[str], held_out: list[str]) -> None:
    def grams(text: str) -> set[str]:
        return {text[start : start + 9] for start in range(0, len(text) - 8, 2)}

    seen = set().union(*map(grams, train))
    overlap = measure_overlap(
        [passage(*([text] for text in train))], [passage(*([text] for text in held_out))]
    )
    found = [grams(text) for text in held_out]
    assert overlap.near_duplicates == sum(2 * len(each & seen) >= len(each) > 0 for each in found)
    different = set().union(*found)
    assert overlap.shared == (len(different & seen) / len(different) if different else 0.0)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), documents=st.lists(st.lists(st.sampled_from(["a", "b c", "a b c a b"]))))
def test_a_document_may_come_in_parts(data: st.DataObject, documents: list[list[str]]) -> None:
    cut: list[Passage] = []
    for document in filter(None, documents):
        lines = [f"{line}\n".encode() for line in document]
        places = sorted(data.draw(st.sets(st.integers(1, len(lines)), max_size=3)))
        bounds = [0, *places, *([len(lines)] if len(lines) not in places else [])]
        for start, stop in pairwise(bounds):
            cut.append(Passage([b"".join(lines[start:stop])], begins=start == 0))
    whole = passage(*filter(None, documents))
    other = passage(["b c a b c a b"], ["a b c b c a b c b c"])
    assert measure_overlap(cut, [other]) == measure_overlap([whole], [other])
    assert measure_overlap([other], cut) == measure_overlap([other], [whole])


def test_of_very_much_held_out_text_some_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    words = np.random.default_rng(0).integers(1000, size=(40, 600)).astype(str).tolist()
    documents = [[" ".join(each)] for each in words]
    half = [[" ".join(each[:240])] for each in words[:10]]
    train = [passage(*half, *documents[10:25])]
    exact = measure_overlap(train, [passage(*documents)])
    monkeypatch.setattr(module, "_MOST_GRAMS", 4000)
    some = measure_overlap(train, [passage(one) for one in documents])
    assert (exact.one_in, some.one_in) == (1, 8)
    assert (exact.documents, exact.near_duplicates) == (some.documents, some.near_duplicates)
    assert some.shared == pytest.approx(exact.shared, abs=0.03)
    assert str(some).endswith(" 5-grams (judged by one 5-gram in 8)")
