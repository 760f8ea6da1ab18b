"""The same sentences, filled in by each recipe: those first in which the recipes disagree most.

In: results. Out: sentences with their blanks and guesses. Which sentences there are was decided by
a hash, and all of them are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lit_roberta.comparison.results import Results


@dataclass(frozen=True, kw_only=True)
class Blank:
    """One hidden word and what each recipe puts there."""

    number: int
    """From 1 on, in its sentence."""
    answer: str
    guesses: dict[str, list[dict[str, Any]]]
    """By recipe, the best first."""

    @property
    def answers(self) -> int:
        """How many different first guesses there are."""
        return len({guesses[0]["text"] for guesses in self.guesses.values() if guesses})

    @property
    def split(self) -> bool:
        """Whether some first guesses are right, and some are not."""
        return len({guesses[0]["right"] for guesses in self.guesses.values() if guesses}) > 1


@dataclass(frozen=True, kw_only=True)
class Sample:
    """One sentence."""

    number: int
    """From 1 on, in the order of the hash."""
    texts: list[str]
    """What stands around the blanks: one more than those."""
    blanks: list[Blank]

    @property
    def disagreement(self) -> tuple[float, float]:
        """Share of the blanks that only some fill in rightly, then that with several answers."""
        count = max(1, len(self.blanks))
        several = sum(blank.answers > 1 for blank in self.blanks)
        return sum(blank.split for blank in self.blanks) / count, several / count


def samples(results: Results) -> list[Sample]:
    """Pair each sentence with the guesses of each recipe's first run.

    The blanks are tokens of the first recipe: one with other tokens had other blanks.
    """
    firsts = {recipe.name: results.runs_of(recipe.name)[0] for recipe in results.finished()}
    first = results.recipes[0].tokenizer
    own = {recipe.name for recipe in results.recipes if recipe.tokenizer == first}
    found = []
    for place, parts in enumerate(results.text.samples):
        guesses: dict[str, list[list[dict[str, Any]]]] = {
            name: run.guesses[place] if name in own else [[]] * (len(parts) // 2)
            for name, run in firsts.items()
        }
        found.append(_sample(place + 1, parts, guesses))
    return sorted(found, key=lambda each: (*(-part for part in each.disagreement), each.number))


def _sample(
    number: int, parts: Sequence[str], guesses: dict[str, list[list[dict[str, Any]]]]
) -> Sample:
    return Sample(
        number=number,
        texts=list(parts[::2]),
        blanks=[
            Blank(
                number=place + 1,
                answer=parts[2 * place + 1],
                guesses={name: own[place] for name, own in guesses.items()},
            )
            for place in range(len(parts) // 2)
        ],
    )
