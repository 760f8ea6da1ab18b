"""Results of ladders, grids, orders and fine-tuned runs with a known truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from lit_roberta.comparison.design.grid import point_name
from lit_roberta.comparison.judging.designs import Design, Judge, PaperTable, Rung
from lit_roberta.comparison.judging.task_scores import TaskScores
from lit_roberta.comparison.results import Results
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_results

AXES: dict[str, list[object]] = {
    "data.batch_size": [16, 64],
    "model.optimizer.lr": [1e-4, 3e-4, 1e-3],
}


def plant_ladder() -> Results:
    """Plant a walk of two switches, and one of them alone."""
    losses = {
        "start": {PAIRS: 3.5, DOCUMENTS: 5.0},
        "middle": {PAIRS: 3.2, DOCUMENTS: 4.6},
        "end": {PAIRS: 3.4, DOCUMENTS: 4.5},
        "alone": {PAIRS: 3.5, DOCUMENTS: 5.0},
    }

    def rung(before: str, arm: str, *, alone: bool = False) -> Rung:
        changes = {"data.masking.copies": [1, None]}
        return Rung(arm=arm, before=before, switch=f"to {arm}", changes=changes, alone=alone)

    rungs = [rung("start", "middle"), rung("middle", "end"), rung("start", "alone", alone=True)]
    paper = PaperTable(
        source="Liu et al. 2019, table 1",
        columns=["masking", "SQuAD 2.0"],
        rows=[["static", 78.3], ["<dynamic>", None]],
        note="A larger size.",
    )
    design = Design(kind="ladder", question="Which switch helps?", rungs=rungs, paper=paper)
    return replace(plant_results(losses=losses), design=design)


def plant_grid(axes: dict[str, list[object]], bases: Sequence[str] = ("",)) -> Results:
    """Plant a grid of which the first combination is the best and the last has no run."""
    points = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    losses = {
        f"{base}{point_name(point)}": {PAIRS: 3 + place / 9}
        for place, (base, point) in enumerate(product(bases, points))
    }
    planted = plant_results(losses=losses, seeds=2)
    # Settings that all arms share are not kept with them, so names alone say where an arm belongs.
    recipes = [replace(recipe, settings={}) for recipe in planted.recipes]
    runs = [run for run in planted.runs if run.recipe != recipes[-1].name]
    return replace(planted, recipes=recipes, runs=runs, design=Design(kind="grid", axes=axes))


def plant_orders() -> Results:
    """Plant three orders of one text, which lie apart, with four sets of initial weights each."""
    losses = {f"roberta-order-{place}": {PAIRS: 3.5 + 0.1 * place} for place in range(3)}
    design = Design(kind="seeds", axes={"data.order_seed": [0, 1, 2]})
    return replace(plant_results(losses=losses, seeds=4), design=design)


def plant_tasks(
    skills: Mapping[str, Mapping[str, float]] | None = None,
    *,
    judge: Judge = "loss",
    examples: int = 400,
    seeds: int = 5,
) -> Results:
    """Plant runs that were fine-tuned: each is right on every example with its recipe's chance.

    Args:
        skills: By task and recipe: that chance.
        judge: Of the comparison.
        examples: Of each task.
        seeds: Runs of each recipe.
    """
    skills = skills or {"polarity": {"bert": 0.7, "bert-10": 0.71, "roberta": 0.8}}
    scores = [
        _task_scores(task, recipe, skill, examples=examples, seeds=seeds)
        for task, by_recipe in skills.items()
        for recipe, skill in by_recipe.items()
    ]
    planted = plant_results(seeds=seeds)
    return replace(planted, finetuned=scores, design=replace(planted.design, judge=judge))


def _task_scores(task: str, recipe: str, skill: float, *, examples: int, seeds: int) -> TaskScores:
    """Draw the answers of a recipe's runs, to examples that are as hard for everyone."""
    hardness = np.random.default_rng([*task.encode()]).normal(size=examples)
    random = np.random.default_rng([*task.encode(), *recipe.encode()])
    limit = np.quantile(hardness, skill)
    right = hardness + random.normal(scale=0.2, size=(seeds, examples)) < limit
    return TaskScores(
        task=task,
        recipe=recipe,
        metric="accuracy",
        higher_is_better=True,
        part="test",
        baseline=0.5,
        seeds=list(range(seeds)),
        scores=right.mean(axis=1).tolist(),
        examples=[
            {"metric": "accuracy", "count": examples, "digest": task, "each": row.tolist()}
            for row in right.astype(np.float64)
        ],
    )
