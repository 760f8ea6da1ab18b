"""What a text was found to be, in numbers: for a person who decides what to do with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from lit_roberta.data.preparation.lengths import Lengths
from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.preparation.reading import ReadText
from lit_roberta.data.preparation.repetition import measure_repetition

NEAR_EMPTY = 5
"""A document with fewer words is near-empty."""

_BLOCK = 1 << 20
"""Documents that are counted at a time."""


def gather_facts(text: ReadText, prepared: PreparedText) -> dict[str, Any]:
    """Count what a corpus holds, its sources and the user's own held-out parts together.

    Args:
        text: The documents, and what each is for.
        prepared: Their tokens.

    Returns:
        Counts (documents, sentences, words, tokens, bytes of UTF-8), shares from 0 to 1, the
        lengths of documents in words and of sentences in tokens, and what of the training part is
        repeated, as plain data.
    """
    words, sentences, size = Lengths(), 0, 0
    for shelf in text.shelves:
        rows = shelf.documents.rows
        for first in range(0, len(rows), _BLOCK):
            words.add(rows["words"][first : first + _BLOCK])
            sentences += int(rows["sentences"][first : first + _BLOCK].sum())
        size += int(shelf.documents.stops[-1])
    size -= sentences  # without the newline behind each
    parts = vars(prepared.parts).values()
    tokens = sum(part.num_tokens for part in parts)
    unknown = sum(prepared.unknown_share(part) * part.num_tokens for part in parts)
    lengths = _sentence_lengths(prepared)
    count = len(words)
    return {
        "documents": count,
        "sentences": sentences,
        "words": words.total,
        "tokens": tokens,
        "bytes": size,
        "bytes_per_token": size / max(1, tokens),
        "unknown_share": unknown / max(1, tokens),
        "duplicate_share": text.num_copies / max(1, count),
        "near_empty_share": words.below(NEAR_EMPTY) / max(1, count),
        "control_characters": sum(corpus.control_characters for corpus in text.corpora),
        "replacement_characters": sum(corpus.replacement_characters for corpus in text.corpora),
        "words_per_document": words.quantiles(),
        "tokens_per_sentence": lengths.quantiles(),
        "bars": {"words_per_document": words.bars(), "tokens_per_sentence": lengths.bars()},
        **measure_repetition(prepared.parts.train, prepared.tokenizer),
    }


def _sentence_lengths(prepared: PreparedText) -> Lengths:
    lengths = Lengths()
    for part in vars(prepared.parts).values():
        last = np.zeros(0, np.int64)
        for offsets in part.blocks("sentence_offsets"):
            lengths.add(np.diff(offsets, prepend=last))
            last = offsets[-1:]
    return lengths
