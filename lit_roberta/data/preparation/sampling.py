"""Some of a corpus, taken evenly from all over it: enough to measure what all of it would give.

In: a tokenized corpus. Out: a smaller one, in memory. What is taken does not grow with the corpus.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from lit_roberta.data.tokens.store import TokenizedCorpus

_STRETCHES = 64
"""Runs of documents that are taken; each is read in one go."""


def spread_sample(corpus: TokenizedCorpus, *, at_most: int) -> TokenizedCorpus:
    """Take runs of whole documents from evenly spread places.

    A document is taken as often as any other, whatever its length, since what counts is that it
    starts in a run. Only one that is longer than a run is taken in part: then the run is text from
    inside of it.

    Args:
        corpus: The corpus.
        at_most: About how many tokens are taken, at the most twice as many. A corpus that has no
            more is taken as it is.
    """
    if corpus.num_tokens <= at_most:
        return corpus
    size = max(1, at_most // _STRETCHES)
    places = np.linspace(0, corpus.num_tokens - size, _STRETCHES).astype(int).tolist()
    stretches: list[tuple[int, int]] = []
    for place in places:
        start, stop = _stretch(corpus, place, size)
        start = max(start, stretches[-1][1] if stretches else 0)
        if start < stop:
            stretches.append((start, stop))
    return _joined([_cut_out(corpus, start, stop) for start, stop in stretches])


def _stretch(corpus: TokenizedCorpus, place: int, size: int) -> tuple[int, int]:
    """Find the documents that start in a window, in tokens; or text inside a longer one."""

    def start_of(document: int) -> int:
        return int(corpus.sentence_offsets[corpus.document_offsets[document]])

    documents = range(corpus.num_documents + 1)
    first = bisect_left(documents, place, key=start_of)
    start = start_of(first)
    if start >= min(place + size, corpus.num_tokens):
        return place, place + size
    stop = start_of(bisect_left(documents, place + size, key=start_of))
    return start, stop if stop <= place + 2 * size else place + size


def _cut_out(corpus: TokenizedCorpus, start: int, stop: int) -> TokenizedCorpus:
    """Take the text between two tokens."""
    sentences = _inner(corpus.sentence_offsets, start, stop)
    first, last = np.searchsorted(corpus.sentence_offsets, [start, stop]).tolist()
    documents = _inner(corpus.document_offsets, first, last)
    borders = corpus.sentence_offsets[documents]
    offsets = np.concatenate([[start], sentences, [stop]]) - start
    return TokenizedCorpus(
        tokens=np.asarray(corpus.tokens[start:stop]),
        word_starts=np.asarray(corpus.word_starts[start:stop]),
        sentence_offsets=offsets,
        document_offsets=np.concatenate(
            [[0], np.searchsorted(offsets, borders - start), [len(offsets) - 1]]
        ),
    )


def _inner(offsets: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Take the offsets that lie strictly between two."""
    return np.asarray(
        offsets[np.searchsorted(offsets, start, "right") : np.searchsorted(offsets, stop)]
    )


def _joined(parts: list[TokenizedCorpus]) -> TokenizedCorpus:
    tokens = np.cumsum([0, *(part.num_tokens for part in parts)])
    sentences = np.cumsum([0, *(part.num_sentences for part in parts)])
    return TokenizedCorpus(
        tokens=np.concatenate([part.tokens for part in parts]),
        word_starts=np.concatenate([part.word_starts for part in parts]),
        sentence_offsets=np.concatenate(
            [np.zeros(1, np.int64)]
            + [n + part.sentence_offsets[1:] for n, part in zip(tokens, parts, strict=False)]
        ),
        document_offsets=np.concatenate(
            [np.zeros(1, np.int64)]
            + [n + part.document_offsets[1:] for n, part in zip(sentences, parts, strict=False)]
        ),
    )
