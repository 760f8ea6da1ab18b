"""The package's own minimal pairs, and files of others."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from importlib import resources
from pathlib import Path

import pytest

from lit_roberta.errors import UserError
from lit_roberta.probing.pairs import MinimalPair, built_in_pairs, read_pairs


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.lower())


CORPUS = resources.files("lit_roberta.toy").joinpath("corpus.txt").read_text("utf-8")
COUNTS = Counter(words_of(CORPUS))


def marked(words: str) -> list[MinimalPair]:
    """Give the pairs that the file says to be of such words."""
    path = resources.files("lit_roberta.probing").joinpath("minimal_pairs.tsv")
    lines = path.read_text("utf-8").splitlines()[1:]
    kinds = [line.split("\t")[1] for line in lines]
    return [pair for pair, kind in zip(built_in_pairs(), kinds, strict=True) if kind == words]


def test_there_are_many_and_half_of_them_are_of_the_toy_corpus() -> None:
    toy, general = marked("toy"), marked("general")
    assert len(toy) + len(general) == len(built_in_pairs()) >= 200
    assert min(len(toy), len(general)) >= 100
    phenomena = Counter(pair.phenomenon for pair in built_in_pairs())
    assert len(phenomena) >= 6
    assert min(phenomena.values()) >= 10


def test_words_of_toy_pairs_are_known_to_who_reads_the_toy_corpus() -> None:
    rare = {word for pair in marked("toy") for text in pair[:2] for word in words_of(text)}
    assert {word for word in rare if COUNTS[word] < 2} == set()


def test_frequencies_alone_do_not_tell_good_from_bad() -> None:
    def frequency(text: str) -> float:
        return round(sum(math.log(COUNTS[word]) for word in words_of(text)), 9)

    signs = Counter(
        (frequency(pair.good) > frequency(pair.bad)) - (frequency(pair.good) < frequency(pair.bad))
        for pair in marked("toy")
    )
    assert abs(signs[1] - signs[-1]) <= 5
    assert signs[1] > 50


def test_the_two_sentences_of_a_pair_hardly_differ() -> None:
    for pair in built_in_pairs():
        good, bad = words_of(pair.good), words_of(pair.bad)
        assert good != bad
        assert len(good) == len(bad), pair
        differing = sum(one != other for one, other in zip(good, bad, strict=True))
        assert differing <= 3, pair
    assert len({pair[:2] for pair in built_in_pairs()}) == len(built_in_pairs())


def test_no_good_sentence_is_a_sentence_of_the_corpus() -> None:
    sentences = set(CORPUS.splitlines())
    assert not sentences & {pair.good for pair in built_in_pairs()}


PAIRS = [("It is so.", "It are so."), ("He is.", "He are.")]


def write(path: Path, rows: list[str]) -> str:
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return str(path)


def test_all_forms_of_a_file_give_the_same_pairs(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.tsv", ["\t".join(pair) for pair in PAIRS])
    header = ["sentence_bad\tphenomenon\tsentence_good"]
    named = write(tmp_path / "named.tsv", header + [f"{bad}\tbe\t{good}" for good, bad in PAIRS])
    rows = [
        {"sentence_good": good, "sentence_bad": bad, "field": "syntax", "UID": "be"}
        for good, bad in PAIRS
    ]
    blimp = write(tmp_path / "blimp.jsonl", list(map(json.dumps, rows)))
    assert read_pairs(plain) == [MinimalPair(*pair, "all") for pair in PAIRS]
    assert read_pairs(named) == read_pairs(blimp) == [MinimalPair(*pair, "be") for pair in PAIRS]


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("a.tsv", [], "the file of minimal pairs must hold at least one"),
        ("a.jsonl", [""], "the file of minimal pairs must hold at least one"),
        ("a.tsv", ["only one"], "line 1, must have the columns sentence_good and sentence_bad"),
        ("a.tsv", ["a\tb", "a\tb\tc"], "line 2, must have 2 fields"),
        ("a.tsv", ["a\tb", "a\ta"], "line 2, must hold two sentences that differ"),
        ("a.jsonl", ['{"sentence_good": "a"}'], "line 1, must have the columns"),
        ("a.jsonl", ['{"sentence_good": "a", "sentence_bad": 1}'], "must hold text, got 1"),
        ("a.docx", ["a\tb"], "must end in one of"),
    ],
)
def test_what_is_no_file_of_pairs_is_refused(
    name: str, rows: list[str], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as error:
        read_pairs(write(tmp_path / name, rows))
    assert "\n" not in str(error.value)
