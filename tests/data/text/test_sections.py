from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.text.sections import cut_large_documents, cut_sections, words_of

sentences = st.lists(st.integers(1, 30).map(lambda count: "word " * count), min_size=1)


@settings(max_examples=100, deadline=None)
@given(sentences, st.integers(1, 100))
def test_sections_are_the_document(document: list[str], words: int) -> None:
    sections = cut_sections(document, words=words)
    assert [sentence for section in sections for sentence in section] == document
    assert all(sections)


def test_sections_have_about_the_length_that_was_asked_for() -> None:
    document = ["word " * (1 + number % 20) for number in range(2000)]
    lengths = [words_of(section) for section in cut_sections(document, words=2000)]
    assert len(lengths) == round(words_of(document) / 2000)
    assert max(lengths) - min(lengths) <= 40


def test_only_a_document_above_two_percent_is_cut() -> None:
    small = [["word " * 10] * 100] * 60
    large = ["word " * 10] * 1000
    sections, length = cut_large_documents([*small, large])
    assert length == 2000
    assert [len(parts) for parts in sections] == [1] * 60 + [5]


def test_a_small_text_without_boundaries_gets_shorter_sections() -> None:
    (sections,), length = cut_large_documents([["word " * 10] * 1000])
    assert length == 200
    assert [words_of(section) for section in sections] == [200] * 50


def test_sections_are_never_shorter_than_fifty_words() -> None:
    (sections,), length = cut_large_documents([["word " * 10] * 50])
    assert length == 50
    assert len(sections) == 10


def test_a_sentence_is_never_cut() -> None:
    giant = ["word " * 100_000]
    assert cut_large_documents([giant])[0] == [[giant]]
