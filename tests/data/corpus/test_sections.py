from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.corpus import sections
from tests.data.corpus.on_disk import digest_of, words_of, written

sentences = st.lists(st.integers(1, 30).map(lambda count: "word " * count), min_size=1)


def cut_large_documents(documents: list[list[str]]) -> tuple[list[list[list[str]]], int]:
    """Give the sections of each document, and about how long they are."""
    with tempfile.TemporaryDirectory() as folder:
        whole = written(Path(folder), documents)
        cut = sections.cut_large_documents(whole)
        found: list[list[list[str]]] = [[] for _ in documents]
        for start, section in zip(cut.documents.rows["start"], cut.documents, strict=True):
            number = int(whole.stops.searchsorted(start, side="right"))
            found[number].append(section)
        hashes = [bytes(row["content"]).hex() for row in cut.documents.rows]
        assert hashes == [digest_of([section]) for section in cut.documents]
        assert cut.documents.rows["words"].tolist() == [words_of(one) for one in cut.documents]
    return found, cut.section_words


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, min_size=1, max_size=5))
def test_sections_are_the_document(documents: list[list[str]]) -> None:
    found, _ = cut_large_documents(documents)
    assert [[one for section in parts for one in section] for parts in found] == documents
    assert all(section for parts in found for section in parts)


def test_sections_have_about_the_length_that_was_asked_for() -> None:
    document = ["word " * (1 + number % 20) for number in range(10_000)]
    (parts,), _ = cut_large_documents([document])
    lengths = list(map(words_of, parts))
    assert len(lengths) == round(words_of(document) / 2000)
    assert max(lengths) - min(lengths) <= 40


def test_only_a_document_above_two_percent_is_cut() -> None:
    small = [["word " * 10] * 100] * 60
    large = ["word " * 10] * 1000
    parts, length = cut_large_documents([*small, large])
    assert length == 2000
    assert [len(part) for part in parts] == [1] * 60 + [5]


def test_a_small_text_without_boundaries_gets_shorter_sections() -> None:
    (parts,), length = cut_large_documents([["word " * 10] * 1000])
    assert length == 200
    assert [words_of(section) for section in parts] == [200] * 50


def test_sections_are_never_shorter_than_fifty_words() -> None:
    (parts,), length = cut_large_documents([["word " * 10] * 50])
    assert length == 50
    assert len(parts) == 10


def test_a_sentence_is_never_cut() -> None:
    giant = ["word " * 100_000]
    assert cut_large_documents([giant])[0] == [[giant]]
