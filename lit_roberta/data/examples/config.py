"""How text becomes examples: the five input formats and their settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lit_roberta.errors import must

Format = Literal["sentence", "sentence-pair", "segment-pair", "doc-sentences", "full-sentences"]

PAIR_FORMATS: frozenset[Format] = frozenset({"sentence-pair", "segment-pair"})
"""The formats with a B, and so with a next-sentence label."""

LONGEST = 65_535
"""The longest example that masks can be drawn for, in tokens: a position has 16 bits there."""

_FILLED_FORMATS: frozenset[Format] = frozenset({"segment-pair", "doc-sentences", "full-sentences"})
"""The formats that fill the length, which a short sequence can fall short of."""


@dataclass(frozen=True, kw_only=True)
class PackingConfig:
    """How text becomes examples.

    Source: Liu et al. 2019, section 4.2, for the formats; Devlin et al. 2019 for segment-pair.
    """

    format: Format
    """What an example is; see the table of formats in the README."""
    max_length: int
    """Longest example, in tokens, special tokens included."""
    short_sequence_probability: float = 0.0
    """Share of examples that fill a random shorter length. BERT: 0.1. RoBERTa removed it."""
    nsp_first_sentences: bool = False
    """Let a random B open its document, as Google's script does; B alone then tells much."""

    def __post_init__(self) -> None:
        pairs = self.format in PAIR_FORMATS
        shortest = 5 if pairs else 3
        if not shortest <= self.max_length <= LONGEST:
            raise must(
                "data.max_length",
                f"lie between {shortest} and {LONGEST} for {self.format}",
                self.max_length,
                "The special tokens of an example count, too.",
            )
        share = self.short_sequence_probability
        if not 0 <= share <= 1:
            raise must(
                "data.short_sequence_probability",
                "lie between 0 and 1",
                share,
                "For 10%, give 0.1.",
            )
        if share and self.format not in _FILLED_FORMATS:
            raise must(
                "data.short_sequence_probability",
                f"be 0 for {self.format}, whose examples do not fill the length",
                share,
                f"Set it to 0, or choose one of {', '.join(sorted(_FILLED_FORMATS))}.",
            )
        if self.nsp_first_sentences and not pairs:
            raise must(
                "data.nsp_first_sentences",
                f"be off for {self.format}, which has no next sentence",
                self.nsp_first_sentences,
                f"Turn it off, or choose one of {', '.join(sorted(PAIR_FORMATS))}.",
            )

    @property
    def sentence_room(self) -> int:
        """The most tokens of one sentence: in a pair, two of them have to fit."""
        if self.format in PAIR_FORMATS:
            return (self.max_length - 3) // 2
        return self.max_length - 2
