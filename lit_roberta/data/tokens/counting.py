"""How often each word stands in a text of any size, in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from tokenizers import Tokenizer

from lit_roberta.data.tokens.chunks import split_chunks, works_by_chunk

_BATCH = 4096
"""Sentences."""
_MOST_CHUNKS = 1 << 20
"""Different chunks of text that are counted at once: some 150 MB."""
_MOST_REPEATED = 1 << 30
"""Words that the trainers are shown, in all; of more, each is shown in proportion."""
_STRING = 1 << 16
"""Words of one string."""


def count_words(sentences: Iterable[str], backend: Tokenizer) -> Counter[str]:
    """Count the words of a text, as a tokenizer normalizes and splits it.

    Where there are more than a million different chunks, those seen least often are forgotten
    while it goes on, so that a count can be too small: of words far too rare for a vocabulary.

    Args:
        sentences: The text, read once.
        backend: Normalizes and splits, by chunk where that gives the same.
    """
    chunks: Counter[str] = Counter()
    rest, least = iter(sentences), 0
    by_chunk = works_by_chunk(backend)
    while batch := list(islice(rest, _BATCH)):
        lines = [sentence.replace("\n", " ") for sentence in batch]
        chunks.update(split_chunks(lines)[0] if by_chunk else lines)
        while len(chunks) > _MOST_CHUNKS:
            least += 1
            chunks = Counter({chunk: count for chunk, count in chunks.items() if count > least})
    normalizer, pre_tokenizer = backend.normalizer, backend.pre_tokenizer
    words: Counter[str] = Counter()
    for chunk, count in chunks.items():
        text = normalizer.normalize_str(chunk) if normalizer else chunk
        for word, _ in pre_tokenizer.pre_tokenize_str(text):
            words[word] += count
    return words


def repeat(counts: Mapping[str, int]) -> Iterator[str]:
    """Write each word as often as it is counted: the library's trainers take text alone.

    Example:
        >>> list(repeat({"a": 2, "b": 1}))
        ['a a ', 'b ']
    """
    total = sum(counts.values())
    share = min(1.0, _MOST_REPEATED / max(1, total))
    for word, count in counts.items():
        left = count if share == 1 else max(1, round(count * share))
        while left > 0:
            yield (word + " ") * min(left, _STRING)
            left -= _STRING
