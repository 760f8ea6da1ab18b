"""How much each recipe may train, in one unit for all, as a number of updates.

The unit decides more than the recipes do: at equal epochs a recipe with a small batch makes
several times the updates, and at equal sequences one with long examples reads twice the text.
Equal tokens is the default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lit_roberta.advice.copies import copies_can_matter
from lit_roberta.comparison.design.work import flops_per_sequence
from lit_roberta.data.batching import updates_for
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.errors import must
from lit_roberta.model.config import EncoderConfig

Unit = Literal["tokens", "passes", "sequences", "updates", "epochs", "flops", "seconds"]

DEFAULT_PASSES = 40
"""Passes over the training text; BERT made about 40 (Devlin et al. 2019, appendix A.2)."""

_PASSES = "passes over the training text, in tokens"

_TOO_MUCH = 2**63
"""Of any unit; what is below it can be counted in whole numbers."""
_TOO_MANY_UPDATES = 2**31
"""More than anyone makes."""


@dataclass(frozen=True, kw_only=True)
class Budget:
    """The same amount of training for every recipe."""

    unit: Unit = "tokens"
    """What is counted. tokens: non-padding tokens fed. passes: as many tokens as so many passes
    over the training text have. epochs: passes over a recipe's own examples, which is unequal
    work. flops: floating-point operations of the model, forward and backward. seconds: of this
    machine, turned into updates by a short timing."""
    amount: int | float | None = None
    """How much of it. By default as many tokens as 40 passes over the training text have."""

    def __post_init__(self) -> None:
        if self.amount is None and self.unit != "tokens":
            rule = f"be given where the unit is {self.unit}"
            raise must("budget.amount", rule, None, "Only tokens have a default.")
        if self.amount is not None and not self.amount > 0:
            raise must("budget.amount", "be above 0", self.amount, "Give a positive number.")
        if self.amount is not None and self.amount >= _TOO_MUCH:
            remedy = "No machine trains so long: give less."
            raise must("budget.amount", "be finite and below 2**63", self.amount, remedy)

    def resolve(self, *, training_tokens: int) -> Budget:
        """Turn passes, or no amount at all, into tokens of a training text of so many."""
        if self.amount is not None and self.unit != "passes":
            return self
        passes = DEFAULT_PASSES if self.amount is None else self.amount
        return Budget(unit="tokens", amount=passes * training_tokens)

    def updates(
        self,
        data: PretrainingDataModule,
        *,
        encoder: EncoderConfig | None = None,
        seconds_per_update: float | None = None,
    ) -> int:
        """Turn the budget into updates of one recipe, rounded up.

        Args:
            data: The recipe's data module: its batch, its examples, its text.
            encoder: The recipe's; only read where flops are the unit.
            seconds_per_update: What an update takes here; only read where seconds are the unit.

        Raises:
            UserError: If that is less than one update, or more than any run has.
        """
        # Of the whole text, also where a recipe learns from a share of it: the budget is one.
        whole = data.prepared.parts.train.num_tokens
        resolved = self.resolve(training_tokens=whole)
        amount = resolved.amount
        assert amount is not None, "resolving fills it in"
        assert resolved.unit != "passes", "resolving makes tokens of them"
        flops = flops_per_sequence(data, _known(encoder)) if resolved.unit == "flops" else []
        if resolved.unit == "seconds":
            assert seconds_per_update is not None, "seconds need a timing"
            least = float(seconds_per_update)
        else:
            least = _of_one_update(resolved.unit, data, flops)
        _check_floor(resolved.unit, amount, least)
        if resolved.unit == "seconds":
            count = max(1, round(amount / least))
        elif resolved.unit == "flops":
            count = updates_for(amount, sizes_of=data.sizes, worth=flops)
        else:
            count = data.updates_for(resolved.unit, float(amount))
        if count >= _TOO_MANY_UPDATES:
            remedy = f"It comes to {count:,}: give less."
            rule = f"come to fewer than {_TOO_MANY_UPDATES:,} updates"
            raise must("budget.amount", rule, amount, remedy)
        return count

    def describe(self) -> str:
        """Say the budget in a few words.

        Example:
            >>> Budget(unit="epochs", amount=15).describe()
            '15 epochs'
        """
        if self.amount is None:
            return f"{DEFAULT_PASSES} {_PASSES}"
        if self.unit == "passes":
            return f"{self.amount:,.10g} {_PASSES}"
        return f"{self.amount:,.10g} {self.unit}"


def _check_floor(unit: Unit, amount: int | float, least: float) -> None:
    """Refuse less than one update: rounded up, it would be another budget for each recipe."""
    if amount < least * (1 - 1e-9):
        passes = "" if unit == "passes" else " (--budget.unit passes counts passes over the text)"
        remedy = f"One update is {least:,.6g} {unit}: give more{passes}, or make batches smaller."
        raise must("budget.amount", "come to at least one update", amount, remedy)


def _of_one_update(unit: Unit, data: PretrainingDataModule, flops: Sequence[float]) -> float:
    """Give what the first update comes to in a unit."""
    if unit == "updates":
        return 1.0
    training = data.training
    worth: dict[Unit, Callable[[], float]] = {
        "sequences": lambda: 1.0,
        "tokens": lambda: training.tokens_per_sequence(0),
        "epochs": lambda: 1 / training.num_examples(0),
        "flops": lambda: flops[0],
    }
    return training.sizes(1).sequences(0, 1, stage=0) * worth[unit]()


def _known(encoder: EncoderConfig | None) -> EncoderConfig:
    assert encoder is not None, "operations are an encoder's"
    return encoder


def never_repeats_a_mask(data: PretrainingDataModule, updates: int) -> bool:
    """Tell whether a run ends before static masks come round: then it is the dynamic run.

    With `c` copies the masks of epoch `e` are those of visit `e % c`; up to epoch `c` that is
    `e`, which is what dynamic masking takes.
    """
    passes = max(data.training.passes(updates))
    return not copies_can_matter(passes, data.masking.copies)
