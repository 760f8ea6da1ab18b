"""From a request to the arms, and how these relate to one another.

In: a request. Out: variants of recipes, and their design.
"""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.comparison.design.arranging import arrange_arms
from lit_roberta.comparison.design.grid import build_grid
from lit_roberta.comparison.design.ladder import build_ladder
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
    if asked.grid:
        points, design = build_grid(asked.recipes, asked.grid)
        return points, design if asked.study is None else asked.study.of(design)
    if not asked.ladder:
        return arrange_arms(
            asked.recipes, order_seeds=asked.order_seeds, seeds=asked.seeds, study=asked.study
        )
    arms, design = build_ladder(asked.ladder, order=asked.order, alone=asked.alone, reader=reader)
    return arms, design if asked.study is None else asked.study.of(design)
