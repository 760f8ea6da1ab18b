"""Rows of a .jsonl file: one JSON object a line, one of its fields the text."""

from __future__ import annotations

import json
from typing import Any

from lit_roberta.data.text.reading import ReadingConfig, split_lines
from lit_roberta.errors import UserError


def read_rows(text: str, *, name: str, reading: ReadingConfig) -> list[str]:
    """Read the text of every row.

    Args:
        text: The file's content. Blank lines are not rows.
        name: The file, for messages.
        reading: Its `text_column` and `errors` are used.

    Returns:
        One text for each row, in order.

    Raises:
        UserError: If a line is not a JSON object, or its column is missing or no text. The
            message names file and line.
    """
    return [
        _read_row(line, place=f"{name}, line {number},", reading=reading)
        for number, line in enumerate(split_lines(text), start=1)
        if line.strip()
    ]


def _read_row(line: str, *, place: str, reading: ReadingConfig) -> str:
    row = _parse(line, place=place)
    column = reading.text_column
    if column not in row:
        found = ", ".join(row) or "none"
        raise UserError(
            f"{place} must have the column {column!r}, got the columns {found}. "
            "Give one of them as data.reading.text_column."
        )
    text = row[column]
    if not isinstance(text, str):
        raise UserError(
            f"{place} must hold text in the column {column!r}, got {json.dumps(text)[:40]}. "
            "Give a column of text as data.reading.text_column, or leave such rows out."
        )
    return _without_surrogates(text, place=place, reading=reading)


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


def _without_surrogates(text: str, *, place: str, reading: ReadingConfig) -> str:
    """Refuse or replace half a surrogate pair, which JSON can spell and no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        if reading.errors == "replace":
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        half = f"\\u{ord(text[error.start]):04x}"
        raise UserError(
            f"{place} must be text, got {half}, half of a surrogate pair. Repair the row, or give "
            "data.reading.errors: replace."
        ) from error
    return text
