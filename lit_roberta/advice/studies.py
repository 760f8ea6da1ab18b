"""What others trained on how much text, and what lies between two of their studies.

Every number that is suggested anywhere stands here, beside its source.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Literal, NamedTuple, TypeVar

T = TypeVar("T")
U = TypeVar("U")

ModelSize = Literal["tiny", "small", "base", "large"]
"""A shipped file, `configs/size/<name>.yaml`."""

WARMUP_SHARE = 0.06
"""Of all updates."""
WARMUP_SOURCE = "MiniBERTas, all sizes; Liu et al. 2019, table 9, large"


class Study(NamedTuple):
    """What was trained on how much text."""

    num_words: float
    size: ModelSize
    max_length: int
    batch_size: int
    updates: int
    learning_rate: float
    source: str


STUDIES = (
    Study(9.6e3, "tiny", 64, 64, 85, 2e-3, "this package's toy corpus and `make tune`"),
    Study(1e6, "small", 512, 512, 10_000, 5e-4, "MiniBERTas, 1M (theirs: 6 x 512)"),
    Study(1e7, "base", 512, 512, 10_000, 5e-4, "MiniBERTas, 10M"),
    Study(1e8, "base", 512, 1024, 31_000, 5e-4, "MiniBERTas, 100M"),
    Study(1e9, "base", 512, 4096, 31_000, 5e-4, "MiniBERTas, 1B"),
    Study(3.3e9, "large", 512, 8192, 100_000, 4e-4, "Liu et al. 2019, tables 4 and 9, 16 GB"),
    Study(2.8e10, "large", 512, 8192, 500_000, 4e-4, "Liu et al. 2019, tables 4 and 9, 160 GB"),
)
"""By rising amount. Of each of the MiniBERTas (Zhang et al. 2021; model cards of nyu-mll), the run
with the lowest held-out perplexity: 134, 10.8, 4.61 and 3.84."""

VOCABULARIES = (
    (9.6e3, 592.0, "this package's toy corpus, whole words"),
    (1e7, 6_144.0, "ELC-BERT, 10M words of BabyLM (Charpentier and Samuel 2023)"),
    (1e8, 16_384.0, "LTG-BERT, 100M words of the BNC (Samuel et al. 2023)"),
    (3.3e9, 30_522.0, "Devlin et al. 2019, 16 GB"),
    (2.8e10, 50_265.0, "Liu et al. 2019, 160 GB"),
)
"""Words, entries of the vocabulary, source; by rising amount."""

SUBWORDS_FROM = math.sqrt(9.6e3 * 1e6)
"""Words of text: half-way, by ratio, from where whole words were tuned to the smallest
MiniBERTa."""


@dataclass(frozen=True, kw_only=True)
class Suggestion(Generic[T]):
    """A setting, and where it comes from."""

    value: T
    source: str

    def map(self, change: Callable[[T], U]) -> Suggestion[U]:
        """Change the value, and keep its source."""
        return Suggestion(value=change(self.value), source=self.source)


def between(anchors: Sequence[tuple[float, float, str]], words: float) -> Suggestion[float]:
    """Interpolate between the two anchors around an amount, or take the nearest from outside."""
    place = bisect_right(anchors, words, key=lambda anchor: anchor[0])
    if place in (0, len(anchors)):
        _, value, source = anchors[min(place, len(anchors) - 1)]
        return Suggestion(value=value, source=source)
    (low, at_low, source), (high, at_high, next_source) = anchors[place - 1 : place + 1]
    share = math.log(words / low) / math.log(high / low)
    if share == 0 or at_low == at_high:
        both = source if share == 0 else f"{source}; {next_source}"
        return Suggestion(value=at_low, source=both)
    value = at_low * (at_high / at_low) ** share
    return Suggestion(value=value, source=f"between {source} and {next_source}")
