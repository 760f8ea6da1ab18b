from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet
import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.examples import Answer
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.squad import read_questions

SHARED = Path(__file__).parents[4] / "shared" / "data"
PLAIN = LabelledReading()
CONTEXT = "The old ship's captain said tea."


def question(key: str = "q1", **changes: Any) -> dict[str, Any]:
    answer = {"text": "tea", "answer_start": CONTEXT.index("tea")}
    return {"id": key, "question": "What?", "answers": [answer]} | changes


def paragraph(*questions: dict[str, Any], context: Any = CONTEXT) -> dict[str, Any]:
    return {"context": context, "qas": list(questions)}


def write(folder: Path, *paragraphs: dict[str, Any]) -> str:
    path = folder / "questions.json"
    data = {"version": "2.0", "data": [{"title": "A", "paragraphs": list(paragraphs)}]}
    path.write_text(json.dumps(data), encoding="utf-8")
    return str(path)


def test_an_answer_none_and_an_unknown_one(tmp_path: Path) -> None:
    none = question("q2", answers=[], is_impossible=True, plausible_answers=[{"text": "ship"}])
    unknown = question("q3", answers=[])
    known = question(is_impossible=False)
    found = read_questions(write(tmp_path, paragraph(known, none), paragraph(unknown)), PLAIN)
    assert [example.key for example in found] == ["q1", "q2", "q3"]
    assert [example.answers for example in found] == [(Answer("tea", 28),), (), None]
    assert {example.context for example in found} == {CONTEXT}


@pytest.mark.parametrize("kind", [".jsonl", ".jsonl.gz", ".parquet"])
def test_rows_of_a_question_each(tmp_path: Path, kind: str) -> None:
    rows = [
        {"id": "a", "answers": {"text": ["tea"], "answer_start": [28]}},
        {"id": "b", "answers": {"text": [], "answer_start": []}},
    ]
    rows = [{"question": "What?", "context": CONTEXT} | row for row in rows]
    path = tmp_path / f"rows{kind}"
    if kind == ".parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        path.write_bytes(gzip.compress(data) if kind.endswith(".gz") else data)
    found = read_questions(str(path), PLAIN)
    assert [(each.key, each.answers) for each in found] == [("a", (Answer("tea", 28),)), ("b", ())]


def test_rows_need_no_id_and_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    row = json.dumps({"question": "What?", "context": CONTEXT})
    path.write_text(f"{row}\n{row}\n", encoding="utf-8")
    found = read_questions(str(path), PLAIN)
    assert [(example.key, example.answers) for example in found] == [("1", None), ("2", None)]


MOVED = [{"text": "tea", "answer_start": 27}]
BAD = {
    "a question twice": (paragraph(question(), question()), "question q1 must have an id of its"),
    "no text around it": (
        paragraph(question(), context=" \n"),
        "article 1, paragraph 1 must have",
    ),
    "no context": (paragraph(question(), context=None), "entry 'context', got 'qas'"),
    "context of another kind": (paragraph(question(), context=3), "'context' of .* must be text"),
    "no questions": (paragraph(), "must hold questions, got 'none'"),
    "no question": (paragraph(question(question=None)), "q1 must have the entry 'question'"),
    "no id": (
        paragraph(question(id=None)),
        "a question of .*paragraph 1 must have the entry 'id'",
    ),
    "answers of another kind": (paragraph(question(answers="tea")), "q1 must have a list of answ"),
    "an answer of another kind": (paragraph(question(answers=[3])), "q1 must be an object with"),
    "an answer without a place": (paragraph(question(answers=[{"text": "a"}])), "'answer_start'"),
    "a place of another kind": (
        paragraph(question(answers=[{"text": "a", "answer_start": "3"}])),
        "'answer_start' of .*question q1 must be a whole number, got '3'",
    ),
    "an answer of nothing": (
        paragraph(question(answers=[{"text": "", "answer_start": 3}])),
        "q1 must have answers of some text",
    ),
    "half a character": (paragraph(question(question="\ud83d?")), "must be text in UTF-8"),
    "an answer to what has none": (
        paragraph(question(is_impossible=True)),
        "q1 must have no answ",
    ),
    "none to what has one": (
        paragraph(question(answers=[], is_impossible=False)),
        "q1 must have an answer where is_impossible is false",
    ),
    "another place": (
        paragraph(question(), question("q2", answers=MOVED), question("q3", answers=MOVED)),
        "question q2 must have the answer 'tea' at character 27 of its context, got ' te'. "
        "Of all answers 2 are not",
    ),
    "a place before the text": (
        paragraph(question(answers=[{"text": "tea.", "answer_start": -4}])),
        "question q1 must have the answer 'tea.' at character -4",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_makes_no_sense_is_one_line_that_names_the_question(
    tmp_path: Path, what: str
) -> None:
    bad, message = BAD[what]
    with pytest.raises(UserError, match=message) as caught:
        read_questions(write(tmp_path, bad), PLAIN)
    assert len(str(caught.value).splitlines()) == 1
    assert "questions.json" in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", '{"data": [', "[1]", "3", '{"data": 3}', "[" * 100_000])
def test_a_damaged_file_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "questions.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"questions\.json") as caught:
        read_questions(str(path), PLAIN)
    assert len(str(caught.value).splitlines()) == 1


def test_a_file_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    for name in ("questions.json", "questions.jsonl"):
        with pytest.raises(UserError, match="must exist"):
            read_questions(str(tmp_path / name), PLAIN)


def test_answers_at_other_places_are_left_out_where_that_is_asked_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    right = question()["answers"]
    own = paragraph(
        question("q1", answers=MOVED),
        question("q2", answers=[*MOVED, *right]),
        question("q3", answers=[], is_impossible=True),
    )
    asked = LabelledReading(misplaced_answers="leave_out")
    with caplog.at_level("WARNING"):
        found = read_questions(write(tmp_path, own), asked)
    assert [(each.key, each.answers) for each in found] == [
        ("q2", (Answer("tea", 28),)),
        ("q3", ()),
    ]
    said = "left out 2 answers not found where the context should have them, and 1 question left"
    assert said in caplog.text


def test_columns_of_answers_have_one_length(tmp_path: Path) -> None:
    row = {"question": "What?", "context": CONTEXT, "answers": {"text": ["a"], "answer_start": []}}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="line 1 must have as many texts of answers as starts"):
        read_questions(str(path), PLAIN)


@pytest.mark.skipif(not SHARED.is_dir(), reason="no shared data here")
@pytest.mark.parametrize(
    ("name", "questions", "answered", "unanswered"),
    [
        ("squad2_cs224n/dev-v2.0.json", 6078, 2910, 3168),
        ("squad2_cs224n/test-v2.0.json", 5915, 0, 0),
        ("xquad/xquad.en.json", 1190, 1190, 0),
    ],
)
def test_real_files_are_read_whole(
    name: str, questions: int, answered: int, unanswered: int
) -> None:
    path = SHARED / name
    found = read_questions(str(path), PLAIN)
    assert len(found) == questions
    assert sum(bool(example.answers) for example in found) == answered
    assert sum(example.answers == () for example in found) == unanswered
