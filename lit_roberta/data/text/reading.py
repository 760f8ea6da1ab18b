"""How text is to be read: the settings, and the way from bytes to lines.

In: bytes of a file. Out: its text and its lines. It does not know what a document or a sentence
is.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from lit_roberta.errors import UserError, must

Document = list[str]
"""The sentences of a document, in order; none is empty."""

SentenceSplitter = Literal["auto", "lines", "sentencex"]

BOUNDARIES = ("auto", "blank-line", "file", "row", "wikitext", "gutenberg")
_RULE = f"be {', '.join(BOUNDARIES)} or a regular expression"
# In this order: UTF-32's little-endian mark begins with that of UTF-16.
_MARKS = (
    ("utf-32", (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    ("utf-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
)
_NOT_FOR_FILES = ("idna", "punycode", "undefined")
"""Codecs for names of hosts, and one that always fails."""


@dataclass(frozen=True, kw_only=True)
class ReadingConfig:
    """How the files of a corpus become documents of sentences."""

    document_boundary: str = "auto"
    """Where a document ends: auto, blank-line, file, row (a line of the file), wikitext (a title
    such as " = Title = "), gutenberg (between the START and END marks of Project Gutenberg), or
    a regular expression: a line where it matches starts a document, and is dropped if it matches
    all of the line."""
    sentence_splitter: SentenceSplitter = "auto"
    """Where a sentence ends: at the end of a line, or where sentencex finds it. auto takes lines
    if most end like a sentence, hold one sentence, and the median is at most 40 words."""
    language: str = "en"
    """ISO 639 code of the language, for sentencex."""
    encoding: str = "utf-8"
    """How the files are encoded; a byte order mark is dropped."""
    errors: Literal["strict", "replace"] = "strict"
    """Whether a byte that can't be decoded is an error, or becomes U+FFFD and is counted."""
    text_column: str = "text"
    """The field of a .jsonl row that holds its text."""

    def __post_init__(self) -> None:
        if not self.document_boundary:
            raise must("data.reading.document_boundary", "be a name or a pattern", "", "Try auto.")
        close = get_close_matches(self.document_boundary.replace("_", "-"), BOUNDARIES, cutoff=0.7)
        if self.document_boundary not in BOUNDARIES and close:
            # As a regular expression a slip of the pen would match some line or other.
            remedy = f"Did you mean {close[0]}?"
            raise must("data.reading.document_boundary", _RULE, self.document_boundary, remedy)
        try:
            re.compile(self.document_boundary)
        except re.error as error:
            remedy = f"As a regular expression it fails: {error}."
            raise must(
                "data.reading.document_boundary", _RULE, self.document_boundary, remedy
            ) from error
        if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", self.language):
            # sentencex takes any string and falls back to English without a word.
            rule = "be an ISO 639 code"
            raise must("data.reading.language", rule, self.language, "For English, give en.")
        if not _is_text_encoding(self.encoding):
            rule = "be the name of a text encoding"
            remedy = "Try utf-8, cp1252 or latin-1."
            raise must("data.reading.encoding", rule, self.encoding, remedy)


def decode(data: bytes, *, name: str, reading: ReadingConfig) -> str:
    """Turn the bytes of a file into text.

    Args:
        data: All bytes of the file.
        name: The file, for messages.
        reading: Its `encoding` and `errors` are used.

    Returns:
        The text, without byte order mark.

    Raises:
        UserError: If the file is binary, or a byte does not fit the encoding.
    """
    encoding = codecs.lookup(reading.encoding).name
    _require_own_mark(data, name=name, encoding=encoding)
    if not encoding.startswith(("utf-16", "utf-32")) and b"\0" in data:
        raise _binary(name, f"a zero byte at offset {data.index(0)}")
    text = _decode(data, name=name, encoding=encoding, errors=reading.errors)
    if "\0" in text:
        raise _binary(name, f"a NUL character at character {text.index(chr(0))}")
    return text


def _is_text_encoding(encoding: str) -> bool:
    try:
        b"a".decode(encoding, "ignore")
        return codecs.lookup(encoding).name not in _NOT_FOR_FILES
    except (LookupError, ValueError):  # UnicodeError is a ValueError, too
        return False


def _require_own_mark(data: bytes, *, name: str, encoding: str) -> None:
    """Refuse a file whose byte order mark is that of another encoding."""
    marked = next((family for family, marks in _MARKS if data.startswith(marks)), None)
    if marked is not None and not encoding.startswith(marked):
        raise UserError(
            f"{name} must be {encoding} text, got a {marked.upper()} byte order mark. "
            f"Give data.reading.encoding: {marked}."
        )


def _binary(name: str, found: str) -> UserError:
    return UserError(f"{name} must be a text file, got {found}: it is binary. Give plain text.")


def _decode(data: bytes, *, name: str, encoding: str, errors: str) -> str:
    start = len(codecs.BOM_UTF8) if encoding == "utf-8" and data.startswith(codecs.BOM_UTF8) else 0
    try:
        return data[start:].decode(encoding, errors)
    except UnicodeDecodeError as error:
        offset = start + error.start
        line = len(split_lines(data[start:offset].decode(encoding, "replace")))
        raise UserError(
            f"{name} must be {encoding} text, got byte 0x{data[offset]:02X} at offset {offset} "
            f"(line {line}). Give its data.reading.encoding (cp1252 is common), or "
            "data.reading.errors: replace."
        ) from error


def split_lines(text: str) -> list[str]:
    r"""Cut a text into lines, which end at \n, \r\n or a lone \r and nothing else.

    `str.splitlines` also cuts at form feeds, U+2028 and six more, which text from the web holds
    inside of sentences; labels and line numbers then no longer fit.

    Example:
        >>> split_lines("one\r\ntwo\rthree\u2028still three\n")
        ['one', 'two', 'three\u2028still three', '']
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
