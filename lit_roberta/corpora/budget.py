"""What a budget of training comes to on a text, by format: updates, passes, and masks met again.

In: what was measured of the formats, as a manifest has it. Out: numbers and words.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lit_roberta.advice.copies import copies_can_matter
from lit_roberta.errors import must

DEFAULT_PASSES = 40.0
"""Over the training text; BERT made about 40 (Devlin et al. 2019, appendix A.2)."""
DEFAULT_COPIES = 10
"""Differently masked copies of the text (Devlin et al. 2019, after Liu et al. 2019, 4.1)."""


@dataclass(frozen=True, kw_only=True)
class Spending:
    """How much is trained, and how."""

    passes: float | int = DEFAULT_PASSES
    """The budget is as many tokens as so many passes over the training text have."""
    batch_size: int
    """Sequences of an update."""
    copies: int = DEFAULT_COPIES
    """Differently masked copies, where masks are static."""

    def __post_init__(self) -> None:
        if not 0 < self.passes < math.inf:
            raise must("passes", "be above 0, and finite", self.passes, "BERT made about 40.")
        for name, value in (("batch_size", self.batch_size), ("copies", self.copies)):
            if value < 1:
                raise must(name, "be 1 or more", value, "Give a positive whole number.")

    def tokens(self, training_tokens: int) -> int:
        """Give the tokens that are fed, special ones included and padding not."""
        return round(self.passes * training_tokens)


def check_spending(given: Mapping[str, Any], *, reported: bool) -> None:
    """Refuse a budget that can't be, before any text is read.

    Args:
        given: What of a `Spending` is asked for.
        reported: Whether there is a report, which alone reads it.

    Raises:
        UserError: Names the setting.
    """
    if given and not reported:
        name, value = next(iter(given.items()))
        raise must(name, "go with --report", value, "Add --report, or leave it out.")
    Spending(**{"batch_size": 1, **given})


@dataclass(frozen=True, kw_only=True)
class Course:
    """What a budget comes to in one format."""

    updates: int
    """Rounded up."""
    passes: float
    """Over the examples: since pairs overlap and special tokens count, not those over the text."""
    copies_matter: bool
    """Whether a mask comes round twice, so that static masks are not the dynamic ones."""


def spend(spending: Spending, measured: Mapping[str, Any], format: str) -> Course:
    """Tell what a budget comes to in one format.

    Args:
        spending: The budget.
        measured: What `measure_formats` found.
        format: One that is possible for the text.
    """
    facts = measured["formats"][format]
    per_update = spending.batch_size * facts["tokens_per_example"]
    # What divides evenly must not become one more update by rounding.
    updates = max(1, math.ceil(spending.tokens(measured["tokens"]) / per_update * (1 - 1e-12)))
    passes = updates * spending.batch_size / facts["examples"]
    return Course(
        updates=updates,
        passes=passes,
        copies_matter=copies_can_matter(passes, spending.copies),
    )
