from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.reading.choices import read_choices
from lit_roberta.finetuning.reading.config import LabelledReading
from tests.finetuning.examples import write_rows
from tests.finetuning.layouts import COUNT, write_copa, write_jsonl, write_race, write_swag

REAL = Path(__file__).parents[4] / "shared/data/superglue/balanced-copa/balanced-copa-dev-all.xml"


def read(path: Path, **reading: Any) -> list[ChoiceExample]:
    return read_choices(str(path), LabelledReading(**reading))


def test_race_is_read_by_level_and_number(tmp_path: Path) -> None:
    examples = read(write_race(tmp_path) / "train")
    assert len(examples) == 6
    names = [Path(example.place.partition(",")[0]).name for example in examples]
    assert names == ["9.txt", "9.txt", "10.txt", "10.txt", "1.txt", "1.txt"]
    assert [example.label for example in examples[:2]] == [0, 3]


def test_an_answer_fills_the_blank_or_follows_the_question(tmp_path: Path) -> None:
    filled, followed = read(write_race(tmp_path) / "dev" / "middle")
    assert [pair for _, pair in filled.choices][:2] == ["it is rain .", "it is tea ."]
    assert [pair for _, pair in followed.choices][:2] == ["is it tea ? so", "is it tea ? it"]
    assert len({text for text, _ in filled.choices}) == 1


def test_copa_asks_in_words(tmp_path: Path) -> None:
    cause, effect = read(write_copa(tmp_path) / "train.jsonl")[:2]
    assert {text for text, _ in cause.choices} == {"It rained because"}
    assert {text for text, _ in effect.choices} == {"It rained so"}
    assert (cause.label, effect.label) == (0, 0)
    assert all(each.label is None for each in read(tmp_path / "test.jsonl"))


@pytest.mark.skipif(not REAL.is_file(), reason="the file of Balanced COPA is not here")
def test_balanced_copa_is_read_from_its_xml() -> None:
    examples = read(REAL)
    assert len(examples) == 1000
    assert examples[0].choices == (
        ("My body cast a shadow over the grass because", "The sun was rising."),
        ("My body cast a shadow over the grass because", "The grass was cut."),
    )
    assert examples[0].label == 0
    assert examples[0].place.endswith("item 1")
    # each has a mirrored one: the same alternatives, of which the other one is right
    by_texts = defaultdict(set)
    for each in examples:
        pairs = [pair for _, pair in each.choices]
        by_texts[frozenset(pairs)].add(pairs[each.label or 0])
    assert all(right == texts for texts, right in by_texts.items())
    assert {each.label for each in examples} == {0, 1}


def test_swag_begins_each_ending_with_the_second_sentence(tmp_path: Path) -> None:
    examples = read(write_swag(tmp_path) / "val.csv")
    assert len(examples) == COUNT
    assert examples[1].choices[0][1] == "She loves rain, and tea"
    assert [example.label for example in examples[:4]] == [0, 1, 2, 3]
    assert all(each.label is None for each in read(tmp_path / "test.csv"))


def test_rows_of_ones_own_have_columns_or_a_list(tmp_path: Path) -> None:
    header = ("text", "choice0", "choice1", "choice2", "label")
    columns = write_rows(tmp_path / "a.csv", [("it is", "tea", "rain", "old", "2")], header)
    row = {"text": "it is", "choices": ["tea", "rain", "old"], "label": 2}
    listed = write_jsonl(tmp_path / "b.jsonl", [row])
    renamed = {"before": "it is", "choices": row["choices"], "right": 2}
    other = write_jsonl(tmp_path / "c.jsonl", [renamed])
    found = [read(columns), read(listed), read(other, text_column="before", label_column="right")]
    for examples in found:
        assert examples[0].choices == (("it is", "tea"), ("it is", "rain"), ("it is", "old"))
        assert examples[0].label == 2


def test_ten_choices_stand_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    row = {f"choice{n}": f"text {n}" for n in reversed(range(12))}
    (example,) = read(write_jsonl(tmp_path / "a.jsonl", [row]))
    assert [text for text, _ in example.choices] == [f"text {n}" for n in range(12)]
    assert {pair for _, pair in example.choices} == {None}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"text": "a", "choices": ["b"], "label": 0}, "line 1, must have two choices or more"),
        (
            {"text": "a", "choices": ["b", "c"], "label": 2},
            r"line 1 must lie from 0 to 1, .*got 2",
        ),
        ({"text": "a", "choices": ["b", "c"], "label": -1}, "must lie from 0 to 1"),
        ({"text": "a", "choices": ["b", "c"], "label": "x"}, "'label', must be the place of"),
        ({"text": "a", "choices": ["b", "c"], "label": True}, "'label', must be the place of"),
        ({"text": "a", "choices": "b c", "label": 0}, "must hold a list of texts"),
        ({"text": "a", "choices": ["b", 3], "label": 0}, "must hold text, got 3"),
        ({"text": "a", "label": 0}, "line 1, must have choices, got 'text, label'"),
        (
            {"premise": "a", "question": "why", "choice1": "b", "choice2": "c"},
            "line 1 must be cause or effect, got 'why'",
        ),
    ],
)
def test_a_row_that_is_none_is_named(tmp_path: Path, row: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        read(write_jsonl(tmp_path / "a.jsonl", [row]))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answers": ["A"]}, "must be a file of RACE"),
        ({"answers": ["A", "E"]}, "question 2 must lie from 0 to 3"),
        ({"answers": ["A", "4"]}, "question 2 must be a letter from A on, got '4'"),
        ({"options": ["so", ["a", "b"]]}, "question 1, must have a list of options"),
        ({"article": None}, "question 1, must hold texts"),
        ({"questions": 3}, "must be a file of RACE"),
    ],
)
def test_a_damaged_file_of_race_is_named(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = write_race(tmp_path) / "train" / "middle" / "1.txt"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes), encoding="utf-8")
    with pytest.raises(UserError, match=rf"1\.txt.*{message}"):
        read(tmp_path / "train")


@pytest.mark.parametrize("text", ["{", "[1]", '"text"', "3"])
def test_what_is_no_race_at_all_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "1.txt").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"1\.txt must be a file of RACE"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<copa-corpus><item>", "must be valid XML"),
        (
            "<c><item id='7' asks-for='cause'><p>a</p><a1>b</a1></item></c>",
            "item 7, must have a text <a2>",
        ),
        (
            "<c><item id='7' asks-for='x'><p>a</p><a1>b</a1><a2>c</a2></item></c>",
            "item 7 must be cause",
        ),
    ],
)
def test_a_damaged_xml_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.xml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message):
        read(tmp_path / "a.xml")


def test_a_second_text_is_not_ignored(tmp_path: Path) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"choices": ["a", "b"]}])
    with pytest.raises(UserError, match=r"data\.reading\.pair_column must be left out"):
        read(path, pair_column="other")


def test_an_empty_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"must hold \.txt files of RACE"):
        read(tmp_path)
