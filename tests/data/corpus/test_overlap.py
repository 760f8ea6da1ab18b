from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.corpus.overlap import Overlap, measure_overlap

STORY = ["The old ship left the harbour at dawn.", "Nobody on the quay waved to it."]
OTHER = ["A baker never sleeps while the dough is rising slowly."]


def test_an_edited_copy_is_a_near_duplicate() -> None:
    edited = [STORY[0].upper(), "Nobody on the quay waved to her."]
    overlap = measure_overlap([[STORY]], [edited, OTHER])
    assert (overlap.documents, overlap.near_duplicates) == (2, 1)
    # 11 windows of five words in the copy, all but the last seen; 6 in the other, none seen.
    assert overlap.shared == 10 / 17
    assert str(overlap) == (
        "1 of 2 held-out documents are near-duplicates of training text (it holds at least half "
        "of their 5-grams); it holds 58.8% of all held-out 5-grams"
    )


def test_a_word_order_of_its_own_is_no_overlap() -> None:
    assert measure_overlap([[list(reversed(STORY))]], [["dawn at harbour the left ship"]]) == (
        Overlap(documents=1, near_duplicates=0, shared=0.0)
    )


def test_texts_below_five_words_have_nothing_to_share() -> None:
    assert measure_overlap([[["one two"]]], [["one two"]]).near_duplicates == 0
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
    overlap = measure_overlap([[[text] for text in train]], [[text] for text in held_out])
    found = [grams(text) for text in held_out]
    assert overlap.near_duplicates == sum(2 * len(each & seen) >= len(each) > 0 for each in found)
    different = set().union(*found)
    assert overlap.shared == (len(different & seen) / len(different) if different else 0.0)
