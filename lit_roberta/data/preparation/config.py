"""Which text, read how, held out how, in which tokens."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from lit_roberta.data.corpus.split import SplitUnit
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.errors import must

_MOST_SOURCES = 256


@dataclass(frozen=True, kw_only=True)
class TextConfig:
    """Everything that decides what the tokens of a corpus are."""

    corpus: str | dict[str, str] = "toy"
    """A source, or several by a name for each."""
    validation_corpus: str | None = None
    test_corpus: str | None = None
    split_by: SplitUnit = "document"
    weights: dict[str, float] | None = None
    """The share of each of several sources in training, by its name. It changes no token."""
    deduplicate: bool = False
    """Whether a document that is equal to an earlier one is left out."""
    reading: ReadingConfig = field(default_factory=ReadingConfig)
    tokenizer: TokenizerConfig = field(default_factory=TokenizerConfig)

    def __post_init__(self) -> None:
        if not self.sources:
            raise must("data.corpus", "name a source", self.corpus, "Try toy.")
        if len(self.sources) > _MOST_SOURCES:
            rule = f"name at most {_MOST_SOURCES} sources"
            raise must("data.corpus", rule, len(self.sources), "Join some by folders or globs.")
        if not isinstance(self.corpus, str):
            check_weights(self.weights, self.corpus)

    @property
    def name(self) -> str:
        """What the corpus is called where people read it."""
        return self.corpus if isinstance(self.corpus, str) else ", ".join(self.corpus)

    @property
    def sources(self) -> Mapping[str, str]:
        """The sources of the corpus by name, in its order; a single one is called as it is."""
        if isinstance(self.corpus, str):
            return {self.corpus: self.corpus}
        return dict(sorted(self.corpus.items()))


def check_weights(weights: Mapping[str, float] | None, sources: Collection[str]) -> None:
    """Refuse weights that say nothing, or nothing that can be done.

    Args:
        weights: The share of each source in training, by its name.
        sources: The names of those that there are.

    Raises:
        UserError: If a source lacks a weight, a weight lacks a source, or they don't sum to 1.
    """
    if weights is None:
        return
    for name in sorted(weights.keys() ^ set(sources)):
        what = "a weight" if name in sources else "no weight"
        rule = f"give {what} to {name!r}"
        remedy = f"The sources are {', '.join(sources)}; each gets one weight."
        raise must("data.weights", rule, dict(weights), remedy)
    if any(not weight > 0 for weight in weights.values()):
        raise must("data.weights", "be above 0", dict(weights), "Leave such a source out.")
    total = math.fsum(weights.values())
    if abs(total - 1) > 1e-6:
        raise must("data.weights", "sum to 1", f"{total:g}", "They are shares of the training.")
