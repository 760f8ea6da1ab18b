"""MultiRC and ReCoRD: each answer that there may be, beside the text, is right or not.

::

    MultiRC  passage / question answer
    ReCoRD   passage / query with an entity of the passage in its gap

Source: Khashabi et al. 2018; Zhang et al. 2018; the files are those of SuperGLUE.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.benchmarks.layout import Notes, PartName
from lit_roberta.finetuning.benchmarks.marked import LABELS
from lit_roberta.finetuning.benchmarks.rows import PLAIN, name_of
from lit_roberta.finetuning.examples import TextExample
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


def _read(
    path: Path, examples_of: Callable[[TableRow], Iterator[TextExample]]
) -> list[TextExample]:
    examples: list[TextExample] = []
    for row in read_table(str(path), PLAIN):
        try:
            examples += examples_of(row)
        except (KeyError, TypeError, AttributeError) as error:
            rule = "be a passage with its questions, as SuperGLUE has them"
            got = f"{type(error).__name__}: {error}"
            raise must(f"{row.place},", rule, got, "Is it the file of another task?") from error
    return examples


def _answers(row: TableRow, *, is_labelled: bool) -> Iterator[TextExample]:
    passage = row.values["passage"]
    text = " ".join(_NUMBER_OF_SENTENCE.sub(" ", passage["text"]).split())
    for number, question in enumerate(passage["questions"], start=1):
        group = f"{row.place}, question {number}"
        asked = checked_text(question["question"], "question", group)
        for place, answer in _numbered(question["answers"], group):
            if is_labelled and "label" not in answer:
                raise must(f"{place},", "have a label", "none", "Repair the row.")
            name = label_name(answer.get("label"), "label", place)
            said = checked_text(answer["text"], "text", place)
            label = None if name is None else name_of(name, LABELS, place)
            yield TextExample(text, f"{asked} {said}", label, place, group, said)


def _numbered(
    answers: Sequence[Mapping[str, Any]], group: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, answer in enumerate(answers, start=1):
        yield f"{group}, answer {number}", answer


def _fillings(row: TableRow, *, is_labelled: bool) -> Iterator[TextExample]:
    passage = row.values["passage"]
    whole = checked_text(passage["text"], "passage", row.place)
    text = _HIGHLIGHT.sub(" ", whole).strip()
    # the last character counts in; an entity may stand in several places
    spans = [(each["start"], each["end"] + 1) for each in passage["entities"]]
    entities = list(dict.fromkeys(whole[start:end] for start, end in spans))
    for number, query in enumerate(row.values["qas"], start=1):
        place = f"{row.place}, query {number}"
        asked = checked_text(query["query"], "query", place)
        if _GAP not in asked:
            raise must(f"{place},", f"have the gap {_GAP}", asked, "Repair the row.")
        answers = query["answers"] if is_labelled else query.get("answers")
        right = None if answers is None else {answer["text"] for answer in answers}
        for entity in entities:
            label = None if right is None else LABELS[entity in right]
            yield TextExample(text, asked.replace(_GAP, entity), label, place, place, entity)
