"""One recipe under several orders of its text, each with the same initial weights.

In: a recipe and a number of orders. Out: an arm for each order; the seeds of the comparison are
then those of initial weights and dropout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lit_roberta.comparison.design.variants import Variant, named
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.errors import must

ORDER_SEED = "data.order_seed"


def with_orders(
    recipes: Sequence[str | Variant], orders: int, *, seeds: int
) -> tuple[list[Variant], Design]:
    """Give an arm for each order.

    Args:
        recipes: One.
        orders: How many, at least two.
        seeds: Of initial weights, at least two.

    Raises:
        UserError: If that can't tell the two apart.
    """
    if orders < 2:
        raise must("--order-seeds", "be 2 or more", orders, "One order shows no difference.")
    if seeds < 2:
        remedy = "One set of initial weights shows no difference."
        raise must("--seeds", "be 2 or more with --order-seeds", seeds, remedy)
    if len(recipes) > 1:
        remedy = "Give one: what its own runs differ by is asked."
        raise must("--recipes", "be one with --order-seeds", len(recipes), remedy)
    (asked,) = [Variant(source=one) if isinstance(one, str) else one for one in recipes]
    (name,) = named([asked])
    numbers = range(orders)
    arms = [
        replace(
            asked,
            name=f"{name}-order-{number}",
            settings=(*asked.settings, f"{ORDER_SEED}={number}"),
        )
        for number in numbers
    ]
    return arms, Design(kind="seeds", axes={ORDER_SEED: list(numbers)})
