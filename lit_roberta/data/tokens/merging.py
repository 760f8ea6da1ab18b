"""Byte-pair merges from counts of words, by the `tokenizers` library.

A large text's words take the library's trainer some hundred megabytes, which a process gives back
only when it ends. So the merges of many words are learned in a process of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from lit_roberta.data.work import ordered_map

_MANY = 1 << 16
"""Words from which on a process of its own is worth the half second that it takes to start."""
_MOST_REPEATED = 1 << 30
"""Words that the trainer is shown, in all; of more, each is shown in proportion."""
_STRING = 1 << 16
"""Words of one string."""


class Words(NamedTuple):
    """What merges are learned from."""

    counts: Mapping[str, int]
    """By the word, which holds no white space."""
    vocab_size: int
    min_frequency: int
    alphabet: Sequence[str]
    """Characters that are pieces whatever their count."""
    special_tokens: Sequence[str] = ()


def learn_merges(words: Words) -> Tokenizer:
    """Merge the pieces of words by frequency.

    Args:
        words: The words, and how large a vocabulary is asked for.

    Returns:
        A tokenizer with the library's BPE model.
    """
    workers = int(len(words.counts) > _MANY)
    learn = _learn_with_all_processors if workers else _learn
    (state,) = ordered_map(learn, [words], workers=workers)
    return Tokenizer.from_str(state)


def _learn_with_all_processors(words: Words) -> str:
    os.environ["TOKENIZERS_PARALLELISM"] = "true"  # this process is alone at its work
    return _learn(words)


def _learn(words: Words) -> str:
    trainer = trainers.BpeTrainer(
        vocab_size=words.vocab_size,
        min_frequency=words.min_frequency,
        initial_alphabet=list(words.alphabet),
        special_tokens=list(words.special_tokens),
        show_progress=False,
    )
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    bpe.train_from_iterator(repeat(words.counts), trainer)
    return bpe.to_str()


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
