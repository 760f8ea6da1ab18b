"""What a run will be fed, counted on its own updates.

In: the stream of a run and the sizes of its updates. Out: sums over the run. Where a run has few
updates all of them are built, and the sums are exact; of a long one some are built, evenly spread,
and the sums follow from them in proportion to the sequences.
"""

from __future__ import annotations

from dataclasses import dataclass

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.sizes import UpdateSizes
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.costs import Costs

_SEQUENCES_BUILT = 20_000
"""Of a run, at the most; they take a second or so."""
_UPDATES_BUILT = 8
"""Of a stage, at the least, however large they are, if it has so many."""


@dataclass(frozen=True, kw_only=True)
class Feed:
    """Sums over a run."""

    updates: int
    sequences: int
    tokens: float
    """Non-padding tokens fed, special ones included."""
    text_tokens: float
    """The same without `[CLS]` and `[SEP]`: the text itself."""
    predictions: float
    flops: float
    """Of the matrix products, forward and backward."""
    updates_counted: int
    """Updates that were built to count all this. All of them: the sums are exact."""

    @property
    def exact(self) -> bool:
        """Whether every update was counted."""
        return self.updates_counted == self.updates


def count_feed(data: PretrainingDataModule, encoder: EncoderConfig, *, total: int) -> Feed:
    """Count what a run of so many updates is fed.

    Args:
        data: The run's.
        encoder: The run's; an update's work depends on it.
        total: Updates.
    """
    sizes = data.sizes(total)
    sums, counted = dict.fromkeys(("tokens", "text_tokens", "predictions", "flops"), 0.0), 0
    for stage, numbers in sizes.by_stage(range(total)):
        costs, stream = Costs(), data.stream(stage, total=total)
        for number in _spread(numbers, share=_share_built(sizes, total)):
            costs.add(stream[number], encoder=encoder, vocabulary=data.vocabulary)
        factor = sizes.sequences(0, total, stage=stage) / costs.sequences
        for name in sums:
            sums[name] += getattr(costs, name) * factor
        counted += costs.updates
    sequences = sizes.sequences(0, total)
    return Feed(updates=total, sequences=sequences, updates_counted=counted, **sums)


def _share_built(sizes: UpdateSizes, total: int) -> float:
    return min(1.0, _SEQUENCES_BUILT / sizes.sequences(0, total))


def _spread(numbers: range, *, share: float) -> list[int]:
    """Choose updates, evenly spread, each in the middle of as many as it stands for."""
    count = len(numbers)
    wanted = min(count, max(_UPDATES_BUILT, round(count * share)))
    return [numbers[(2 * place + 1) * count // (2 * wanted)] for place in range(wanted)]
