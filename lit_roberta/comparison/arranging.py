"""From a request to the arms, and how these relate to one another.

In: a request. Out: variants of recipes, and their design.
"""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.comparison.design.grid import build_grid
from lit_roberta.comparison.design.ladder import build_ladder
from lit_roberta.comparison.design.orders import with_orders
from lit_roberta.comparison.design.recipes import RecipeReader
from lit_roberta.comparison.design.study_file import Study
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.request import Comparison
from lit_roberta.errors import must

Arms = Sequence[str | Variant]
"""Recipes by their files, or with settings of their own."""


def arrange(asked: Comparison, reader: RecipeReader) -> tuple[Arms, Design]:
    """Say which arms a comparison has.

    Raises:
        UserError: If they can't be compared as asked.
    """
    arms, design = _arms(asked, reader)
    if asked.study is None:
        return arms, design
    _require_judge(asked, asked.study)
    return arms, asked.study.of(design)


def _require_judge(asked: Comparison, study: Study) -> None:
    """See that whoever is to judge will be asked: else all runs are made, and nobody says a word.

    Raises:
        UserError: If not.
    """
    remedies = {
        "probes": None if asked.probes else "Give --probes, or write `probes: true` into it.",
        "fine-tuning": None
        if asked.finetune
        else "Give --finetune FILE, or name it in `finetune`.",
    }
    if remedy := remedies.get(study.judge):
        raise must("--study", "ask for its judge", f"{study.name} with {study.judge}", remedy)


def _arms(asked: Comparison, reader: RecipeReader) -> tuple[Arms, Design]:
    if asked.grid:
        return build_grid(asked.recipes, asked.grid)
    if asked.ladder:
        return build_ladder(asked.ladder, order=asked.order, alone=asked.alone, reader=reader)
    if asked.order_seeds:
        return with_orders(asked.recipes, asked.order_seeds, seeds=asked.seeds)
    return asked.recipes, Design()
