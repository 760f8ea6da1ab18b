from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lit_roberta.comparison.design.orders import with_orders
from lit_roberta.comparison.design.recipes import read_recipes
from lit_roberta.errors import UserError
from tests.comparison.texts import write_text


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


def test_each_order_is_an_arm_that_differs_in_nothing_else(tmp_path: Path) -> None:
    arms, design = with_orders(["roberta"], 3, seeds=2)
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
        with_orders(recipes, orders, seeds=seeds)
