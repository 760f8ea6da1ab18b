"""From lines to paragraphs to sentences.

In: the lines of a document. Out: its sentences. Prose is split by sentencex, a paragraph at a
time, so a sentence never reaches over a paragraph's end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Literal

import sentencex

from lit_roberta.data.reading import Document
from lit_roberta.data.words import UNSPACED, count_words

Splitter = Literal["lines", "sentencex"]

MOST_WORDS = 40
"""A line is not taken for a sentence where the median line has more words than this."""

_ENDS = ".!?\u2026\u3002\uff01\uff1f\uff0e\u061f\u06d4\u0964\u0965\u0589\u1362\u1367"
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
    return line.rstrip().rstrip(_CLOSERS)[-1:] in tuple(_ENDS)


@dataclass(frozen=True)
class LineEvidence:
    """What the lines of a corpus look like, for the choice between lines and sentencex."""

    end_share: float
    """Share of lines that end like a sentence."""
    single_share: float
    """Share of lines in which sentencex finds no second sentence."""
    median_words: float

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
    )


def is_wrapped(lines: Sequence[str]) -> bool:
    """Tell whether lines are pieces of sentences, to be joined: most do not end like one."""
    texts = [line for line in lines if line.strip()]
    return 2 * sum(map(ends_like_sentence, texts)) < len(texts)


def split_sentences(
    lines: Sequence[str], *, splitter: Splitter, language: str, wrapped: bool
) -> Document:
    """Split the lines of a document into sentences.

    Args:
        lines: The document. Blank lines separate paragraphs.
        splitter: `lines`: a line is a sentence. `sentencex`: paragraphs are split.
        language: ISO 639 code.
        wrapped: Whether lines are joined to paragraphs; else each is a paragraph.

    Returns:
        Sentences without white space around them; none is empty.
    """
    if splitter == "lines":
        return [line.strip() for line in lines if line.strip()]
    paragraphs = join_paragraphs(lines) if wrapped else [line.strip() for line in lines]
    return [sentence for paragraph in paragraphs for sentence in _segment(paragraph, language)]


def join_paragraphs(lines: Sequence[str]) -> list[str]:
    """Join wrapped lines to paragraphs, which end at blank lines.

    Many novels have no blank line at all. So in a long block of lines that was wrapped at a
    width, a line also ends a paragraph if the next word would have fitted on it. Verse is not
    wrapped (nearly every next word would fit) and stays together.
    """
    return [
        _join(paragraph) for block in _blocks(lines) for paragraph in _cut_where_word_fits(block)
    ]


def _blocks(lines: Sequence[str]) -> Iterator[list[str]]:
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line.strip())
        elif block:
            yield block
            block = []


def _cut_where_word_fits(block: list[str]) -> list[list[str]]:
    if len(block) <= _LONGEST_PARAGRAPH:
        return [block]
    # A percentile and not the longest line, which may be a stray one.
    width = sorted(map(len, block))[int(0.95 * (len(block) - 1))]
    fits = [
        len(line) + 1 + len(following.split(maxsplit=1)[0]) <= width and not following[0].islower()
        for line, following in pairwise(block)
    ]
    if 2 * sum(fits) > len(fits):
        return [block]
    cuts = [0, *(number + 1 for number, fit in enumerate(fits) if fit), len(block)]
    return [block[start:stop] for start, stop in pairwise(cuts)]


def _join(lines: Sequence[str]) -> str:
    text = lines[0]
    for line in lines[1:]:
        unspaced = UNSPACED.match(text[-1]) or UNSPACED.match(line[0])
        text += line if unspaced else " " + line
    return text


def _segment(paragraph: str, language: str) -> list[str]:
    """Split one paragraph, and undo the cut inside of WikiText's ` @.@ ` (a decimal point)."""
    sentences: list[str] = []
    for piece in _windows(paragraph, language):
        if sentences and sentences[-1].endswith("@.") and piece.startswith("@"):
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
