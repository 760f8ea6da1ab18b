from __future__ import annotations

from dataclasses import replace

import pytest

from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.judging.grid_verdict import HalvingRow, best_points, grid_pairs
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.results_file import results_from_json
from tests.comparison.planted import PAIRS, plant_results

_GRID = Design(kind="grid", axes={"model.optimizer.lr": [1e-4, 5e-4, 1e-3]})


def _planted() -> Results:
    planted = plant_results(losses={"bert": {PAIRS: 3.5}, "bert-10": {PAIRS: 3.1}})
    recipes = [replace(recipe, source="bert.yaml") for recipe in planted.recipes]
    return replace(planted, recipes=recipes, design=_GRID)


def test_the_best_on_validation_is_held_against_the_others_of_its_recipe_on_test() -> None:
    losses = {
        "bert": {"a": [4.0, 4.2], "b": [3.9, 4.0], "c": [5.0]},
        "roberta": {"d": [9.0], "e": [8.0]},
    }
    assert best_points(losses) == {"bert": "b", "roberta": "e"}
    assert grid_pairs(losses) == [("b", "a"), ("b", "c"), ("e", "d"), ("b", "e")]


def test_a_verdict_on_a_grid_names_the_best_on_validation_first() -> None:
    verdict = _planted().verdict()
    assert verdict.headline == (
        f"On validation text, bert-10 ({_mean(_planted(), 'bert-10')}) is best of 3 points. "
        "On test text: bert-10 is the better recipe on this text."
    )
    assert [(pair.first, pair.second) for pair in verdict.pairs] == [("bert-10", "bert")]


def test_one_point_that_is_left_is_named_alone() -> None:
    planted = _planted()
    alone = replace(
        planted,
        recipes=planted.recipes[1:],
        runs=[run for run in planted.runs if run.recipe == "bert-10"],
    )
    assert alone.verdict().headline.endswith("is best of 3 points.")


def test_a_grid_that_loss_cannot_judge_names_no_best_on_validation() -> None:
    planted = replace(_planted(), design=replace(_GRID, judge="probes"))
    assert "validation" not in planted.verdict().headline


@pytest.mark.parametrize("loss", [3.5, None])
def test_rounds_are_read_from_results_as_they_were(loss: float | None) -> None:
    row = HalvingRow(
        round=1, share=0.5, recipe="bert", updates=9, validation_loss=loss, kept=loss is not None
    )
    results = replace(_planted(), halving=[row])
    assert results_from_json(results.as_json()).halving == [row]


def _mean(results: Results, name: str) -> str:
    losses = results.validation_losses()["bert"][name]
    return f"{sum(losses) / len(losses):.2f}"
