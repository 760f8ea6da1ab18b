"""From the lines of documents to their paragraphs.

In: lines, with None where a document ends. Out: paragraphs, with None where a document ends. A
sentence never reaches over a paragraph's end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice, pairwise

from lit_roberta.data.text.lines import ends_like_sentence
from lit_roberta.data.text.sources import Lines
from lit_roberta.data.text.words import UNSPACED

_LONG_BLOCK = 20  # lines
_LONGEST_PARAGRAPH = 1_000_000
"""Characters, after which a line's end is a paragraph's; a text without any end has to fit."""


def wrap_width(lines: Iterable[str]) -> int | None:
    """Find the width at which the lines of a file were wrapped.

    Lines are pieces of sentences, to be joined, where most do not end like one. But where hardly
    any does, and the lines were not filled up to a width either, each is an item of its own: a
    title, a query, a log entry.

    Args:
        lines: The file, or its first lines.

    Returns:
        Characters; 0 if lines are to be joined that were filled up to no width (verse); None if
        each line is a paragraph.
    """
    texts = [line.strip() for line in lines if line.strip()]
    ends = sum(map(ends_like_sentence, texts))
    if 2 * ends >= len(texts):
        return None
    # A percentile and not the longest line, which may be a stray one.
    width = _percentile(Counter(map(len, texts)), int(0.95 * (len(texts) - 1)))
    filled = 2 * sum(_has_room(*pair, width) for pair in pairwise(texts)) < len(texts)
    if 10 * ends < len(texts):
        single = sum(len(text.split(maxsplit=1)) == 1 for text in texts)
        return width if filled and 2 * single <= len(texts) else None
    return width if filled else 0


def join_paragraphs(lines: Iterable[str | None], *, width: int | None) -> Lines:
    """Join wrapped lines to paragraphs, which end at blank lines.

    Many novels have no blank line at all. So in a long block of lines, one that has room for the
    next word within the width ends a paragraph too, unless the next line goes on in lower case.

    Args:
        lines: Lines of documents, None where one ends.
        width: What `wrap_width` finds in the file. None: each line is a paragraph.

    Yields:
        Paragraphs without white space around them, none empty; None where a document ends.
    """
    stripped = (line if line is None else line.strip() for line in lines)
    if width is None:
        yield from (line for line in stripped if line != "")
        return
    for kind, block in groupby(stripped, key=_kind):
        if kind == "end":
            yield None
        elif kind == "text":
            # A block has no None, which mypy can't see.
            yield from _join_block((line for line in block if line is not None), width)


def _kind(line: str | None) -> str:
    if line is None:
        return "end"
    return "text" if line else "blank"


def _join_block(lines: Iterator[str], width: int) -> Iterator[str]:
    """Join the lines between two blank ones."""
    head = list(islice(lines, _LONG_BLOCK + 1))
    is_long = len(head) > _LONG_BLOCK
    paragraph, size = head[:1], len(head[0])
    for line, following in pairwise(chain(head, lines)):
        apart = is_long and _has_room(line, following, width) and not following[0].islower()
        if apart or size > _LONGEST_PARAGRAPH:
            yield _join(paragraph)
            paragraph, size = [], 0
        paragraph.append(following)
        size += len(following)
    yield _join(paragraph)


def _percentile(counts: Counter[int], place: int) -> int:
    """Find what stands at a place of the sorted values."""
    for value in sorted(counts):
        place -= counts[value]
        if place < 0:
            return value
    raise AssertionError("the place lies behind the last value")


def _has_room(line: str, following: str, width: int) -> bool:
    """Tell whether a line has room for the first word of the next one."""
    word = following[0] if UNSPACED.match(following) else following.split(maxsplit=1)[0]
    # One character to spare: some programs count the space behind a word as well.
    return len(line) + 1 + len(word) < width


def _join(lines: Sequence[str]) -> str:
    text = lines[0]
    if len(lines) == 1:
        return text
    if all(map(str.isascii, lines)):
        return " ".join(lines)
    parts = [text]
    for before, line in pairwise(lines):
        unspaced = UNSPACED.match(before[-1]) or UNSPACED.match(line[0])
        parts += [line] if unspaced else [" ", line]
    return "".join(parts)
