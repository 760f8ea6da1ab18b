from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from lit_roberta.comparison.design.recipes import RecipeReader, read_recipes
from lit_roberta.comparison.design.variants import Variant, named
from lit_roberta.errors import UserError
from tests.comparison.texts import write_text


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


def test_a_variant_is_its_file_with_its_settings_on_top(tmp_path: Path) -> None:
    variants = [
        Variant(
            source="roberta", name=f"copies-{copies}", settings=(f"data.masking.copies={copies}",)
        )
        for copies in ("1", "10", "null")
    ]
    text = (f"data.corpus={write_text(tmp_path)}",)
    recipes = read_recipes([*variants, "roberta"], overrides=text)
    assert [recipe.name for recipe in recipes] == [
        "copies-1",
        "copies-10",
        "copies-null",
        "roberta",
    ]
    assert [recipe.data.masking.copies for recipe in recipes] == [1, 10, None, None]
    assert recipes[2].settings == recipes[3].settings
    first, second = recipes[0].settings, recipes[1].settings
    assert {key for key in first if first[key] != second[key]} == {"data.masking.copies"}


def test_what_makes_a_recipe_one_is_not_taken_from_it_by_a_setting_for_all() -> None:
    variant = Variant(source="roberta", name="often", settings=("data.masking.rate=0.4",))
    with pytest.raises(UserError, match=r"^--data.masking.rate must not be given for all recipes"):
        read_recipes([variant], overrides=["data.masking.rate=0.2"])


def test_what_the_comparison_decides_is_not_a_variants_either() -> None:
    with pytest.raises(UserError, match=r"^--data.seed must be left to the comparison"):
        read_recipes([Variant(source="roberta", settings=("data.seed=3",))])


@pytest.mark.parametrize("name", ["two words", "a/b", "a:b", "", "a\\b", "tab\t"])
def test_a_name_that_is_no_folders_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=r"^the name of a recipe must be one word"):
        Variant(source="roberta", name=name)


@pytest.mark.parametrize("names", [("a", "a"), ("roberta", None)])
def test_two_recipes_of_one_name_are_refused(names: tuple[str | None, ...]) -> None:
    variants = [Variant(source="roberta", name=name) for name in names]
    with pytest.raises(UserError, match=r"^--recipes must have different names"):
        named(variants)


@pytest.mark.parametrize("stem", ["..", "new\nline", "\x1b[31mred", "not\udcfftext", "a" * 220])
def test_a_file_whose_name_is_no_folders_is_refused(stem: str, tmp_path: Path) -> None:
    path = tmp_path / f"{stem}.yaml"
    path.write_text("data: {batch_size: 16}\n")
    with pytest.raises(UserError, match=r"^--recipes must have names of [^\n]+$"):
        named([Variant(source=str(path))])


@pytest.mark.parametrize(
    "stem", ["my recipe", "-x", "--seeds", "<b>", "a&b_%|", "日本", "e\u200cf"]
)
def test_a_file_may_have_any_name_that_can_be_read(stem: str, tmp_path: Path) -> None:
    path = tmp_path / f"{stem}.yaml"
    path.write_text("data: {batch_size: 48}\n")
    reader = RecipeReader()
    with contextlib.chdir(tmp_path):
        (variant,) = named([Variant(source=f"./{path.name}")]).values()
        assert reader.settings(variant)["data.batch_size"] == 48
