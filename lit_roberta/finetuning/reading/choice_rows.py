"""Rows of texts of which one is to be chosen: COPA's, SWAG's, and one's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.reading.config import LABEL_COLUMNS, TEXT_COLUMNS, LabelledReading
from lit_roberta.finetuning.reading.copa import copa_choices
from lit_roberta.finetuning.reading.right_choice import choice_example, label_place
from lit_roberta.finetuning.reading.tables import TableRow, find_column
from lit_roberta.finetuning.reading.texts import checked_text

LIST = "choices"
"""The column of a list of choices."""

_COPA = {"premise", "question", "choice1", "choice2"}
_SWAG = {"sent1", "sent2", "ending0"}
_NUMBERED = re.compile(r"(?:choice|ending)(\d+)")

Choices = list[tuple[str, str | None]]


def row_example(row: TableRow, reading: LabelledReading) -> ChoiceExample:
    """Read a row.

    Args:
        row: With the columns of one of the forms.
        reading: Names of the columns of the text and of the label, where they are others.

    Raises:
        UserError: If a column is missing, or what is in it is no text. Names the line.
    """
    label = find_column("label_column", LABEL_COLUMNS, row, reading)
    number = None if label is None else label_place(row.values[label], label, row.place)
    return choice_example(_choices_of(row, reading), number, row.place)


def unlabelled_choices(row: TableRow, reading: LabelledReading) -> ChoiceExample:
    """Read a row whose label, if there is one, is not looked at.

    Raises:
        UserError: As `row_example`.
    """
    return choice_example(_choices_of(row, reading), None, row.place)


def _choices_of(row: TableRow, reading: LabelledReading) -> Choices:
    values, place = row
    if set(values) >= _COPA:
        premise = checked_text(values["premise"], "premise", place)
        return copa_choices(premise, str(values["question"]), _listed(row), place=place)
    if set(values) >= _SWAG:
        first, beginning = (checked_text(values[name], name, place) for name in ("sent1", "sent2"))
        return [(first, f"{beginning} {ending}".strip()) for ending in _listed(row)]
    column = find_column("text_column", TEXT_COLUMNS, row, reading)
    if column is None:
        return [(choice, None) for choice in _listed(row)]
    text = checked_text(values[column], column, place)
    return [(text, choice) for choice in _listed(row)]


def _listed(row: TableRow) -> list[str]:
    """Give the choices: of a list, or of numbered columns in the order of their numbers."""
    values, place = row
    if LIST in values:
        listed = values[LIST]
        if not isinstance(listed, Sequence) or isinstance(listed, str):
            rule = "hold a list of texts"
            raise must(f"{place}, column {LIST!r},", rule, listed, "Repair the row.")
        return [checked_text(text, LIST, place) for text in listed]
    names = sorted((name for name in values if _number(name) is not None), key=_number)
    if not names:
        known = ", ".join(values)
        remedy = f"Name the choices choice0, choice1, ..., or give a list as {LIST}."
        raise must(f"{place},", "have choices", known, remedy)
    return [checked_text(values[name], name, place) for name in names]


def _number(name: str | None) -> Any:
    found = _NUMBERED.fullmatch(name or "")
    return None if found is None else int(found[1])
