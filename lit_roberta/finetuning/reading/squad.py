"""Questions about texts, as SQuAD's files have them, or one in a row.

In: a .json file of articles, or rows of a table. Out: questions whose answers stand where the file
says that they do.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lit_roberta.counted import counted
from lit_roberta.data.text.decoding import decode
from lit_roberta.data.text.files import kind_of, open_bytes
from lit_roberta.data.text.hub import HUB
from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.examples import Answer, QuestionExample
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.tables import TableRow, read_table
from lit_roberta.finetuning.reading.texts import checked_text

logger = logging.getLogger(__name__)

T = TypeVar("T")


def read_questions(source: str, reading: LabelledReading) -> list[QuestionExample]:
    """Read questions.

    Args:
        source: A .json file in the form of SQuAD 1.1 or 2.0; or rows as for `read_table`, with the
            columns id (or none), question, context and answers (`text` and `answer_start`).
        reading: How the file is encoded, and what becomes of an answer that is not where it says.

    Raises:
        UserError: If the file is damaged, or a question makes no sense. Names the question.
    """
    is_articles = not source.startswith(HUB) and kind_of(Path(source)) == ".json"
    found = list(_of_articles(source, reading) if is_articles else _of_rows(source, reading))
    if not found:
        raise must(source, "hold questions", "none", "Give a file with at least one.")
    seen: set[str] = set()
    for example in found:
        if example.key in seen:
            remedy = "Answers are told apart by it."
            raise must(example.place, "have an id of its own", example.key, remedy)
        seen.add(example.key)
    return _aligned(found, source, leaves_out=reading.misplaced_answers == "leave_out")


def read_unanswered(source: str, reading: LabelledReading) -> Iterator[QuestionExample]:
    """Read questions whose answers, if there are any, are not looked at.

    Raises:
        UserError: As `read_questions`.
    """
    is_articles = kind_of(Path(source)) == ".json"
    found = _of_articles(source, reading) if is_articles else _of_rows(source, reading)
    return (question._replace(answers=None) for question in found)


def row_question(row: TableRow, number: int) -> QuestionExample:
    """Read the question of a row.

    Args:
        row: With the columns question and context, and id or none.
        number: Of the row, which names it where it has no id.

    Raises:
        UserError: If one is missing.
    """
    values, place = row
    key = str(values.get("id", number))
    named = f"{place}, question {key}" if "id" in values else place
    return _question(values, key, _context(_get(values, "context", str, named), named), named)


def _of_articles(source: str, reading: LabelledReading) -> Iterator[QuestionExample]:
    articles = _get(_read_json(Path(source), reading), "data", list, source)
    for number, article in enumerate(articles, start=1):
        place = f"{source}, article {number}"
        for row, paragraph in enumerate(_get(article, "paragraphs", list, place), start=1):
            inner = f"{place}, paragraph {row}"
            context = _context(_get(paragraph, "context", str, inner), inner)
            for question in _get(paragraph, "qas", list, inner):
                key = str(_get(question, "id", object, f"a question of {inner}"))
                yield _question(question, key, context, f"{source}, question {key}")


def _of_rows(source: str, reading: LabelledReading) -> Iterator[QuestionExample]:
    for number, row in enumerate(read_table(source, reading), start=1):
        yield row_question(row, number)


def _question(values: Mapping[str, Any], key: str, context: str, place: str) -> QuestionExample:
    text = checked_text(_get(values, "question", str, place), "question", place)
    return QuestionExample(key, text, context, _answers(values, place), place)


def _answers(values: Mapping[str, Any], place: str) -> tuple[Answer, ...] | None:
    """Read answers; where a file does not say that there is none, none is known."""
    listed, is_row = values.get("answers"), False
    if isinstance(listed, Mapping):  # as in the datasets of the hub: a column of each
        listed, is_row = _by_row(listed, place), True
    answers = tuple(_listed(listed or (), place))
    has_none = values.get("is_impossible")
    if has_none and answers:
        remedy = "What only seems right is plausible_answers."
        raise must(place, "have no answers where is_impossible is true", answers[0].text, remedy)
    if answers or has_none or (is_row and has_none is None):
        return answers
    if has_none is False:
        remedy = "Where the context has none, is_impossible is true."
        raise must(place, "have an answer where is_impossible is false", "none", remedy)
    return None


def _by_row(columns: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    texts, starts = (_get(columns, name, list, place) for name in ("text", "answer_start"))
    if len(texts) != len(starts):
        got = f"{len(texts)} and {len(starts)}"
        raise must(place, "have as many texts of answers as starts", got, "Repair the row.")
    pairs = zip(texts, starts, strict=True)
    return [{"text": text, "answer_start": start} for text, start in pairs]


def _listed(answers: Any, place: str) -> Iterator[Answer]:
    if isinstance(answers, str) or not isinstance(answers, Sequence):
        remedy = 'Write {"text": [...], "answer_start": [...]}.'
        raise must(place, "have a list of answers", answers, remedy)
    for answer in answers:
        text = checked_text(_get(answer, "text", str, place), "text", place)
        start = _get(answer, "answer_start", int, place)
        if not text.strip():
            remedy = "A question without an answer has none in its list."
            raise must(place, "have answers of some text", text, remedy)
        yield Answer(text, start)


def _context(text: str, place: str) -> str:
    if not text.strip():
        raise must(place, "have a context", text, "An answer is a part of it.")
    return checked_text(text, "context", place)


def _aligned(
    examples: Sequence[QuestionExample], source: str, *, leaves_out: bool
) -> list[QuestionExample]:
    """Refuse answers that are not where they are said to be, or leave them out.

    A question that loses all of its answers is left out, too: it has one, at an unknown place.
    """
    misplaced = [
        (example, answer)
        for example in examples
        for answer in example.answers or ()
        if not _is_there(answer, example.context)
    ]
    if not misplaced:
        return list(examples)
    if not leaves_out:
        raise _misplaced(*misplaced[0], count=len(misplaced))
    kept = []
    for example in examples:
        there = tuple(each for each in example.answers or () if _is_there(each, example.context))
        if there or not example.answers:
            kept.append(example._replace(answers=example.answers and there))
    logger.warning(
        "%s: left out %s not found where the context should have them, and %s left with none.",
        source,
        counted(len(misplaced), "answer"),
        counted(len(examples) - len(kept), "question"),
    )
    return kept


def _is_there(answer: Answer, context: str) -> bool:
    return answer.start >= 0 and context.startswith(answer.text, answer.start)


def _misplaced(example: QuestionExample, answer: Answer, *, count: int) -> UserError:
    start = max(0, answer.start)
    got = example.context[start : start + len(answer.text)][:40]
    rule = f"have the answer {answer.text[:40]!r} at character {answer.start} of its context"
    remedy = (
        f"Of all answers {count:,} are not where they are said to be: repair the file, or give "
        "--data.reading.misplaced_answers leave_out."
    )
    return must(example.place, rule, got, remedy)


def _read_json(path: Path, reading: LabelledReading) -> Any:
    if not path.is_file():
        raise must("the file of questions", "exist", str(path), "Give the path of one.")
    with open_bytes(path) as file:
        text = "".join(decode(file, name=str(path), reading=reading.as_plain()))
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{path} must be valid JSON, and is not: {error}. Fetch it again; a file of one row a "
            "line is a .jsonl."
        ) from error


def _get(values: Any, name: str, kind: type[T], place: str) -> T:
    """Give an entry of an object in a file.

    Raises:
        UserError: If it is not there, or of another kind.
    """
    if not isinstance(values, Mapping):
        raise must(place, f"be an object with the entry {name!r}", values, "Repair the file.")
    value = values.get(name)
    if value is None:
        known = ", ".join(str(key) for key in values if values[key] is not None) or "nothing"
        raise must(place, f"have the entry {name!r}", known, "SQuAD's files have it.")
    if not isinstance(value, kind) or isinstance(value, bool):
        wanted = {str: "text", int: "a whole number"}.get(kind, "a list")
        raise must(f"{name!r} of {place}", f"be {wanted}", value, "Repair the file.")
    return value
