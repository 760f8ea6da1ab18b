"""Text that nobody has cut into words, as words that know where they stand."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_JOINS = "'\u2019-."
"""What stands inside of a word, too: don't, well-known, U.S, 3.5."""
_HEADS = "@#"
"""What a name or a topic begins with."""
_WORD = re.compile("h?w+(?:jw+)*|[^s]")


class TextWord(NamedTuple):
    """A word of a text."""

    text: str
    start: int
    """Characters of the text before it."""


def split_words(text: str) -> list[TextWord]:
    """Cut a text into words, as files of tagged sentences mostly do.

    A word is a run of characters that are neither space nor punctuation nor symbol, with single
    apostrophes, hyphens and dots inside, and with the @ or # before it. Each other character but
    space is a word of its own.

    Example:
        >>> [word.text for word in split_words("@ann's in the U.S., isn't she?")]
        ["@ann's", 'in', 'the', 'U.S', '.', ',', "isn't", 'she', '?']
    """
    kinds = "".join(map(_kind, text))
    return [
        TextWord(text[each.start() : each.end()], each.start()) for each in _WORD.finditer(kinds)
    ]


def _kind(character: str) -> str:
    if character.isspace():
        return "s"
    if character in _JOINS:
        return "j"
    if character in _HEADS:
        return "h"
    is_other = unicodedata.category(character)[0] in "PS" and character != "_"
    return "p" if is_other else "w"
