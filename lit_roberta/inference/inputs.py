"""Texts from a file or from standard input, some thousand at a time.

In: the name of a file, or `-`. Out: windows of texts, in order: large enough that texts of one
length find each other in it, small enough for memory whatever the size of the file. A line is a
text, an empty one too; in `.jsonl`, `.csv`, `.tsv` and `.parquet` a row is.
"""

from __future__ import annotations

import codecs
import io
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeVar, cast

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.data.text.files import COMPRESSED, kind_of
from lit_roberta.data.text.reading import Advice, ReadingConfig
from lit_roberta.data.text.rows import ROW_KINDS, read_rows
from lit_roberta.errors import UserError, must

logger = logging.getLogger(__name__)

STANDARD_INPUT = "-"
_CONVERT = "Convert it, as by iconv -t UTF-8."
WINDOW_TEXTS = 1 << 13
WINDOW_CHARACTERS = 1 << 20
_CHUNK = 1 << 16

T = TypeVar("T")


class OfTexts(ReadingConfig):
    """Messages name what these commands can be given, and no settings of a corpus."""

    advice = Advice(
        column="--text-column",
        encoding="Convert it, as by iconv -f {} -t UTF-8.",
        undecodable=_CONVERT,
        half="Repair the row.",
    )


class _OfGood(OfTexts):
    advice = OfTexts.advice._replace(column="--good-column")


class _OfBad(OfTexts):
    advice = OfTexts.advice._replace(column="--bad-column")


def read_windows(
    source: str,
    *,
    text_column: str = "text",
    characters: int = WINDOW_CHARACTERS,
) -> Iterator[list[str]]:
    """Read texts.

    Args:
        source: A file, also packed as `.gz` or `.zst`; or `-` for lines of standard input, which
            are given on as they arrive.
        text_column: Of rows.
        characters: What a window holds at the most; a longer text is one by itself.

    Raises:
        UserError: If there is no such file, or if it is damaged, binary or not in UTF-8.
    """
    if source == STANDARD_INPUT:
        for lines in _arriving_lines():
            yield from in_windows(lines, characters, size=len)
        return
    path, reading = Path(source), OfTexts(text_column=text_column)
    read = read_rows if kind_of(path) in ROW_KINDS else read_lines
    yield from in_windows(read(path, reading), characters, size=len)


def check_input(source: str) -> None:
    """See that there is something to read, before a model is loaded for it.

    Raises:
        UserError: If there is no such file.
    """
    if not source or (source != STANDARD_INPUT and not os.path.lexists(source)):
        raise must("--input", "be a file, or - for standard input", source, "There is none.")


def holds_rows(source: str) -> bool:
    """Tell whether texts stand in columns there, and are no lines."""
    return source != STANDARD_INPUT and kind_of(Path(source)) in ROW_KINDS


def report_nothing(seen: int, source: str) -> None:
    """Say so where there was no text: an empty output is what a command gives that failed, too.

    Args:
        seen: Texts that were read.
        source: Where from.
    """
    if not seen:
        name = name_of(source)
        logger.info("There was no text in %s.", name)


def count_texts(source: str) -> int | None:
    """Count the lines of a plain file; None where that would take reading it as it is read.

    What comes out of a pipe (`<(...)` in a shell) comes once.
    """
    path = Path(source)
    if holds_rows(source) or path.suffix in COMPRESSED or not path.is_file():
        return None
    count, last = 0, b"\n"
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            count, last = count + chunk.count(b"\n"), chunk[-1:]
    return count + (last != b"\n")


def name_of(source: str) -> str:
    """Name a file or standard input in a message.

    Example:
        >>> name_of("-"), name_of("texts.txt")
        ('standard input', 'texts.txt')
    """
    return "standard input" if source == STANDARD_INPUT else source


def read_pair_windows(
    source: str, *, columns: tuple[str, str], characters: int = WINDOW_CHARACTERS
) -> Iterator[list[tuple[str, str]]]:
    """Read pairs of texts.

    Args:
        source: Rows with two columns; or a file, or `-` for standard input, whose lines are two
            texts with a tab between them.
        columns: Of rows.
        characters: What a window holds at the most.

    Raises:
        UserError: If there is no such file, if it is damaged, or if a line is no pair.
    """
    path = Path(source)
    if holds_rows(source):
        good, bad = _OfGood(text_column=columns[0]), _OfBad(text_column=columns[1])
        pairs = zip(read_rows(path, good), read_rows(path, bad), strict=True)
        yield from in_windows(pairs, characters, size=lambda pair: sum(map(len, pair)))
        return
    number = 0
    for lines in read_windows(source, characters=characters):
        yield [_pair(line, source, number + place) for place, line in enumerate(lines, start=1)]
        number += len(lines)


def _pair(line: str, source: str, number: int) -> tuple[str, str]:
    pair = line.split("\t")
    if len(pair) != 2:
        rule, remedy = "be two texts with a tab between them", "Or give rows with two columns."
        raise must(f"{name_of(source)}, line {number:,},", rule, line[:60], remedy)
    return pair[0], pair[1]


def in_windows(
    items: Iterable[T], characters: int, *, size: Callable[[T], int]
) -> Iterator[list[T]]:
    """Cut a stream into windows.

    Args:
        items: As they come.
        characters: What a window holds at the most; a longer item is one by itself.
        size: Counts the characters of an item.
    """
    window: list[T] = []
    held = 0
    for item in items:
        if window and (len(window) == WINDOW_TEXTS or held + size(item) > characters):
            yield window
            window, held = [], 0
        window.append(item)
        held += size(item)
    if window:
        yield window


def _arriving_lines() -> Iterator[list[str]]:
    """Give the whole lines of each piece that standard input hands out."""
    if sys.stdin is None:
        raise must("standard input", "be open", "a closed one", "Pipe a text into the command.")
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")(), True)
    stream = cast(io.BufferedReader, sys.stdin.buffer)
    number = 1
    unfinished: list[str] = []  # joined once: a line may be of any number of pieces
    while True:
        chunk = stream.read1(_CHUNK)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            byte = f"byte 0x{error.object[error.start]:02X}"
            raise UserError(
                f"standard input must be UTF-8 text, got {byte} behind line {number}. {_CONVERT}"
            ) from error
        if "\0" in text:
            raise UserError(
                f"standard input must be text, got a NUL character behind line {number}: it is "
                "binary. Give plain text."
            )
        *lines, last = text.split("\n")
        if lines:
            lines[0] = "".join([*unfinished, lines[0]])
            unfinished = []
            number += len(lines)
            yield lines
        unfinished.append(last)
        if not chunk:
            if any(unfinished):
                yield ["".join(unfinished)]
            return
