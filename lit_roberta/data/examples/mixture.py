"""How often the examples of each of several sources are trained on.

In: examples in the order of the corpus, and the share of each source. Out: the example at each
place of the stream, and which pass over its source that is. A place alone decides both, as without
shares: nothing is drawn with replacement, and a source is read through before it is read again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int64

from lit_roberta.data.examples.order import examples_at
from lit_roberta.data.examples.packing import Examples
from lit_roberta.data.tokens.store import TokenizedCorpus
from lit_roberta.errors import must
from lit_roberta.randomness import Purpose, random_bits


@dataclass(frozen=True)
class Mixture:
    """Sources as runs of examples, and their shares of an epoch."""

    firsts: Int64[np.ndarray, " bounds"]
    """The first example of each source; the last entry is the number of examples."""
    quotas: Int64[np.ndarray, " bounds"]
    """The first place of each source in an epoch, before it is shuffled; ends like `firsts`."""

    @classmethod
    def whole(cls, num_examples: int) -> Mixture:
        """Give each example one place in an epoch."""
        bounds = np.array([0, num_examples])
        return cls(bounds, bounds)

    @classmethod
    def of(
        cls, examples: Examples, corpus: TokenizedCorpus, shares: Sequence[float] | None
    ) -> Mixture:
        """Give each source its share of an epoch, which stays as long as it was.

        Args:
            examples: The examples. One that reaches over into the next source is of the first.
            corpus: Tells which source each document is of.
            shares: Of the examples of an epoch, for each source by its number. None: each
                example has one place.

        Raises:
            UserError: If a source has no example, so that it could have no share.
        """
        if shares is None or corpus.sources is None:
            return cls.whole(len(examples))
        # numpy would make a large array of a small type larger, to compare it with whole numbers
        begins = [bisect_left(corpus.sources, number) for number in range(len(shares) + 1)]
        tokens = corpus.sentence_offsets[corpus.document_offsets[begins]]
        firsts = np.searchsorted(examples.starts, tokens)
        for number in np.flatnonzero(np.diff(firsts) == 0).tolist():
            rule = f"leave each source an example, and source {number + 1} has none"
            raise must("data.weights", rule, list(shares), "Leave the source out, or add text.")
        return cls(firsts, _apportion(len(examples), shares))

    def look_up(
        self, places: Int64[np.ndarray, " places"], *, seed: int, first_epoch: int = 0
    ) -> tuple[Int64[np.ndarray, " places"], Int64[np.ndarray, " places"]]:
        """Find the examples at places of the stream.

        Args:
            places: Places in the stream, from 0.
            seed: The run's seed.
            first_epoch: What the epoch of place 0 is called in hashes.

        Returns:
            The number of the example at each place, and how many passes over its source were made
            before.
        """
        total = int(self.firsts[-1])
        epochs = places // total
        slots = examples_at(places + first_epoch * total, num_examples=total, seed=seed)
        if len(self.firsts) == 2:
            return slots, epochs
        sources = np.searchsorted(self.quotas, slots, side="right") - 1
        examples, passes = np.empty_like(slots), np.empty_like(slots)
        for number in range(len(self.firsts) - 1):
            here = np.flatnonzero(sources == number)
            quota = int(self.quotas[number + 1] - self.quotas[number])
            size = int(self.firsts[number + 1] - self.firsts[number])
            turns = epochs[here] * quota + slots[here] - self.quotas[number]
            own_seed = int(random_bits(seed, Purpose.SOURCE, number))
            order = examples_at(turns + first_epoch * size, num_examples=size, seed=own_seed)
            examples[here] = self.firsts[number] + order
            passes[here] = turns // size
        return examples, passes


def _apportion(total: int, shares: Sequence[float]) -> Int64[np.ndarray, " bounds"]:
    """Cut an epoch at the places nearest to the shares.

    Example:
        >>> _apportion(10, [0.25, 0.75]).tolist()
        [0, 2, 10]
    """
    ends = np.cumsum(shares) / np.sum(shares)
    bounds = np.append(0, np.rint(ends * total)).astype(np.int64)
    bounds[-1] = total
    return bounds
