"""From what was asked for to arms, and how these relate to one another."""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.comparison.design.orders import with_orders
from lit_roberta.comparison.design.study_file import Study
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.judging.designs import Design


def arrange_arms(
    recipes: Sequence[str | Variant], *, order_seeds: int, seeds: int, study: Study | None
) -> tuple[list[str | Variant], Design]:
    """Give the arms of a comparison.

    Args:
        recipes: As they were asked for.
        order_seeds: Orders of the text for each set of initial weights; 0 where the order follows
            the run's seed.
        seeds: Runs of each arm.
        study: What it is asked for by, if by a study.

    Raises:
        UserError: If they can't be arranged so.
    """
    arms: list[str | Variant] = list(recipes)
    design = Design()
    if order_seeds:
        varied, design = with_orders(recipes, order_seeds, seeds=seeds)
        arms = [*varied]
    return arms, design if study is None else study.of(design)
