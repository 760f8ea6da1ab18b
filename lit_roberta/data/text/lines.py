"""What the lines of a corpus look like, for the choice between lines and prose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from lit_roberta.data.text.segmentation import segment
from lit_roberta.data.text.words import count_words

MOST_WORDS = 40
"""A line is not taken for a sentence where the median line has more words than this."""

_ENDS = frozenset(".!?\u2026\u3002\uff01\uff1f\uff0e\u061f\u06d4\u0964\u0965\u0589\u1362\u1367")
_CLOSERS = "\"'\u201d\u2019\u00bb\u300d\u300f\uff09)]}*_` "
_SAMPLE = 1000


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
    """Look at some 1,000 lines, evenly spread, that are not blank."""
    texts = [line.strip() for line in lines if line.strip()]
    sample = texts[:: max(1, len(texts) // _SAMPLE)]
    return LineEvidence(
        end_share=sum(map(ends_like_sentence, sample)) / len(sample),
        single_share=sum(len(segment(line, language)) == 1 for line in sample) / len(sample),
        median_words=float(median(map(count_words, sample))),
        wordless_share=sum(not any(map(str.isalnum, line)) for line in sample) / len(sample),
    )
