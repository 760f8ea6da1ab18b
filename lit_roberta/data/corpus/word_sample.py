"""A sample of the words of held-out text, for models whose tokens can't be compared.

In: the text of a part. Out: some of its words as places in the text, with the sentences around
them. Which ones depends on the text alone, never on a tokenizer.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from lit_roberta.data.corpus.overlap import Passage
from lit_roberta.randomness import Purpose, random_bits

MOST_WORDS = 2000
"""Words of a sample, at most."""
_SHARE = 0.5
"""Of a small text, so that its sample costs less than all of its tokens do."""

_WORD = re.compile("\\w+(?:['\N{RIGHT SINGLE QUOTATION MARK}]\\w+)*")
"""Letters, digits and what joins them; no tokenizer ends a word within."""


@dataclass(frozen=True, kw_only=True)
class SampledSentence:
    """A sentence with sampled words."""

    document: int
    """Its number in the part."""
    number: int
    """The sentence's own, in the part."""
    start: int
    """Bytes of its document before it, with a newline behind each sentence."""
    text: str
    words: list[list[int]]
    """Start and stop of each sampled word, in characters of the text."""

    def spans(self) -> list[str]:
        """Name its words as `document:start-stop`, in bytes of the document."""
        bounds = [
            [self.start + len(self.text[:end].encode()) for end in ends] for ends in self.words
        ]
        return [f"{self.document}:{start}-{stop}" for start, stop in bounds]


@dataclass(frozen=True, kw_only=True)
class WordSample:
    """Some words of a part of the text, in its order."""

    num_words: int
    """Words of the whole part."""
    num_sentences: int
    """Sentences of the whole part, those included of which a tokenizer leaves nothing."""
    sentences: list[SampledSentence]

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> WordSample:
        """Read what `as_json` wrote."""
        sentences = [SampledSentence(**each) for each in values["sentences"]]
        return cls(**{**values, "sentences": sentences})

    def as_json(self) -> dict[str, Any]:
        """Give it as plain values."""
        return asdict(self)


class _Sentence(NamedTuple):
    document: int
    number: int
    start: int
    text: str


class _Found(NamedTuple):
    """A word and its rank; the lowest are sampled."""

    rank: int
    order: int
    """Of the words of the part."""
    sentence: _Sentence
    start: int
    stop: int


def sample_words(passages: Iterable[Passage], *, at_most: int = MOST_WORDS) -> WordSample:
    """Sample words by a hash of their sentence and their place in it.

    A word is a run of letters and digits, apostrophes between them included. So text without
    spaces gives whole clauses.

    Args:
        passages: The text of a part, in order.
        at_most: Words; of a small text, half of them.
    """
    best: list[_Found] = []
    num_words = num_sentences = 0
    for some in _sentences(passages):
        words = [
            (place, match.span(), sentence)
            for sentence in some
            for place, match in enumerate(_WORD.finditer(sentence.text))
        ]
        ranks = random_bits(
            0,
            Purpose.HELD_OUT_WORD,
            np.array([_key(sentence.text) for _, _, sentence in words], dtype=np.int64),
            np.array([place for place, _, _ in words], dtype=np.int64),
        )
        best += [
            _Found(rank, num_words + order, sentence, *span)
            for order, (rank, (_, span, sentence)) in enumerate(
                zip(ranks.tolist(), words, strict=True)
            )
        ]
        best = sorted(best)[:at_most]
        num_words, num_sentences = num_words + len(words), num_sentences + len(some)
    kept = best[: min(at_most, -(-num_words // 2))]
    return WordSample(
        num_words=num_words, num_sentences=num_sentences, sentences=_by_sentence(kept)
    )


def _by_sentence(words: list[_Found]) -> list[SampledSentence]:
    found: dict[_Sentence, list[list[int]]] = {}
    for word in sorted(words, key=lambda each: each.order):
        found.setdefault(word.sentence, []).append([word.start, word.stop])
    return [
        SampledSentence(**sentence._asdict(), words=places) for sentence, places in found.items()
    ]


def _sentences(passages: Iterable[Passage]) -> Iterable[list[_Sentence]]:
    """Number the sentences of a part, some megabyte at a time."""
    document, number, start = -1, 0, 0
    for passage in passages:
        some = []
        for place, text in enumerate(passage.texts):
            if place or passage.begins:
                document, start = document + 1, 0
            for line in text.split(b"\n")[:-1]:
                some.append(_Sentence(document, number, start, line.decode()))
                number, start = number + 1, start + len(line) + 1
        yield some


def _key(sentence: str) -> int:
    digest = hashlib.blake2b(sentence.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1
