"""Rows of .jsonl, .csv, .tsv and .parquet files: one of their columns is the text.

In: a file. Out: the text of each row, one at a time. It does not know what a document or a
sentence is.
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, cast

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.data.text.files import COMPRESSED, kind_of, open_bytes
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError

_LONGEST_FIELD = 2**31 - 1
"""Characters; the csv module stops at 131,072 otherwise, which an article can have."""
_ROWS = 256


def read_rows(path: Path, reading: ReadingConfig) -> Iterator[str]:
    """Read the text of every row of a file.

    Args:
        path: A file that `ROW_KINDS` names.
        reading: Its `text_column`, `encoding` and `errors` are used.

    Raises:
        UserError: If the file is damaged, or a row has no text. Names file and line or row.
    """
    return ROW_KINDS[kind_of(path)](path, reading)


def jsonl_texts(lines: Iterable[str], *, name: str, reading: ReadingConfig) -> Iterator[str]:
    """Read one JSON object a line. Blank lines are not rows.

    Raises:
        UserError: If a line is not a JSON object, or its column is missing or no text.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            place = f"{name}, line {number},"
            row = _parse(line, place=place)
            _require_column(row, place=place, reading=reading)
            yield checked_text(row[reading.text_column], place=place, reading=reading)


def checked_text(text: object, *, place: str, reading: ReadingConfig) -> str:
    """Refuse what is no text, or no encoding can write.

    Args:
        text: A value of the text column.
        place: File and line, for messages.
        reading: Its `errors` decides on half a surrogate pair, which JSON can spell.

    Raises:
        UserError: If it is null, a number, or half a surrogate pair.
    """
    if not isinstance(text, str):
        raise UserError(
            f"{place} must hold text in the column {reading.text_column!r}, got "
            f"{json.dumps(text, default=str)[:40]}. Give a column of text as "
            f"{reading.advice.column}, or leave such rows out."
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        if reading.errors == "replace":
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        half = f"\\u{ord(text[error.start]):04x}"
        raise UserError(
            f"{place} must be text, got {half}, half of a surrogate pair. {reading.advice.half}"
        ) from error
    return text


def _read_jsonl(path: Path, reading: ReadingConfig) -> Iterator[str]:
    return jsonl_texts(read_lines(path, reading), name=str(path), reading=reading)


def _parse(line: str, *, place: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{place} must be valid JSON, got {line.strip()[:40]!r}. The parser says: {error}."
        ) from error
    if not isinstance(row, dict):
        raise UserError(
            f"{place} must be a JSON object, got {line.strip()[:40]!r}. "
            'Write a row as {"text": "..."}.'
        )
    return row


def _require_column(columns: Iterable[str], *, place: str, reading: ReadingConfig) -> None:
    columns = list(columns)
    if reading.text_column not in columns:
        raise UserError(
            f"{place} must have the column {reading.text_column!r}, got the columns "
            f"{', '.join(columns) or 'none'}. Give one of them as {reading.advice.column}."
        )
    if columns.count(reading.text_column) > 1:
        raise UserError(
            f"{place} must have the column {reading.text_column!r} once, got the columns "
            f"{', '.join(columns)}. Rename the one that is not meant."
        )


def _read_separated(path: Path, reading: ReadingConfig, *, delimiter: str) -> Iterator[str]:
    """Read rows below a line of column names, quoted as RFC 4180 says."""
    csv.field_size_limit(_LONGEST_FIELD)
    lines = (line + "\n" for line in read_lines(path, reading))
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        header = next((row for row in rows if row), None)
        if header is None:
            return
        _require_column(header, place=f"{path}, line {rows.line_num},", reading=reading)
        column = header.index(reading.text_column)
        for row in rows:
            if row:
                yield _field(row, column, header, place=f"{path}, line {rows.line_num},")
    except csv.Error as error:
        raise UserError(
            f"{path}, line {rows.line_num}, must be a row of separated values, and is not: "
            f"{error}. Quote a field that holds a delimiter, a quote or a line end."
        ) from error


def _field(row: Sequence[str], column: int, header: Sequence[str], *, place: str) -> str:
    if len(row) != len(header):
        raise UserError(
            f"{place} must have {len(header)} fields as the first line has, got {len(row)}. "
            "Quote a field that holds a delimiter."
        )
    return row[column]


def _read_parquet(path: Path, reading: ReadingConfig) -> Iterator[str]:
    for number, row in enumerate(read_parquet_rows(path, reading=reading), start=1):
        place = f"{path}, row {number},"
        yield checked_text(row[reading.text_column], place=place, reading=reading)


def read_parquet_rows(
    path: Path, *, reading: ReadingConfig | None = None
) -> Iterator[dict[str, Any]]:
    """Read the rows of a Parquet file.

    Args:
        path: The file; `.gz` and `.zst` are unpacked.
        reading: Its `text_column` is the only one that is read. None: all columns.

    Raises:
        UserError: If it can't be read as one, or has no such column.
    """
    # A large import, for those who ask.
    import pyarrow as arrow
    from pyarrow import parquet

    with _seekable(path) as file:
        try:
            with parquet.ParquetFile(file) as table:
                if reading is not None:
                    _require_column(table.schema_arrow.names, place=str(path), reading=reading)
                columns = None if reading is None else [reading.text_column]
                for batch in table.iter_batches(_ROWS, columns=columns):
                    yield from batch.to_pylist()
        except (arrow.ArrowException, OSError) as error:
            raise UserError(
                f"{path} must be a Parquet file, and can't be read as one: "
                f"{' '.join(str(error).split())[:150]}"
            ) from error


@contextmanager
def _seekable(path: Path) -> Iterator[io.BufferedIOBase]:
    """Open a file that is read back and forth: one that is packed is unpacked on disk."""
    with open_bytes(path) as file:
        if path.suffix.lower() not in COMPRESSED:
            yield file
            return
        with TemporaryFile() as unpacked:
            shutil.copyfileobj(file, unpacked)
            yield cast(io.BufferedIOBase, unpacked)


ROW_KINDS: dict[str, Callable[[Path, ReadingConfig], Iterator[str]]] = {
    ".jsonl": _read_jsonl,
    ".csv": lambda path, reading: _read_separated(path, reading, delimiter=","),
    ".tsv": lambda path, reading: _read_separated(path, reading, delimiter="\t"),
    ".parquet": _read_parquet,
}
"""By suffix: the files in which a row is a document, and how they are read."""
