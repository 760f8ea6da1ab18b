"""From lines to paragraphs to sentences.

In: the lines of a document. Out: its sentences. Prose is split by sentencex, a paragraph at a
time, so a sentence never reaches over a paragraph's end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median
from typing import Literal

import sentencex

from lit_roberta.data.text.reading import Document
from lit_roberta.data.text.words import UNSPACED, count_words

Splitter = Literal["lines", "sentencex"]

MOST_WORDS = 40
"""A line is not taken for a sentence where the median line has more words than this."""

_ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f\uff0e\u061f\u06d4\u0964\u0965\u0589\u1362\u1367")
_CLOSERS = "\"'\u201d\u2019\u00bb\u300d\u300f\uff09)]}*_` "
_LONGEST_PARAGRAPH = 20  # lines
_SAMPLE = 1000
_WINDOW = 20_000


def ends_like_sentence(line: str) -> bool:
    """Tell whether a line ends in a full stop, question or exclamation mark of any common script.

    Example:
        >>> ends_like_sentence('"Is he married?" '), ends_like_sentence("First Citizen:")
        (True, False)
    """
    return line.rstrip().rstrip(_CLOSERS)[-1:] in _ENDS


@dataclass(frozen=True)
class LineEvidence:
    """What the lines of a corpus look like, for the choice between lines and sentencex."""

    end_share: float
    """Share of lines that end like a sentence."""
    single_share: float
    """Share of lines in which sentencex finds no second sentence."""
    median_words: float
    wordless_share: float
    """Share of lines that hold no letter and no digit."""

    @property
    def lines_are_sentences(self) -> bool:
        """Most end like a sentence, most hold one, and they are short."""
        return (
            self.end_share > 0.5 and self.single_share > 0.75 and self.median_words <= MOST_WORDS
        )

    def __str__(self) -> str:
        return (
            f"{self.end_share:.0%} of the lines end like a sentence, {self.single_share:.0%} hold "
            f"no second one, the median has {self.median_words:g} words"
        )


def weigh_lines(lines: Sequence[str], *, language: str) -> LineEvidence:
    """Look at up to 1,000 lines, evenly spread, that are not blank."""
    texts = [line.strip() for line in lines if line.strip()]
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    return LineEvidence(
        end_share=sum(map(ends_like_sentence, sample)) / len(sample),
        single_share=sum(len(_segment(line, language)) == 1 for line in sample) / len(sample),
        median_words=float(median(map(count_words, sample))),
        wordless_share=sum(not any(map(str.isalnum, line)) for line in sample) / len(sample),
    )


def wrap_width(lines: Sequence[str]) -> int | None:
    """Find the width at which the lines of a file were wrapped.

    Lines are pieces of sentences, to be joined, where most do not end like one. But where hardly
    any does, and the lines were not filled up to a width either, each is an item of its own: a
    title, a query, a log entry.

    Args:
        lines: The file.

    Returns:
        Characters; 0 if lines are to be joined that were filled up to no width (verse); None if
        each line is a paragraph.
    """
    texts = [line.strip() for line in lines if line.strip()]
    ends = sum(map(ends_like_sentence, texts))
    if 2 * ends >= len(texts):
        return None
    # A percentile and not the longest line, which may be a stray one.
    width = sorted(map(len, texts))[int(0.95 * (len(texts) - 1))]
    filled = 2 * sum(_has_room(*pair, width) for pair in pairwise(texts)) < len(texts)
    if 10 * ends < len(texts):
        single = sum(len(text.split(maxsplit=1)) == 1 for text in texts)
        return width if filled and 2 * single <= len(texts) else None
    return width if filled else 0


def split_sentences(
    lines: Sequence[str], *, splitter: Splitter, language: str, width: int | None
) -> Document:
    """Split the lines of a document into sentences.

    Args:
        lines: The document. Blank lines separate paragraphs.
        splitter: `lines`: a line is a sentence. `sentencex`: paragraphs are split.
        language: ISO 639 code.
        width: What `wrap_width` finds in the file.

    Returns:
        Sentences without white space around them; none is empty.
    """
    texts = [line.strip() for line in lines]
    if splitter == "lines":
        return [text for text in texts if text]
    paragraphs = texts if width is None else join_paragraphs(texts, width=width)
    return [sentence for paragraph in paragraphs for sentence in _segment(paragraph, language)]


def join_paragraphs(lines: Sequence[str], *, width: int) -> list[str]:
    """Join wrapped lines to paragraphs, which end at blank lines.

    Many novels have no blank line at all. So in a long block of lines, one that has room for the
    next word within the width ends a paragraph too, unless the next line goes on in lower case.
    """
    paragraphs: list[list[str]] = []
    for block in _blocks(lines):
        paragraphs.append(block[:1])
        for line, following in pairwise(block):
            apart = _has_room(line, following, width) and not following[0].islower()
            if apart and len(block) > _LONGEST_PARAGRAPH:
                paragraphs.append([following])
            else:
                paragraphs[-1].append(following)
    return list(map(_join, paragraphs))


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    """Give the runs of lines between blank ones."""
    for blank, block in groupby(lines, key=lambda line: not line):
        if not blank:
            yield list(block)


def _has_room(line: str, following: str, width: int) -> bool:
    """Tell whether a line has room for the first word of the next one."""
    word = following[0] if UNSPACED.match(following) else following.split(maxsplit=1)[0]
    # One character to spare: some programs count the space behind a word as well.
    return len(line) + 1 + len(word) < width


def _join(lines: Sequence[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        unspaced = UNSPACED.match(text[-1]) or UNSPACED.match(line[0])
        text += line if unspaced else " " + line
    return text


def _segment(paragraph: str, language: str) -> list[str]:
    """Split one paragraph, and undo two kinds of cuts.

    One is inside of WikiText's ` @.@ ` (a decimal point), the other before a piece without a
    letter, such as a closing quotation mark.
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
