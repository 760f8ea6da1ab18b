"""What the toy corpus promises, measured as the word tokenizer counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import chain
from statistics import mean

import numpy as np
import pytest

from tests.data.corpus.on_disk import read, split_corpus

Document = list[str]  # of sentences
Split = tuple[Sequence[Document], Sequence[Document]]  # what is trained on, what is held out

WORD_OR_MARK = re.compile(r"\w+|[^\w\s]")
SEQUENCE_LENGTH = 64
SPECIAL_TOKENS_OF_A_PAIR = 3


@cache
def corpus_text() -> str:
    return resources.files("lit_roberta.toy").joinpath("corpus.txt").read_text(encoding="ascii")


def corpus() -> list[Document]:
    return [block.split("\n") for block in corpus_text().rstrip("\n").split("\n\n")]


def sentences() -> list[str]:
    return list(chain.from_iterable(corpus()))


def tokens_of(document: Iterable[str]) -> list[str]:
    return [token for line in document for token in WORD_OR_MARK.findall(line.lower())]


def counts(documents: Iterable[Document]) -> Counter[str]:
    return Counter(chain.from_iterable(map(tokens_of, documents)))


def five_grams(document: Document) -> Iterator[tuple[str, ...]]:
    tokens = tokens_of(document)
    return zip(*(tokens[start:] for start in range(5)), strict=False)


def random_splits(amount: int = 20) -> Iterator[Split]:
    documents = corpus()
    held_out = len(documents) // 5
    for seed in range(amount):
        order = np.random.default_rng(seed).permutation(len(documents))
        shuffled = [documents[place] for place in order]
        yield shuffled[held_out:], shuffled[:held_out]


def package_splits() -> Iterator[Split]:
    parts = split_corpus(read("toy").documents)
    yield parts.train, parts.validation
    yield parts.train, parts.test


def repeated_five_grams(split: Split) -> float:
    train, held_out = split
    seen = set(chain.from_iterable(map(five_grams, train)))
    return mean(gram in seen for gram in chain.from_iterable(map(five_grams, held_out)))


def unknown_tokens(split: Split) -> float:
    train, held_out = split
    trained = counts(train)
    return mean(trained[token] < 2 for token in counts(held_out).elements())


def test_it_has_at_least_160_documents_and_640_sentences() -> None:
    assert len(corpus()) >= 160
    assert len(sentences()) >= 640


def test_a_document_has_two_to_eight_sentences() -> None:
    assert {len(document) for document in corpus()} <= set(range(2, 9))


def test_a_document_fits_the_sequence_length_of_the_demo() -> None:
    longest = max(len(tokens_of(document)) for document in corpus())
    assert longest + SPECIAL_TOKENS_OF_A_PAIR <= SEQUENCE_LENGTH


def test_it_has_at_least_6000_tokens_of_400_to_600_types() -> None:
    found = counts(corpus())
    assert found.total() >= 6_000
    assert 400 <= len(found) <= 600


def test_each_type_occurs_four_times_in_three_documents() -> None:
    occurrences = counts(corpus())
    documents = Counter(chain.from_iterable(set(tokens_of(document)) for document in corpus()))
    assert [type_ for type_, count in occurrences.items() if count < 4] == []
    assert [type_ for type_, count in documents.items() if count < 3] == []


def test_no_sentence_occurs_twice() -> None:
    spellings = Counter(sentence.lower() for sentence in sentences())
    assert [sentence for sentence, count in spellings.items() if count > 1] == []


def test_each_line_is_one_sentence_in_plain_punctuation() -> None:
    pattern = re.compile(r"[A-Z][A-Za-z]*(,? [A-Za-z]+)*[.?]")
    assert [line for line in sentences() if not pattern.fullmatch(line)] == []


def test_at_most_15_percent_of_held_out_five_grams_were_trained_on() -> None:
    assert mean(map(repeated_five_grams, random_splits())) <= 0.15


@pytest.mark.parametrize("held_out", [0, 1], ids=["validation", "test"])
def test_the_package_split_repeats_few_five_grams_and_hides_few_words(held_out: int) -> None:
    split = list(package_splits())[held_out]
    assert repeated_five_grams(split) <= 0.15
    assert unknown_tokens(split) <= 0.02


def test_at_most_2_percent_of_held_out_tokens_are_unknown() -> None:
    assert mean(map(unknown_tokens, random_splits())) <= 0.02


def test_the_package_reads_the_same_documents() -> None:
    assert read("toy").documents == corpus()
