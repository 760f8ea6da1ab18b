"""The text that a model is judged by: held-out parts, and what it was trained on.

Held-out masks depend on a constant and on the text alone, never on a run, so that all runs of all
recipes predict the same tokens. Trained text depends on the run, whose own masks are the question
there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from lit_roberta.data.corpus.split import Parts
from lit_roberta.data.evaluation.heldout import HeldOutDataset
from lit_roberta.data.evaluation.visits import PairDataset, VisitDataset
from lit_roberta.data.examples.packing import PAIR_FORMATS, Examples, Format, PackingConfig
from lit_roberta.data.rows.masking import MaskingConfig
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.data.tokens.vocabulary import Vocabulary

Part = Literal["train", "validation", "test"]

_NEVER_VISITED = 2**40
"""A visit that no run reaches: its masks are fresh for every recipe."""


@dataclass(frozen=True, kw_only=True)
class EvaluationText:
    """What a model of one recipe can be scored on."""

    parts: Parts[TokenizedCorpus]
    pack: Callable[[], Examples]
    """Gives the training examples; asked only for trained text, because packing takes time."""
    vocabulary: Vocabulary
    packing: PackingConfig
    masking: MaskingConfig
    seed: int
    """The run's seed; only the masks of trained text read it."""
    batch_size: int
    """Sequences that are scored at once; it can't change a score."""

    @property
    def segments(self) -> bool:
        """Whether B has segment id 1: a model of single texts never learned that row."""
        return self.packing.format in PAIR_FORMATS

    def held_out(
        self,
        part: Part,
        *,
        format: Format | None = None,
        draws: int | None = None,
        max_tokens: int | None = None,
    ) -> HeldOutDataset:
        """Give a part of the corpus with fixed masks, each token predicted once over all draws.

        Args:
            part: Which part.
            format: In which input format; None for the recipe's own.
            draws: How many of the draws, from the first; None for all.
            max_tokens: Only as many whole documents as hold this many tokens; None for all.
        """
        return HeldOutDataset(
            getattr(self.parts, part),
            self.vocabulary,
            format=format or self.packing.format,
            max_length=self.packing.max_length,
            masking=self.masking,
            batch_size=self.batch_size,
            segments=self.segments,
            draws=draws,
            max_tokens=max_tokens,
        )

    def trained(self, *, visit: int, max_tokens: int | None = None) -> VisitDataset:
        """Give training examples under the masks of one visit.

        With a visit of the training this is the text under its own masks: what the model was
        fitted to.
        """
        return VisitDataset(
            self.parts.train,
            self.pack(),
            self.vocabulary,
            masking=self.masking,
            batch_size=self.batch_size,
            seed=self.seed,
            segments=self.segments,
            visit=visit,
            max_tokens=max_tokens,
        )

    def freshly_masked(self, *, max_tokens: int | None = None) -> VisitDataset:
        """Give the same training examples under masks that no recipe has ever shown."""
        return self.trained(visit=_NEVER_VISITED, max_tokens=max_tokens)

    def pairs(self, part: Part) -> PairDataset:
        """Give the pairs of a part, half of them with a random B."""
        return PairDataset(
            getattr(self.parts, part),
            self.vocabulary,
            packing=self.packing,
            batch_size=self.batch_size,
        )
