"""What a text was found to be, in numbers: for a person who decides what to do with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from lit_roberta.data.preparation.prepared import PreparedText
from lit_roberta.data.preparation.reading import ReadText

NEAR_EMPTY = 5
"""A document with fewer words is near-empty."""

_QUANTILES = (0, 5, 25, 50, 75, 95, 100)
"""Per cent of documents that are no longer."""


def gather_facts(text: ReadText, prepared: PreparedText) -> dict[str, Any]:
    """Count what a corpus holds, its sources and the user's own held-out parts together.

    Args:
        text: The documents, and what each is for.
        prepared: Their tokens.

    Returns:
        Counts (documents, sentences, words, tokens, bytes of UTF-8), shares from 0 to 1, and the
        lengths of documents in words, as plain data.
    """
    tables = [shelf.documents.rows for shelf in text.shelves]
    words = np.concatenate([np.asarray(rows["words"]) for rows in tables])
    size = sum(int(shelf.documents.stops[-1]) for shelf in text.shelves)
    sentences = sum(int(rows["sentences"].sum()) for rows in tables)
    parts = vars(prepared.parts).values()
    tokens = sum(part.num_tokens for part in parts)
    unknown = sum(prepared.unknown_share(part) * part.num_tokens for part in parts)
    lengths = np.percentile(words, _QUANTILES, method="nearest").astype(int)
    return {
        "documents": len(words),
        "sentences": sentences,
        "words": int(words.sum()),
        "tokens": tokens,
        "bytes": size - sentences,  # without the newline behind each
        "bytes_per_token": (size - sentences) / max(1, tokens),
        "unknown_share": unknown / max(1, tokens),
        "duplicate_share": text.num_copies / max(1, len(words)),
        "near_empty_share": float(np.mean(words < NEAR_EMPTY)),
        "control_characters": sum(corpus.control_characters for corpus in text.corpora),
        "replacement_characters": sum(corpus.replacement_characters for corpus in text.corpora),
        "words_per_document": {
            f"{quantile}%": int(length)
            for quantile, length in zip(_QUANTILES, lengths, strict=True)
        },
    }
