"""Documents that are too large a part of a corpus are cut into sections, which serve as documents.

Otherwise one novel of twelve would be the whole test part, and its loss one single observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from lit_roberta.data.reading import Document
from lit_roberta.data.words import count_words

LARGEST_SHARE = 0.02
"""A document above this share of the corpus is cut."""

SECTION_WORDS = 2000
"""About how long a section is."""

FEWEST_DOCUMENTS = 24
"""With fewer documents than this, nothing can be held out (see `split`), so sections get shorter."""


def section_words(documents: Sequence[Document]) -> int:
    """Choose the length of sections: 2,000 words, or less in a corpus of less than about 50,000.

    Args:
        documents: The corpus.

    Returns:
        About how many words a section is to have.
    """
    words = [words_of(document) for document in documents]
    limit = LARGEST_SHARE * sum(words)
    pieces = (max(1, round(count / SECTION_WORDS)) if count > limit else 1 for count in words)
    return (
        SECTION_WORDS
        if sum(pieces) >= FEWEST_DOCUMENTS
        else max(1, min(SECTION_WORDS, int(limit)))
    )


def cut_sections(document: Document, *, words: int) -> list[Document]:
    """Cut a document at sentence ends into sections of about equal length.

    Args:
        document: Its sentences.
        words: About how many words a section is to have.

    Returns:
        The sections, in order; together they are the document. A sentence is never cut.

    Example:
        >>> cut_sections(["a b", "c d", "e f", "g h"], words=4)
        [['a b', 'c d'], ['e f', 'g h']]
    """
    ends = list(accumulate(map(count_words, document)))
    count = max(1, round(ends[-1] / words))
    sections: list[Document] = [[] for _ in range(count)]
    for sentence, end, length in zip(document, ends, map(count_words, document), strict=True):
        middle = end - length / 2
        sections[min(count - 1, int(middle * count / ends[-1]))].append(sentence)
    return [section for section in sections if section]


def words_of(document: Document) -> int:
    """Count the words of a document."""
    return sum(map(count_words, document))
