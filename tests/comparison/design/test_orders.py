from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lit_roberta.comparison.design.arranging import arrange_arms
from lit_roberta.comparison.design.recipes import read_recipes
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.errors import UserError
from tests.comparison.texts import write_text


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


def test_each_order_is_an_arm_that_differs_in_nothing_else(tmp_path: Path) -> None:
    arms, design = arrange_arms(["roberta"], order_seeds=3, seeds=2, study=None)
    recipes = read_recipes(arms, overrides=[f"data.corpus={write_text(tmp_path)}"])
    assert [recipe.name for recipe in recipes] == [f"roberta-order-{n}" for n in range(3)]
    assert design.kind == "seeds"
    assert design.axes == {"data.order_seed": [0, 1, 2]}
    first = recipes[0].settings
    for number, recipe in enumerate(recipes):
        assert recipe.data.stream_seed == number
        assert recipe.settings == {**first, "data.order_seed": number}


@pytest.mark.parametrize(
    ("recipes", "orders", "seeds", "message"),
    [
        (["roberta"], 1, 2, "--order-seeds must be 2 or more"),
        (["roberta"], 2, 1, "--seeds must be 2 or more with --order-seeds"),
        (["roberta", "bert"], 2, 2, "--recipes must be one with --order-seeds"),
        (["nowhere"], 2, 2, "nowhere"),
    ],
)
def test_what_can_tell_nothing_apart_is_refused(
    recipes: list[str], orders: int, seeds: int, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        arrange_arms(recipes, order_seeds=orders, seeds=seeds, study=None)


def test_without_orders_the_arms_are_what_was_asked_for() -> None:
    asked: list[str | Variant] = ["bert", Variant(source="roberta", name="other")]
    arms, design = arrange_arms(asked, order_seeds=0, seeds=1, study=None)
    assert arms == asked
    assert design == replace(design, kind="plain", axes={})
