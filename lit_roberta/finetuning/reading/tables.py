"""Files of rows, whatever their kind: each row as named values, with its place.

In: a file, or a dataset of the hub. Out: rows, none lost and none shifted.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.data.text.files import kind_of
from lit_roberta.data.text.hub import HUB, read_hub_rows
from lit_roberta.data.text.rows import read_parquet_rows
from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.reading.config import LabelledReading

_LONGEST_FIELD = 2**31 - 1


class TableRow(NamedTuple):
    """A row of a table."""

    values: Mapping[str, Any]
    place: str
    """File and line, for messages."""


def read_table(
    source: str, reading: LabelledReading, malformed: list[str] | None = None
) -> Iterator[TableRow]:
    """Read the rows of a file.

    Args:
        source: A .csv, .tsv, .txt (as .tsv), .jsonl or .parquet file, the first four also as .gz
            and .zst; or `hub:OWNER/NAME` as for a corpus.
        reading: How.
        malformed: Takes the places of separated rows that have too many fields or too few, which
            are left out. None: the first is an error.

    Raises:
        UserError: If there is no such file, or it is damaged. Names the line.
    """
    if source.startswith(HUB):
        for number, row in enumerate(read_hub_rows(source), start=1):
            yield TableRow(row, f"{source}, row {number}")
        return
    path = Path(source)
    if path.is_dir():
        remedy = "For the folder of a benchmark's task, give --data.folder."
        raise must("the file of examples", "be a file", f"the folder {source}", remedy)
    if not path.is_file():
        raise must("the file of examples", "exist", source, "Give the path of one.")
    kind = kind_of(path)
    if kind not in _KINDS:
        known = ", ".join(_KINDS)
        raise must("the file of examples", f"end in one of {known}", source, "Rename it.")
    if malformed is not None and kind in _SEPARATED:
        yield from _read_separated(path, reading, malformed)
        return
    yield from _KINDS[kind](path, reading)


def holds_rows(source: str) -> bool:
    """Tell whether `read_table` is for a file, by its name."""
    return source.startswith(HUB) or kind_of(Path(source)) in _KINDS


def find_column(
    role: str, usual: Sequence[str], row: TableRow, reading: LabelledReading
) -> str | None:
    """Find the column that is asked for, or else that has a usual name.

    Args:
        role: The setting that asks for it.
        usual: Names, of which the first that is there is taken.
        row: Of the table.
        reading: What is asked for.

    Returns:
        None where nothing is asked for, and none of the usual names is there.

    Raises:
        UserError: If there is no such column.
    """
    asked: str | None = getattr(reading, role)
    if asked is None:
        return next((name for name in usual if name in row.values), None)
    if asked not in row.values:
        remedy = f"There are: {', '.join(row.values)}."
        raise must(reading.setting(role), f"be a column of {row.place}", asked, remedy)
    return asked


def takes_names(source: str, reading: LabelledReading) -> bool:
    """Tell whether the first line of a file is taken for the names of its columns."""
    is_separated = holds_rows(source) and kind_of(Path(source)) in _SEPARATED
    return reading.header and is_separated


def _read_jsonl(path: Path, reading: LabelledReading) -> Iterator[TableRow]:
    for number, line in enumerate(read_lines(path, reading.as_plain()), start=1):
        if not line.strip():
            continue
        yield json_row(line, f"{path}, line {number}")


def json_row(line: str, place: str) -> TableRow:
    """Read a row that is a line of JSON.

    Raises:
        UserError: If it is no object, or names an entry twice.
    """
    try:
        row = json.loads(line, object_pairs_hook=_each_once)
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{place}, must be valid JSON, got {line.strip()[:40]!r}. The parser says: {error}."
        ) from error
    if not isinstance(row, dict):
        remedy = 'Write a row as {"text": "...", "label": "..."}.'
        raise must(f"{place},", "be a JSON object", line.strip()[:40], remedy)
    return TableRow(row, place)


def _each_once(entries: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse to choose between two values of one name, where Python takes the last."""
    found = dict(entries)
    if len(found) < len(entries):
        names = [name for name, _ in entries]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the entry {twice!r} is there twice")
    return found


def _read_parquet(path: Path, reading: LabelledReading) -> Iterator[TableRow]:
    for number, row in enumerate(read_parquet_rows(path), start=1):
        yield TableRow(row, f"{path}, row {number}")


def _read_separated(
    path: Path, reading: LabelledReading, malformed: list[str] | None = None
) -> Iterator[TableRow]:
    is_csv = kind_of(path) == ".csv"
    is_quoted = is_csv if reading.quoting == "auto" else reading.quoting == "quoted"
    lines = read_lines(path, reading.as_plain())
    split = _split_quoted if is_quoted else _split_plain
    names: list[str] | None = None
    for fields, number in split(lines, "," if is_csv else "\t", str(path)):
        if names is None and reading.header:
            names = _column_names(fields, path, reading)
            continue
        names = names or [str(column) for column in range(1, len(fields) + 1)]
        place = f"{path}, line {number}"
        if len(fields) != len(names) and malformed is not None:
            malformed.append(place)
            continue
        if len(fields) != len(names):
            first = "the first line" if reading.header else "the first row"
            raise UserError(
                f"{place}, must have {len(names)} fields as {first} has, got {len(fields)}. "
                + _remedy(is_quoted, is_csv, reading.option("quoting"), len(names) - len(fields))
            )
        yield TableRow(dict(zip(names, fields, strict=True)), place)


def _remedy(is_quoted: bool, is_csv: bool, option: str, missing: int) -> str:
    if missing > 0:
        return f"Put a {'comma' if is_csv else 'tab'} between fields, also where one is empty."
    if is_quoted:
        return "Quote a field that holds a delimiter."
    if is_csv:
        return f"A comma inside a text needs quotes: {option} quoted."
    return f"Take the tab out of the text, or quote it and give {option} quoted."


def _column_names(fields: list[str], path: Path, reading: LabelledReading) -> list[str]:
    for name in fields:
        if fields.count(name) > 1:
            rule = "name each column once in its first line"
            remedy = f"Without such a line: {reading.option('header')} false."
            raise must(str(path), rule, name, remedy)
    return fields


def _split_plain(
    lines: Iterable[str], delimiter: str, name: str
) -> Iterator[tuple[list[str], int]]:
    for number, line in enumerate(lines, start=1):
        if line:
            yield line.split(delimiter), number


def _split_quoted(
    lines: Iterable[str], delimiter: str, name: str
) -> Iterator[tuple[list[str], int]]:
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
    number = 1
    try:
        for row in rows:
            if row:
                yield row, number  # where it begins: a quoted field may hold line ends
            number = rows.line_num + 1
    except csv.Error as error:
        raise UserError(
            f"{name}, line {number}, must be a row of separated values, and is not: {error}. "
            "Quote a field that holds a delimiter, a quote or a line end."
        ) from error


_SEPARATED = (".csv", ".tsv", ".txt")

_KINDS: dict[str, Callable[[Path, LabelledReading], Iterator[TableRow]]] = {
    ".csv": _read_separated,
    ".tsv": _read_separated,
    ".txt": _read_separated,
    ".jsonl": _read_jsonl,
    ".parquet": _read_parquet,
}
