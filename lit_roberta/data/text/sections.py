"""Documents that are too large a part of a corpus are cut into sections, which serve as documents.

Otherwise one novel of twelve would be the whole test part, and its loss one single observation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from lit_roberta.data.text.reading import Document
from lit_roberta.data.text.words import count_words

LARGEST_SHARE = 0.02
"""A document above this share of the corpus is cut."""

SECTION_WORDS = 2000
"""About how long a section is."""

FEWEST_DOCUMENTS = 32
"""With fewer documents too little can be held out (see `split`), so sections get shorter."""

SHORTEST_SECTION = 50
"""Words; a corpus that would need shorter sections is too small to split."""


def cut_large_documents(documents: Sequence[Document]) -> tuple[list[list[Document]], int]:
    """Cut each document above 2% of the corpus into sections.

    Args:
        documents: The corpus.

    Returns:
        The sections of each document, a single one where it was not cut; and about how many words
        a section has: 2,000, or less in a corpus that has too few documents otherwise.
    """
    words = [words_of(document) for document in documents]
    limit = LARGEST_SHARE * sum(words)
    length = SECTION_WORDS
    if sum(_pieces(count, length) if count > limit else 1 for count in words) < FEWEST_DOCUMENTS:
        length = min(SECTION_WORDS, max(SHORTEST_SECTION, int(limit)))
    sections = [
        cut_sections(document, words=length) if count > limit else [document]
        for document, count in zip(documents, words, strict=True)
    ]
    return sections, length


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
    lengths = list(map(count_words, document))
    ends = list(accumulate(lengths))
    count = _pieces(ends[-1], words)
    sections: list[Document] = [[] for _ in range(count)]
    for sentence, length, end in zip(document, lengths, ends, strict=True):
        middle = end - length / 2
        sections[min(count - 1, int(middle * count / ends[-1]))].append(sentence)
    return [section for section in sections if section]


def words_of(document: Document) -> int:
    """Count the words of a document."""
    return sum(map(count_words, document))


def _pieces(count: int, words: int) -> int:
    return max(1, round(count / words))
