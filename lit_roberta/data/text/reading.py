"""How text is to be read: the settings."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar, Literal, NamedTuple

from lit_roberta.errors import must

Document = list[str]
"""The sentences of a document, in order; none is empty."""

SentenceSplitter = Literal["auto", "lines", "sentencex"]

BOUNDARIES = ("auto", "blank-line", "file", "row", "wikitext", "gutenberg")
_RULE = f"be {', '.join(BOUNDARIES)} or a regular expression"
_NOT_FOR_FILES = ("idna", "punycode", "undefined")
"""Codecs for names of hosts, and one that always fails."""


class Advice(NamedTuple):
    """What a person can do about text that can't be read: what it is called where they are."""

    column: str = "data.reading.text_column"
    """What names the column of the text."""
    encoding: str = "Give data.reading.encoding: {}."
    """For a file whose encoding is known."""
    undecodable: str = (
        "Give its data.reading.encoding (cp1252 is common), or data.reading.errors: replace."
    )
    """For bytes that do not fit."""
    half: str = "Repair the row, or give data.reading.errors: replace."
    """For half a surrogate pair."""


@dataclass(frozen=True, kw_only=True)
class ReadingConfig:
    """How the files of a corpus become documents of sentences."""

    advice: ClassVar[Advice] = Advice()

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
    """The column of .jsonl, .csv, .tsv, .parquet and hub rows that holds their text."""

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


def _is_text_encoding(encoding: str) -> bool:
    try:
        b"a".decode(encoding, "ignore")
        return codecs.lookup(encoding).name not in _NOT_FOR_FILES
    except (LookupError, ValueError):  # UnicodeError is a ValueError, too
        return False
