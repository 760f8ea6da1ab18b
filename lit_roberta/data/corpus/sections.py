"""Documents that are too large a part of a corpus are cut into sections, which serve as documents.

Otherwise one novel of twelve would be the whole test part, and its loss one single observation.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from jaxtyping import Shaped

from lit_roberta.data.corpus.documents import ROW, Documents, document_row
from lit_roberta.data.text.splitting import DocumentHash, piece_of
from lit_roberta.data.text.words import count_words

LARGEST_SHARE = 0.02
"""A document above this share of the corpus is cut."""

SECTION_WORDS = 2000
"""About how long a section is."""

FEWEST_DOCUMENTS = 32
"""With fewer documents too little can be held out (see `split`), so sections get shorter."""

SHORTEST_SECTION = 50
"""Words; a corpus that would need shorter sections is too small to split."""


class Cut(NamedTuple):
    """What became of the large documents of a corpus."""

    documents: Documents
    num_cut: int
    """Documents that were cut."""
    num_sections: int
    """What they were cut into."""
    section_words: int
    """About how many words a section has: 2,000, or less in a corpus that has too few documents
    otherwise."""


def cut_large_documents(documents: Documents) -> Cut:
    """Cut each document above 2% of a corpus at sentence ends into sections of about equal length.

    Args:
        documents: The corpus. Its text stays as it is; its table gets a row for each section.

    Returns:
        The corpus of sections, in order; together they are the documents. A sentence is never cut.
    """
    words = documents.rows["words"]
    limit = LARGEST_SHARE * int(words.sum())
    large = np.flatnonzero(words > limit)
    count = len(documents) - len(large)
    length = SECTION_WORDS
    if count + sum(_pieces(int(words[n]), length) for n in large) < FEWEST_DOCUMENTS:
        length = min(SECTION_WORDS, max(SHORTEST_SECTION, int(limit)))
    sections = {n: np.array(list(_sections(documents, n, length)), ROW) for n in large.tolist()}
    cut = {number: rows for number, rows in sections.items() if len(rows) > 1}
    if not cut:
        return Cut(documents, 0, 0, length)
    rows = _replace(documents.rows, cut)
    return Cut(documents.with_rows(rows), len(cut), sum(map(len, cut.values())), length)


def _sections(documents: Documents, number: int, words: int) -> Iterator[tuple[object, ...]]:
    """Give the rows of the sections of a document."""
    whole = documents.rows[number]
    total, file = int(whole["words"]), int(whole["file"])
    count = _pieces(total, words)
    start = position = int(whole["start"])
    hashes, section, before, first = DocumentHash(), 0, 0, 0
    sentences = 0
    for line in documents.lines(number):
        length = count_words(line.decode())
        place = min(count - 1, int((before + length / 2) * count / total))
        if place != section and sentences:
            yield document_row(start, before - first, sentences, file, hashes)
            start, first, sentences, hashes = position, before, 0, DocumentHash()
        section = place
        hashes.add(piece_of(line))
        before, position, sentences = before + length, position + len(line), sentences + 1
    yield document_row(start, before - first, sentences, file, hashes)


def _replace(
    rows: Shaped[np.ndarray, " documents"], cut: dict[int, Shaped[np.ndarray, " sections"]]
) -> Shaped[np.ndarray, " rows"]:
    """Put the sections of documents in their places."""
    parts, first = [], 0
    for number in sorted(cut):
        parts += [rows[first:number], cut[number]]
        first = number + 1
    return np.concatenate([*parts, rows[first:]])


def _pieces(count: int, words: int) -> int:
    return max(1, round(count / words))
