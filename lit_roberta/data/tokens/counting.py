"""How often each word stands in a text of any size, in bounded memory."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from tokenizers import Tokenizer

from lit_roberta.data.tokens.chunks import split_chunks, works_by_chunk

logger = logging.getLogger(__name__)

_BATCH = 4096
"""Sentences."""
_MOST_CHUNKS = 3 << 16
"""Different chunks of text that are counted at once: some 30 MB."""
_CHUNKS_OF_AN_ENTRY = 8
"""As many are counted for each entry of a large vocabulary."""


def count_words(
    sentences: Iterable[str], backend: Tokenizer, *, vocab_size: int | None
) -> Counter[str]:
    """Count the words of a text, as a tokenizer normalizes and splits it.

    Where there are more than some 200,000 different chunks, those seen least often are
    forgotten while it goes on (and it is said), so that a count can be too small: of words far too
    rare for a vocabulary.

    Args:
        sentences: The text, read once.
        backend: Normalizes and splits, by chunk where that gives the same.
        vocab_size: Entries that are asked for.
    """
    most = max(_MOST_CHUNKS, _CHUNKS_OF_AN_ENTRY * (vocab_size or 0))
    chunks: Counter[str] = Counter()
    rest, least = iter(sentences), 0
    by_chunk = works_by_chunk(backend)
    while batch := list(islice(rest, _BATCH)):
        lines = [sentence.replace("\n", " ") for sentence in batch]
        chunks.update(split_chunks(lines)[0] if by_chunk else lines)
        while len(chunks) > most:
            least += 1
            chunks = Counter({chunk: count for chunk, count in chunks.items() if count > least})
    if least:
        logger.info("Words that are seen at most some %d times may not have been counted.", least)
    normalizer, pre_tokenizer = backend.normalizer, backend.pre_tokenizer
    words: Counter[str] = Counter()
    for chunk, count in chunks.items():
        text = normalizer.normalize_str(chunk) if normalizer else chunk
        for word, _ in pre_tokenizer.pre_tokenize_str(text):
            words[word] += count
    return words
