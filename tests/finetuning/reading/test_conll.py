from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.errors import UserError
from lit_roberta.finetuning.examples import WordsExample
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.conll import read_words

WNUT = Path(__file__).parents[4] / "shared" / "data" / "ner" / "wnut17"
PLAIN = LabelledReading()
Sentences = list[list[tuple[str, str]]]

WORDS = st.text(st.characters(exclude_characters="\t\n\r\0", codec="utf-8"), min_size=1).filter(
    lambda word: word.strip() == word != "" and not word.startswith(("-DOCSTART-", "\ufeff"))
)
TAGS = st.sampled_from(["O", "B-PER", "I-PER"])
SENTENCES = st.lists(st.lists(st.tuples(WORDS, TAGS), min_size=1, max_size=4), max_size=4)


def read(path: Path, text: str, reading: LabelledReading = PLAIN) -> list[WordsExample]:
    path.write_bytes(text.encode())
    return read_words(str(path), reading)


def pairs(examples: list[WordsExample]) -> list[list[tuple[str, str | int]]]:
    return [list(zip(example.words, example.tags or (), strict=True)) for example in examples]


@given(
    SENTENCES,
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\t", " ", "  \t"]),
    st.sampled_from(["", "\ufeff"]),
)
def test_no_word_is_lost_whatever_parts_sentences(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: Sentences,
    end: str,
    between: str,
    mark: str,
) -> None:
    lines = ["".join(f"{word}\t{tag}{end}" for word, tag in sentence) for sentence in sentences]
    text = mark + f"{between}{end}".join(lines)
    found = read(tmp_path_factory.getbasetemp() / "words.conll", text)
    assert pairs(found) == sentences


def test_columns_stand_between_spaces_too(tmp_path: Path) -> None:
    text = "-DOCSTART- -X- -X- O\n\nEU NNP I-NP I-ORG\nrejects  VBZ I-VP O\n\nPeter NNP I-NP I-PER"
    path = tmp_path / "eng.testa"
    found = read(path, text)
    assert pairs(found) == [[("EU", "I-ORG"), ("rejects", "O")], [("Peter", "I-PER")]]
    assert [each.place for each in found] == [f"{path}, line 3", f"{path}, line 6"]
    other = read(path, text, LabelledReading(words_column="1", tags_column="2"))
    assert pairs(other)[1] == [("Peter", "NNP")]


@pytest.mark.parametrize("name", ["a.conll", "a.txt", "a.bio", "a.iob", "a.tsv", "a.annotated"])
def test_the_name_of_a_file_does_not_matter(tmp_path: Path, name: str) -> None:
    assert pairs(read(tmp_path / name, "tea\tO\n")) == [[("tea", "O")]]


def test_words_alone_are_unlabelled(tmp_path: Path) -> None:
    (found,) = read(tmp_path / "a.conll", "old\ntea\n\t\n")
    assert (found.words, found.tags) == (("old", "tea"), None)


@pytest.mark.parametrize(
    ("text", "line", "rule"),
    [
        ("old\tO\ntea\n", 2, "must have a tag behind the word, got 'tea'"),
        ("old\tO\n\ntea\t\n", 3, "must have something in each column"),
        ("old\tO\n\tO\n", 2, "must have something in each column"),
        ("old\tO\ntea\tNN\tO\n", 2, "must have 2 columns as the first, got 3"),
        ("old\ntea\tO\n", 2, "must have 1 columns as the first, got 2"),
    ],
)
def test_a_line_without_its_tag_is_named(tmp_path: Path, text: str, line: int, rule: str) -> None:
    path = tmp_path / "a.conll"
    with pytest.raises(UserError) as caught:
        read(path, text)
    assert str(caught.value).startswith(f"{path}, line {line}, {rule}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("column", ["0", "3", "tag"])
def test_a_column_that_is_not_there_is_named(tmp_path: Path, column: str) -> None:
    reading = LabelledReading(tags_column=column)
    with pytest.raises(UserError, match=r"data.reading.tags_column must be a number from 1 to 2"):
        read(tmp_path / "a.conll", "tea\tO\n", reading)


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserError, match=r"in CoNLL's form"):
        read(tmp_path / name, "tea,O\n")
    with pytest.raises(UserError, match=r"must exist"):
        read_words(str(tmp_path / "none.conll"), PLAIN)


def test_rows_hold_lists(tmp_path: Path) -> None:
    rows = [
        {"tokens": ["old", "tea"], "ner_tags": ["O", "B-X"]},
        {"tokens": ["tea"], "ner_tags": [2]},
        {"tokens": []},
    ]
    text = "\n".join(map(json.dumps, rows))
    found = read(tmp_path / "a.jsonl", text)
    assert [example.tags for example in found] == [("O", "B-X"), (2,), None]
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(gzip.compress(text.replace("tokens", "words").encode()))
    packed = read_words(str(path), LabelledReading(words_column="words"))
    assert [example.words for example in packed] == [("old", "tea"), ("tea",), ()]


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ({"text": "tea"}, "must have the column 'tokens', got 'text'"),
        ({"tokens": "tea", "ner_tags": ["O"]}, "column 'tokens', must hold a list, got 'tea'"),
        ({"tokens": ["tea"], "ner_tags": "O"}, "column 'ner_tags', must hold a list, got 'O'"),
        ({"tokens": ["tea"], "ner_tags": []}, "column 'ner_tags', must hold 1 tags, got 0"),
        ({"tokens": [1], "ner_tags": ["O"]}, "column 'tokens', must hold text, got 1"),
        ({"tokens": ["\ud800"], "ner_tags": ["O"]}, "column 'tokens', must be text in UTF-8"),
        ({"tokens": ["tea"], "ner_tags": [None]}, "column 'ner_tags', must hold text, got None"),
        ({"tokens": ["tea"], "ner_tags": [True]}, "column 'ner_tags', must hold text, got True"),
    ],
)
def test_a_row_without_its_lists_is_named(
    tmp_path: Path, row: dict[str, object], rule: str
) -> None:
    path = tmp_path / "a.jsonl"
    with pytest.raises(UserError) as caught:
        read(path, json.dumps({"tokens": [], "ner_tags": []}) + "\n" + json.dumps(row))
    assert str(caught.value).startswith(f"{path}, line 2, {rule}")


@pytest.mark.skipif(not WNUT.is_dir(), reason="real data lies beside the checkout")
def test_real_files_have_as_many_sentences_as_their_makers_say() -> None:
    counts = {
        "wnut17train.conll": 3394,
        "emerging.dev.conll": 1009,
        "emerging.test.annotated": 1287,
    }
    found = {name: read_words(str(WNUT / name), PLAIN) for name in counts}
    assert {name: len(examples) for name, examples in found.items()} == counts
    assert sum(len(example.words) for example in found["wnut17train.conll"]) == 62730
    tags = {tag for examples in found.values() for each in examples for tag in each.tags or ()}
    assert len(tags) == 13
    words = {word for each in found["emerging.dev.conll"] for word in each.words}
    assert "Dubbz\ufeff" in words


COMMENTS = st.sampled_from(
    ["# sent_id = 1", "# text = the old ship .", "# newpar id = a", "# a = b"]
)


@given(SENTENCES, st.lists(st.lists(COMMENTS, max_size=2), min_size=4, max_size=4), st.booleans())
def test_comments_before_sentences_are_no_words(
    tmp_path_factory: pytest.TempPathFactory,
    sentences: Sentences,
    comments: list[list[str]],
    documents: bool,
) -> None:
    text = "-DOCSTART-\tO\n\n" if documents else ""
    for said, sentence in zip(comments, sentences, strict=False):
        text += "".join(f"{line}\n" for line in said)
        text += "".join(f"{word}\t{tag}\n" for word, tag in sentence) + "\n"
    found = read(tmp_path_factory.getbasetemp() / "words.conll", text)
    assert pairs(found) == sentences


@pytest.mark.parametrize("between", ["\t", " "])
def test_the_word_that_looks_like_a_comment_is_a_word(tmp_path: Path, between: str) -> None:
    lines = ["# id = 1", "#", "1", "", "# id = 2", "so", "#", "", "#tea"]
    rows = [line if not line or " = " in line else f"{line}{between}O" for line in lines]
    found = read(tmp_path / "a.conll", "\n".join(rows))
    assert [list(each.words) for each in found] == [["#", "1"], ["so", "#"], ["#tea"]]
    # a word without its tag is none, wherever it stands
    with pytest.raises(UserError, match="line 3, must have a tag behind the word"):
        read(tmp_path / "b.conll", f"so{between}O\n\n#tea\n")


def test_words_of_universal_dependencies_are_its_syntactic_words(tmp_path: Path) -> None:
    rows = ["1-2\tvamonos\t_", "1\tvamos\tVERB", "2\tnos\tPRON", "2.1\t_\t_", "3\t1-2\tNUM"]
    reading = LabelledReading(words_column="2")
    found = read(tmp_path / "a.conllu", "# text = vamonos\n" + "\n".join(rows) + "\n", reading)
    assert pairs(found) == [[("vamos", "VERB"), ("nos", "PRON"), ("1-2", "NUM")]]
