"""From a request to the arms, and how these relate to one another.

In: a request. Out: variants of recipes, and their design.
"""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.comparison.design.grid import build_grid
from lit_roberta.comparison.design.ladder import build_ladder
from lit_roberta.comparison.design.orders import with_orders
from lit_roberta.comparison.design.recipes import RecipeReader
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.request import Comparison

Arms = Sequence[str | Variant]
"""Recipes by their files, or with settings of their own."""


def arrange(asked: Comparison, reader: RecipeReader) -> tuple[Arms, Design]:
    """Say which arms a comparison has.

    Raises:
        UserError: If they can't be compared as asked.
    """
    arms, design = _arms(asked, reader)
    return arms, design if asked.study is None else asked.study.of(design)


def _arms(asked: Comparison, reader: RecipeReader) -> tuple[Arms, Design]:
    if asked.grid:
        return build_grid(asked.recipes, asked.grid)
    if asked.ladder:
        return build_ladder(asked.ladder, order=asked.order, alone=asked.alone, reader=reader)
    if asked.order_seeds:
        return with_orders(asked.recipes, asked.order_seeds, seeds=asked.seeds)
    return asked.recipes, Design()
