"""Rows of a benchmark's file as texts with labels: which columns, and what a label is called."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.errors import must
from lit_roberta.finetuning.benchmarks.layout import Notes, PartName
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.tables import TableRow, read_table
from lit_roberta.finetuning.reading.texts import checked_text, finite_number, label_name

PLAIN = LabelledReading(quoting="plain")
"""Quotes are characters like any other: read as quotes, they swallow rows."""

WITHOUT_HEADER = LabelledReading(quoting="plain", header=False)


@dataclass(frozen=True, kw_only=True)
class RowReader:
    """Reads the files of one task."""

    text: str
    """The column of the text."""
    pair: str | None = None
    label: str = "label"
    unnamed: tuple[str, str] | None = None
    """Numbers of the text's and the label's column where a file has no header."""
    labels: tuple[str, ...] = ()
    """In the order of their numbers; none for a task whose labels are numbers."""
    drops_malformed: bool = False
    """Whether rows with too many fields or too few are left out, and counted."""

    def __call__(self, path: Path, part: PartName, notes: Notes) -> list[TextExample]:
        """Read a file. One of test without the label's column is unlabelled.

        Raises:
            UserError: If a column is missing, or a label is none of the task's. Names the line.
        """
        text, label, reading = self.text, self.label, PLAIN
        if self.unnamed is not None and not _has_header(path, text):
            text, label = self.unnamed
            reading = WITHOUT_HEADER
        needed = [text, *([self.pair] if self.pair else []), *([] if part == "test" else [label])]
        malformed: list[str] = []
        examples = []
        for row in read_table(str(path), reading, malformed if self.drops_malformed else None):
            require_columns(row, needed)
            examples.append(self._example(row, text, label))
        if malformed:
            notes.append(
                f"{len(malformed):,} malformed rows left out, the first at {malformed[0]}."
            )
        return examples

    def _example(self, row: TableRow, text: str, label: str) -> TextExample:
        values, place = row
        pair = self.pair
        return TextExample(
            text=checked_text(values[text], text, place),
            pair=None if pair is None else checked_text(values[pair], pair, place),
            label=self._label(values.get(label), label, place),
            place=place,
        )

    def _label(self, value: Any, column: str, place: str) -> str | float | None:
        name = label_name(value, column, place)
        if name is None:
            return None
        return name_of(name, self.labels, place) if self.labels else finite_number(name, place)


def require_columns(row: TableRow, names: list[str]) -> None:
    """Refuse a row that lacks a column.

    Raises:
        UserError: Names the first.
    """
    for name in names:
        if name not in row.values:
            known = ", ".join(row.values)
            remedy = "Is it the file of another task?"
            raise must(f"{row.place},", f"have the column {name!r}", known, remedy)


def refuse_columns(row: TableRow, reading: LabelledReading) -> None:
    """Refuse names of columns where a row is read by those of its benchmark.

    Raises:
        UserError: Names the first setting.
    """
    for name in ("text_column", "pair_column", "label_column"):
        if getattr(reading, name) is not None:
            remedy = f"The row at {row.place} is read by the columns of its benchmark."
            raise must(reading.setting(name), "be left out", getattr(reading, name), remedy)


def name_of(value: str, labels: tuple[str, ...], place: str) -> str:
    """Give the name of a label that a file has by its name or by its number.

    Raises:
        UserError: If it is neither. Names its place.
    """
    numbers = {str(number): name for number, name in enumerate(labels)}
    name = value if value in labels else numbers.get(value)
    if name is None:
        known = ", ".join(f"{name} ({number})" for number, name in numbers.items())
        raise must(f"the label at {place}", f"be one of {known}", value, "Repair the row.")
    return name


def _has_header(path: Path, name: str) -> bool:
    return name in next(islice(read_lines(path, PLAIN.as_plain()), 1), "").split("\t")
