"""MultiRC and ReCoRD: each answer that there may be, beside the text, is right or not.

::

    MultiRC  passage / question answer
    ReCoRD   passage / query with an entity of the passage in its gap

Source: Khashabi et al. 2018; Zhang et al. 2018; the files are those of SuperGLUE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.benchmarks.layout import Notes, PartName
from lit_roberta.finetuning.benchmarks.marked import LABELS
from lit_roberta.finetuning.benchmarks.rows import PLAIN, name_of, refuse_columns
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.tables import TableRow, read_table
from lit_roberta.finetuning.reading.texts import checked_text, label_name

_NUMBER_OF_SENTENCE = re.compile(r"<b>Sent \d+: </b>|<br>")
_HIGHLIGHT = re.compile(r"\s*@highlight\s*")
_GAP = "@placeholder"


def read_multirc(path: Path, part: PartName, notes: Notes) -> list[TextExample]:
    """Read passages: an example for each answer, those of a question in a group.

    Raises:
        UserError: If a row is none of MultiRC's. Names the line.
    """
    return _read(path, lambda row: _answers(row, is_labelled=part != "test"))


def read_record(path: Path, part: PartName, notes: Notes) -> list[TextExample]:
    """Read passages: an example for each entity in a query's gap, those of a query in a group.

    A query whose answers are none of the entities counts as missed, and is noted.

    Raises:
        UserError: If a row is none of ReCoRD's. Names the line.
    """
    examples = _read(path, lambda row: _fillings(row, is_labelled=part != "test"))
    groups = {example.group for example in examples if example.label is not None}
    groups -= {example.group for example in examples if example.label == LABELS[1]}
    if groups:
        notes.append(
            f"{len(groups):,} of the queries of {path} have answers that are no entities of their "
            "passage: nothing that is said of them is right."
        )
    return examples


def multirc_of_row(row: TableRow, reading: LabelledReading) -> list[TextExample]:
    """Read a row of one's own, or of the hub's copy, which has a row for each answer.

    Raises:
        UserError: If it is none of MultiRC's.
    """
    refuse_columns(row, reading)
    if "passage" in row.values:
        return _checked(row, lambda row: _answers(row, is_labelled=False))
    return _checked(row, _answer_of_row)


def record_of_row(row: TableRow, reading: LabelledReading) -> list[TextExample]:
    """Read a row of one's own, or of the hub's copy, which has a row for each query.

    Raises:
        UserError: If it is none of ReCoRD's.
    """
    refuse_columns(row, reading)
    if "qas" in row.values:
        return _checked(row, lambda row: _fillings(row, is_labelled=False))
    return _checked(row, _fillings_of_row)


def _read(
    path: Path, examples_of: Callable[[TableRow], Iterator[TextExample]]
) -> list[TextExample]:
    rows = read_table(str(path), PLAIN)
    return [example for row in rows for example in _checked(row, examples_of)]


def _checked(
    row: TableRow, examples_of: Callable[[TableRow], Iterator[TextExample]]
) -> list[TextExample]:
    try:
        return list(examples_of(row))
    except (KeyError, TypeError, AttributeError) as error:
        rule = "be a passage with its questions, as SuperGLUE has them"
        got = f"{type(error).__name__}: {error}"
        raise must(f"{row.place},", rule, got, "Is it the file of another task?") from error


def _answers(row: TableRow, *, is_labelled: bool) -> Iterator[TextExample]:
    passage = row.values["passage"]
    text = _without_numbers(passage["text"])
    for number, question in enumerate(passage["questions"], start=1):
        group = f"{row.place}, question {number}"
        asked = checked_text(question["question"], "question", group)
        for place, answer in _numbered(question["answers"], group):
            if is_labelled and "label" not in answer:
                raise must(f"{place},", "have a label", "none", "Repair the row.")
            said = checked_text(answer["text"], "text", place)
            label = _label(answer.get("label"), place)
            yield TextExample(text, f"{asked} {said}", label, place, group, said)


def _answer_of_row(row: TableRow) -> Iterator[TextExample]:
    values, place = row
    names = ("paragraph", "question", "answer")
    text, asked, said = (checked_text(values[name], name, place) for name in names)
    numbers = values["idx"]
    group = f"paragraph {numbers['paragraph']}, question {numbers['question']}"
    label = _label(values.get("label"), place)
    yield TextExample(_without_numbers(text), f"{asked} {said}", label, place, group, said)


def _without_numbers(text: str) -> str:
    return " ".join(_NUMBER_OF_SENTENCE.sub(" ", text).split())


def _label(value: Any, place: str) -> str | None:
    name = label_name(value, "label", place)
    return None if name is None else name_of(name, LABELS, place)


def _numbered(
    answers: Sequence[Mapping[str, Any]], group: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, answer in enumerate(answers, start=1):
        yield f"{group}, answer {number}", answer


def _fillings(row: TableRow, *, is_labelled: bool) -> Iterator[TextExample]:
    passage = row.values["passage"]
    whole = checked_text(passage["text"], "passage", row.place)
    # the last character counts in; an entity may stand in several places
    spans = [(each["start"], each["end"] + 1) for each in passage["entities"]]
    entities = [whole[start:end] for start, end in spans]
    for number, query in enumerate(row.values["qas"], start=1):
        place = f"{row.place}, query {number}"
        asked = _asked(query["query"], place)
        answers = query["answers"] if is_labelled else query.get("answers")
        right = None if answers is None else {answer["text"] for answer in answers}
        yield from _filled(asked, whole, entities, right, place)


def _fillings_of_row(row: TableRow) -> Iterator[TextExample]:
    values, place = row
    whole = checked_text(values["passage"], "passage", place)
    entities = [checked_text(each, "entities", place) for each in values["entities"]]
    right = set(values.get("answers") or ()) or None  # the hub's copy has none in its test part
    yield from _filled(_asked(values["query"], place), whole, entities, right, place)


def _asked(query: Any, place: str) -> str:
    asked = checked_text(query, "query", place)
    if _GAP not in asked:
        raise must(f"{place},", f"have the gap {_GAP}", asked, "Repair the row.")
    return asked


def _filled(
    asked: str, whole: str, entities: Sequence[str], right: Set[str] | None, place: str
) -> Iterator[TextExample]:
    text = _HIGHLIGHT.sub(" ", whole).strip()
    for entity in dict.fromkeys(entities):
        label = None if right is None else LABELS[entity in right]
        yield TextExample(text, asked.replace(_GAP, entity), label, place, place, entity)
