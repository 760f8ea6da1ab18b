"""From paragraphs to sentences, by sentencex."""

from __future__ import annotations

from collections.abc import Iterator

import sentencex

_WINDOW = 20_000
"""Characters."""


def segment(paragraph: str, language: str) -> list[str]:
    """Split one paragraph into sentences, and undo two kinds of cuts.

    One is inside of WikiText's ` @.@ ` (a decimal point), the other before a piece without a
    letter, such as a closing quotation mark.

    Args:
        paragraph: The text.
        language: ISO 639 code.

    Returns:
        Sentences without white space around them; none is empty.
    """
    sentences: list[str] = []
    for piece in _windows(paragraph, language):
        decimal = piece.startswith("@") and bool(sentences) and sentences[-1].endswith("@.")
        if sentences and (decimal or not any(map(str.isalnum, piece))):
            sentences[-1] += piece
        else:
            sentences.append(piece)
    return [text for sentence in sentences if (text := sentence.strip())]


def _windows(paragraph: str, language: str) -> Iterator[str]:
    """Feed sentencex a window at a time: its time grows with the square of the length."""
    while len(paragraph) > _WINDOW:
        *whole, rest = sentencex.segment(language, paragraph[:_WINDOW])
        if not whole:
            whole, rest = [rest], ""
        yield from whole
        paragraph = rest + paragraph[_WINDOW:]
    yield from sentencex.segment(language, paragraph)
