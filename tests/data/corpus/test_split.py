from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.corpus import split
from lit_roberta.data.corpus.split import Parts, SplitUnit
from lit_roberta.data.preparation.config import TextConfig
from lit_roberta.data.preparation.preparing import prepare_text
from lit_roberta.errors import UserError
from tests.data.corpus.on_disk import digest_of, split_corpus, words_of

Documents = list[list[str]]


def numbered(count: int, *, words: int = 10) -> Documents:
    return [[f"document {number}", "word " * (words - 2)] for number in range(count)]


def places(parts: Parts[Documents]) -> dict[str, str]:
    """Map each document's content to its part."""
    return {
        digest_of([document]): name
        for name in ("test", "validation", "train")
        for document in getattr(parts, name)
    }


def contents(documents: Documents) -> Counter[str]:
    return Counter(digest_of([document]) for document in documents)


# Words of each document; with these, whatever the ranks are, less than half is held out.
lengths = st.lists(st.integers(10, 20), min_size=60, max_size=70)


def random_documents(sizes: list[int], *, repeat: int) -> Documents:
    """Make `repeat` equal documents of each size."""
    kinds = [[f"text {number}", "word " * size] for number, size in enumerate(sizes)]
    return [list(kind) for kind in kinds for _ in range(repeat)]


@settings(max_examples=25, deadline=None)
@given(lengths, st.integers(1, 2))
def test_every_document_is_in_one_part_and_equal_ones_are_together(
    sizes: list[int], repeat: int
) -> None:
    documents = random_documents(sizes, repeat=repeat)
    parts = split_corpus(documents)
    counts = [contents(part) for part in (parts.train, parts.validation, parts.test)]
    assert sum(counts, Counter()) == contents(documents)
    assert not any(first & second for first, second in combinations(counts, 2))


@settings(max_examples=25, deadline=None)
@given(lengths, st.randoms(use_true_random=False))
def test_the_order_of_documents_and_files_does_not_matter(
    sizes: list[int], random: Random
) -> None:
    documents = random_documents(sizes, repeat=1)
    shuffled = list(documents)
    random.shuffle(shuffled)
    assert places(split_corpus(documents)) == places(split_corpus(shuffled))


@settings(max_examples=25, deadline=None)
@given(lengths, st.integers(1, 40))
def test_one_more_document_moves_only_documents_at_the_edges(sizes: list[int], size: int) -> None:
    documents = random_documents(sizes, repeat=1)
    more = [*documents, ["a new one", "word " * size]]
    before, after = (places(split_corpus(each)) for each in (documents, more))
    ranked = sorted(before)
    order = ["test", "validation", "train"]
    # The parts follow one another along the ranks, before and after.
    along = [after[rank] for rank in ranked]
    assert along == sorted(along, key=order.index)
    moved = [rank for rank in ranked if before[rank] != after[rank]]
    words = {digest_of([document]): words_of(document) for document in documents}
    largest = max(words.values())
    # The first edge moves by the new document and one that it cuts through at the most, the second
    # by that and one more.
    assert sum(words[rank] for rank in moved) <= 3 * (size + 3 + largest)


@settings(max_examples=25, deadline=None)
@given(lengths)
def test_the_parts_have_their_size_exactly(sizes: list[int]) -> None:
    documents = random_documents(sizes, repeat=1)
    parts = split_corpus(documents)
    ranked = sorted(map(digest_of, ([document] for document in documents)))
    words = {digest_of([document]): words_of(document) for document in documents}
    total = sum(words.values())
    place = places(parts)
    for name, share, fewest in (("test", 0.2, 8), ("validation", 0.1, 4)):
        taken = [rank for rank in ranked if place[rank] == name]
        assert len(taken) >= fewest
        assert sum(words[rank] for rank in taken) >= share * total
        without_last = taken[:-1]
        assert (
            len(without_last) < fewest or sum(words[rank] for rank in without_last) < share * total
        )


def test_from_a_thousand_documents_on_the_share_is_five_percent() -> None:
    few, many = split_corpus(numbered(999)), split_corpus(numbered(1000))
    assert [len(part) for part in (few.test, few.validation)] == [200, 100]
    assert [len(part) for part in (many.test, many.validation)] == [50, 25]


def test_held_out_parts_are_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (split.MOST_TEST_WORDS, split.MOST_VALIDATION_WORDS) == (1_000_000, 200_000)
    monkeypatch.setattr(split, "MOST_TEST_WORDS", 1000.0)
    monkeypatch.setattr(split, "MOST_VALIDATION_WORDS", 200.0)
    parts = split_corpus(numbered(200, words=30))
    assert [len(parts.test), len(parts.validation)] == [34, 7]
    # The fewest documents count more than the cap.
    parts = split_corpus(numbered(200, words=1000))
    assert [len(parts.test), len(parts.validation)] == [8, 4]


def test_parts_keep_the_order_of_the_corpus() -> None:
    documents = numbered(100)
    parts = split_corpus(documents)
    for part in (parts.train, parts.validation, parts.test):
        assert part == [document for document in documents if document in part]


def _variants(document: list[str]) -> list[list[str]]:
    """Write a document in ways that read alike to a model that lower-cases."""
    return [
        [sentence.upper() for sentence in document],
        [sentence.replace(" ", "\u00a0") for sentence in document],
        [f"  {sentence}\t " for sentence in document],
        [sentence.replace(" ", "  ") for sentence in document],
        [" ".join(document)],
        [sentence.replace("t", "\uff54") for sentence in document],
    ]


@pytest.mark.parametrize("variant", range(6))
def test_documents_that_read_alike_are_in_one_part_and_count_once(variant: int) -> None:
    documents = numbered(40)
    doubled = [*documents, *(_variants(document)[variant] for document in documents)]
    parts = split_corpus(doubled)
    place = places(parts)
    for document in documents:
        other = _variants(document)[variant]
        assert other != document
        assert place[digest_of([other])] == place[digest_of([document])]
    assert len(parts.test) == 2 * 8
    assert sum(len(part) for part in vars(parts).values()) == 80


@settings(max_examples=25, deadline=None)
@given(lengths)
def test_only_documents_with_a_twin_are_moved_by_it(sizes: list[int]) -> None:
    # A group has the smallest rank of its members: it stands where its first member stood alone.
    documents = random_documents(sizes, repeat=1)
    twin = [sentence.upper() for sentence in documents[0]]
    ranks = sorted(map(digest_of, ([document] for document in documents)))
    parts = split_corpus([*documents, twin])
    first = min(digest_of([documents[0]]), digest_of([twin]))
    order = sorted({*ranks, first} - {max(digest_of([documents[0]]), digest_of([twin]))})
    place = places(parts)
    along = [place[rank] for rank in order]
    assert along == sorted(along, key=["test", "validation", "train"].index)


def test_the_split_of_the_toy_corpus_is_pinned() -> None:
    # No two of its documents read alike, so that folding moves none of them.
    assert prepare_text(TextConfig()).digest == "4911bf3a44b6a8ebb437b9231bd45206"


def test_the_split_is_pinned() -> None:
    # Results of old runs are compared with those of new ones, so no document ever changes sides.
    parts = split_corpus([[f"document {number}"] for number in range(40)])
    assert [int(document[0].split()[1]) for document in parts.test] == [1, 2, 5, 6, 9, 12, 17, 38]


def test_whole_files_are_held_out_if_asked() -> None:
    documents = numbered(100)
    sources = [f"{number // 10}.txt" for number in range(100)]
    parts = split_corpus(documents, sources, by="file")
    pairs = zip(documents, sources, strict=True)
    held_by = {digest_of([document]): name for document, name in pairs}
    names = [
        {held_by[digest_of([document])] for document in part}
        for part in (parts.train, parts.validation, parts.test)
    ]
    assert [len(files) for files in names] == [7, 1, 2]
    assert len(set.union(*names)) == 10


def test_a_renamed_file_stays_in_its_part() -> None:
    documents = numbered(100)
    first, second = ([f"{prefix}{number // 10}.txt" for number in range(100)] for prefix in "ab")
    assert places(split_corpus(documents, first, by="file")) == places(
        split_corpus(documents, second, by="file")
    )


@pytest.mark.parametrize("count", [1, 2, 12, 23])
def test_a_corpus_that_is_too_small_is_refused(count: int) -> None:
    with pytest.raises(UserError) as caught:
        split_corpus(numbered(count))
    assert str(caught.value).startswith(
        "data.corpus must have 8 documents for test, 4 for validation and at least half of its "
        f"text for training, got '{count} document"
    )


def test_twenty_four_documents_can_be_split() -> None:
    parts = split_corpus(numbered(24))
    assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [12, 4, 8]


def test_a_hundred_copies_of_one_document_are_one_document() -> None:
    for copies in ([["the same"]] * 100, [["the same"], ["The  SAME"]] * 50):
        with pytest.raises(
            UserError, match=r"got '1 document'\. Documents that read alike count "
        ):
            split_corpus(copies)


@pytest.mark.parametrize("by", ["document", "file"])
def test_copies_are_not_spoken_of_where_there_are_none(by: SplitUnit) -> None:
    with pytest.raises(UserError) as caught:
        split_corpus(numbered(12), by=by)
    assert "alike" not in str(caught.value)
    with pytest.raises(UserError, match="Documents that read alike count once"):
        split_corpus(numbered(12) * 2, by=by)


def test_too_few_files_are_refused() -> None:
    with pytest.raises(UserError, match=r"got '100 documents in 1 file'"):
        split_corpus(numbered(100), by="file")


def test_two_processes_split_alike() -> None:
    # Ranks and machines share nothing but the text: the ranking uses no hash that Python salts.
    script = (
        "from tests.data.corpus.on_disk import split_corpus\n"
        "documents = [[f'document {number}'] for number in range(40)]\n"
        "parts = split_corpus(documents)\n"
        "print(parts.test, parts.validation)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "12"
    }
    assert len(outputs) == 1
