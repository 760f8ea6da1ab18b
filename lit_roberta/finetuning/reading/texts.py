"""Rows with a text, or two, and a label: as examples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.reading.config import (
    LABEL_COLUMNS,
    PAIR_COLUMNS,
    TEXT_COLUMNS,
    LabelledReading,
)
from lit_roberta.finetuning.reading.tables import (
    TableRow,
    find_column,
    read_table,
    takes_names,
)

_QUESTIONS = (("question", "sentence"), ("question", "passage"))
"""Columns that are a pair where both are there, as in QNLI and BoolQ: the usual name alone, if
there is one, is half of it."""
_KEPT_BACK = ("-1", -1.0)
NO_PAIR = "none"
"""In the place of a column's name: there is no second text."""


class _Columns(NamedTuple):
    text: str
    pair: str | None
    label: str | None


def read_texts(source: str, reading: LabelledReading) -> list[TextExample]:
    """Read texts with labels by name.

    Args:
        source: As for `read_table`.
        reading: Which columns.

    Raises:
        UserError: If a column is missing, or a text is none. Names the line.
    """
    return list(_examples(source, reading))


def read_numbers(source: str, reading: LabelledReading) -> list[TextExample]:
    """Read texts with numbers.

    Raises:
        UserError: As `read_texts`, and where a number is none, or not finite.
    """
    return [
        example._replace(
            label=None if example.label is None else finite_number(example.label, example.place)
        )
        for example in _examples(source, reading)
    ]


def checked_text(value: Any, column: str, place: str) -> str:
    """Refuse what is no text.

    Raises:
        UserError: If it is another kind of value, or half a surrogate pair, which JSON can spell.
    """
    if not isinstance(value, str):
        raise must(f"{place}, column {column!r},", "hold text", value, "Repair the row.")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = f"\\u{ord(value[error.start]):04x}"
        remedy = "It stands for no character: repair the row."
        raise must(f"{place}, column {column!r},", "be text in UTF-8", half, remedy) from error
    return value


def label_name(value: Any, column: str, place: str) -> str | None:
    """Give the name of a label, without space around it and on one line; None for none.

    A table writes NaN where a number is missing.

    Raises:
        UserError: If it is a list, say, which is no name.
    """
    if isinstance(value, str):
        return " ".join(value.split()) or None
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int | float):
        return str(value)
    raise must(f"{place}, column {column!r},", "hold a label", value, "Repair the row.")


def label_names(asked: Sequence[Any] | None, *, setting: str = "data.labels") -> list[str] | None:
    """Give names of labels as a file of settings or a command line has them.

    Args:
        asked: Numbers are names, as in files of examples. None: not asked for.
        setting: What they were given as, for messages.

    Raises:
        UserError: If one is true or false, which YAML reads where yes, no, on or off is written;
            if one is empty, or there twice.
    """
    if asked is None:
        return None
    if any(isinstance(each, bool) for each in asked):
        remedy = 'YAML reads yes, no, on, off, true and false as those: write \'["yes", "no"]\'.'
        raise must(setting, "be names in quotes", list(asked), remedy)
    names = [label_name(each, "", setting) for each in asked]
    if None in names or len(set(names)) < len(names):
        raise must(setting, "name each label once", list(asked), "Repair the list.")
    return [str(name) for name in names]


def named_by_number(examples: Sequence[Any], labels: Sequence[str]) -> list[Any]:
    """Give labels that are numbers their names, as copies of benchmarks on the hub have them.

    Args:
        examples: Of a benchmark's task; those whose labels are no numbers stay as they are.
        labels: Of the task, in the order of their numbers; none for one that learns numbers.

    Returns:
        The examples; -1, which stands there for a label that is kept back, is none.
    """
    names: dict[Any, str | None] = {str(number): name for number, name in enumerate(labels)}
    names |= dict.fromkeys(_KEPT_BACK) | {name: name for name in labels}
    return [
        each._replace(label=names.get(each.label, each.label))
        if isinstance(each, TextExample)
        else each
        for each in examples
    ]


def without_kept_back(row: TableRow, reading: LabelledReading) -> TableRow:
    """Take the label out of a row of a benchmark's copy where it is kept back.

    Args:
        row: Of such a copy.
        reading: Names the label's column, where it is another.
    """
    column = reading.label_column or "label"
    is_kept_back = row.values.get(column) in (*_KEPT_BACK, -1)
    return row._replace(values={**row.values, column: None}) if is_kept_back else row


def finite_number(value: object, place: str) -> float:
    """Read a number.

    Raises:
        UserError: If it is none, or not finite.
    """
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        remedy = "Regression learns numbers; for names take data.task classification."
        raise must(f"the label at {place}", "be a number", value, remedy)
    return number


def read_unlabelled(source: str, reading: LabelledReading) -> Iterator[TextExample]:
    """Read texts whose labels, if there are any, are not looked at.

    Raises:
        UserError: As `read_texts`.
    """
    columns: _Columns | None = None
    for row in read_table(source, reading):
        columns = columns or _find_columns(row, reading, source, labelled=False)
        yield _example(row, columns)


def unlabelled(row: TableRow, reading: LabelledReading) -> TextExample:
    """Read the text of a single row, which may have other columns than those beside it.

    Raises:
        UserError: As `read_texts`.
    """
    return _example(row, _find_columns(row, reading, labelled=False))


def _examples(source: str, reading: LabelledReading) -> Iterator[TextExample]:
    columns: _Columns | None = None
    for row in read_table(source, reading):
        columns = columns or _find_columns(row, reading, source)
        yield _example(row, columns)


def _example(row: TableRow, columns: _Columns) -> TextExample:
    values, place = row
    for name in columns:
        if name is not None and name not in values:
            known = ", ".join(values)
            raise must(f"{place},", f"have the column {name!r}", known, "Repair the row.")
    pair, label = columns.pair, columns.label
    return TextExample(
        text=checked_text(values[columns.text], columns.text, place),
        pair=None if pair is None else checked_text(values[pair], pair, place),
        label=None if label is None else label_name(values[label], label, place),
        place=place,
    )


def _find_columns(
    row: TableRow, reading: LabelledReading, source: str = "", *, labelled: bool = True
) -> _Columns:
    known = list(row.values)
    usual: tuple[Sequence[str], ...] = (TEXT_COLUMNS, PAIR_COLUMNS, LABEL_COLUMNS)
    if known == ["1", "2"]:  # without a header
        usual = (["1"], [], ["2"])
    for question, passage in _QUESTIONS:
        if {question, passage} <= set(known) and "text" not in known:
            usual = ([question], [passage], LABEL_COLUMNS)
    text = find_column("text_column", usual[0], row, reading)
    if text is None:
        remedy = f"Give one of them as {reading.option('text_column')}"
        if takes_names(source, reading):
            remedy += f", or {reading.option('header')} false where the first line names none"
        columns = ", ".join(known)
        raise UserError(
            f"{row.place}, must have a column of text, got the columns {columns}. {remedy}."
        )
    pair = None
    if reading.pair_column != NO_PAIR:
        pair = find_column("pair_column", usual[1], row, reading)
    # what nobody looks at may be whatever the file calls a label: a text of a pair, too
    label = find_column("label_column", usual[2], row, reading) if labelled else None
    found = [name for name in (text, pair, label) if name is not None]
    twice = next((name for name in found if found.count(name) > 1), None)
    if twice is not None:
        rule, remedy = "be of different columns", "Name each of them."
        raise must(f"text, pair and label of {row.place}", rule, twice, remedy)
    return _Columns(text, pair, label)
