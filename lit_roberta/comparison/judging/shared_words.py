"""Held-out words that every vocabulary knows: what judges arms whose tokens can't be compared.

In: finished runs, each with the nats of the same sampled words. Out: sums by document over the
words that every run could score. A loss per token would flatter fine vocabularies, which guess the
rest of a word from its beginning.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64

from lit_roberta.comparison.runs.run import Run, WordScores

UNIT = "held-out word"


@dataclass(frozen=True, kw_only=True)
class WordFacts:
    """What was compared, as plain numbers."""

    sampled: int
    """Words that were sampled of the test part."""
    common: int
    """Of these, the words that every run scored: the judge."""
    unknown_share: dict[str, float]
    """By arm, of the sampled words, those that its vocabulary lacks."""
    left_out_share: float
    """Of the sampled words, those left out for all: unknown to some vocabulary, or cut by rows."""
    unigram_loss: float
    """Nats per word under the training text's token frequencies, of the tokenizer that they suit
    best."""
    nats_per_word: dict[str, dict[str, float]]
    """By arm and format, mean over runs."""
    bits_per_byte: dict[str, dict[str, float]]
    """The same over the bytes of the words, which no tokenizer decides."""

    def sentence(self) -> str:
        """Say what was compared."""
        worst = max(self.unknown_share, key=lambda name: self.unknown_share[name])
        share = self.unknown_share[worst]
        most = f", most of them unknown to {worst} ({share:.0%})" if share else ""
        return (
            "The recipes have different tokens, so that no loss per token compares them. They are "
            f"judged by {self.common:,} held-out words, masked whole; {self.left_out_share:.0%} "
            f"of {self.sampled:,} sampled ones are left out for all{most}."
        )


class SharedWords:
    """The words that every run scored in every compared format.

    Args:
        runs: The finished ones of each arm.
        formats: The compared formats.
    """

    def __init__(self, runs: Mapping[str, Sequence[Run]], formats: Sequence[str]) -> None:
        self._runs, self._formats = runs, formats
        scores = [_words(run) for some in runs.values() for run in some]
        first = scores[0]
        assert all(each.spans == first.spans for each in scores), "all are of the same text"
        usable = np.ones(len(first.spans), dtype=bool)
        for each in scores:
            for values in (each.unigram_nats, *(each.nats[format] for format in formats)):
                usable &= np.array([value is not None for value in values])
        self._chosen = np.flatnonzero(usable)
        places = [_place(first.spans[number]) for number in self._chosen.tolist()]
        self._documents = np.array([document for document, _ in places], dtype=np.int64)
        self._bytes = sum(size for _, size in places)
        self._num_documents = 1 + max(_place(span)[0] for span in first.spans)

    @property
    def counts(self) -> Int64[np.ndarray, " documents"]:
        """Words of each document."""
        return np.bincount(self._documents, minlength=self._num_documents)

    def nats(self, run: Run, format: str) -> Float64[np.ndarray, " documents"]:
        """Give the cross-entropy of each document, summed over its words."""
        return self._sums(_words(run).nats[format])

    def floor(self) -> Float64[np.ndarray, " documents"]:
        """Give what token frequencies alone would cost each document.

        Pieces of words have frequencies, too, and those of whole words say more. So the same
        floor holds for all arms: that of the tokenizer with the lowest one.
        """
        floors = [self._sums(_words(some[0]).unigram_nats) for some in self._runs.values()]
        return min(floors, key=lambda floor: float(floor.sum()))

    def facts(self) -> WordFacts:
        """Give plain numbers."""
        sampled, common = len(_words(self._first).spans), len(self._chosen)
        losses = {
            name: {
                format: float(np.mean([self.nats(run, format).sum() for run in some]))
                for format in self._formats
            }
            for name, some in self._runs.items()
        }
        return WordFacts(
            sampled=sampled,
            common=common,
            unknown_share={
                name: _words(some[0]).unknown / sampled for name, some in self._runs.items()
            },
            left_out_share=1 - common / sampled,
            unigram_loss=float(self.floor().sum()) / max(1, common),
            nats_per_word=_divided(losses, float(max(1, common))),
            bits_per_byte=_divided(losses, math.log(2) * max(1, self._bytes)),
        )

    @property
    def _first(self) -> Run:
        return next(iter(self._runs.values()))[0]

    def _sums(self, values: Sequence[float | None]) -> Float64[np.ndarray, " documents"]:
        chosen = np.array([values[number] for number in self._chosen.tolist()], dtype=np.float64)
        return np.bincount(self._documents, weights=chosen, minlength=self._num_documents)


def _words(run: Run) -> WordScores:
    assert run.words is not None, "recipes whose texts have no sampled words are not compared"
    return run.words


def _place(span: str) -> tuple[int, int]:
    """Read the document of a word, and its bytes."""
    document, _, bounds = span.partition(":")
    start, _, stop = bounds.partition("-")
    return int(document), int(stop) - int(start)


def _divided(
    losses: Mapping[str, Mapping[str, float]], divisor: float
) -> dict[str, dict[str, float]]:
    return {
        name: {format: loss / divisor for format, loss in some.items()}
        for name, some in losses.items()
    }
