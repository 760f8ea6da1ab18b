"""The words of a command line that say how much each run may train.

In: options. Out: the fields of a request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jsonargparse import Namespace

from lit_roberta.comparison.design.budget import Budget, Unit
from lit_roberta.errors import must
from lit_roberta.training.parser import OneLineParser


def add_budget_options(parser: OneLineParser) -> None:
    """Add the budget of each run, and several of them."""
    parser.add_class_arguments(Budget, "budget")
    parser.add_argument(
        "--budgets",
        type=str | None,
        help="Compare at each of several budgets, as 10,20,40: passes over the training text, or "
        "amounts in --budget.unit. Each is made of runs of its own length.",
    )


def read_budgets(own: Sequence[str], asked: Namespace) -> dict[str, Any]:
    """Give the fields of a request.

    Args:
        own: The words, which say whether a unit was given.
        asked: The same, parsed.

    Raises:
        UserError: If they make no sense.
    """
    unit, amount = asked.budget.unit, asked.budget.amount
    if asked.budgets is None:
        return {"budget": Budget(unit=unit, amount=amount)}
    given = {word.partition("=")[0] for word in own}
    if "--budget.amount" in given:
        raise must("--budget.amount", "not be given with --budgets", amount, "Give one of them.")
    amounts = parse_amounts(asked.budgets)
    in_unit: Unit = "passes" if unit == "tokens" and "--budget.unit" not in given else unit
    return {"budget": Budget(unit=in_unit, amount=amounts[0]), "budgets": amounts}


def parse_amounts(words: str) -> tuple[float, ...]:
    """Read amounts with commas between.

    Raises:
        UserError: If they are none, or one is there twice.

    Example:
        >>> parse_amounts("10,2.5e3")
        (10.0, 2500.0)
    """
    try:
        amounts = tuple(float(word) for word in words.split(","))
    except ValueError:
        remedy = "Write them with commas between, without spaces."
        raise must("--budgets", "be numbers, as 10,20,40", words, remedy) from None
    if len({f"{amount:g}" for amount in amounts}) < len(amounts):
        raise must("--budgets", "have different amounts", words, "Leave one of them out.")
    for amount in amounts:
        Budget(amount=amount)  # refuses what no budget is
    return amounts
