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
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


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
        try:
            b"a".decode(self.encoding, "ignore")
        except LookupError as error:
            rule = "be the name of a text encoding"
            remedy = "Try utf-8, cp1252 or latin-1."
            raise must("data.reading.encoding", rule, self.encoding, remedy) from error


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
    if not encoding.startswith(("utf-16", "utf-32")):
        if data.startswith(_UTF16_MARKS):
            raise UserError(
                f"{name} must be {encoding} text, got a UTF-16 byte order mark. "
                "Give data.reading.encoding: utf-16."
            )
        if b"\0" in data:
            raise UserError(
                f"{name} must be a text file, got a zero byte at offset {data.index(0)}: "
                "it is binary. Give plain text."
            )
    start = len(codecs.BOM_UTF8) if encoding == "utf-8" and data.startswith(codecs.BOM_UTF8) else 0
    try:
        return data[start:].decode(encoding, reading.errors)
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
