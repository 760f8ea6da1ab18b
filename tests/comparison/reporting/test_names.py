from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.comparison.reporting.markdown_text import row
from lit_roberta.comparison.reporting.naming import in_lines
from lit_roberta.comparison.reporting.report import write_report
from tests.comparison.planted import plant_results

_NAMES = {
    "signs": ("$\\frac$", "<b>a$x$ *y*", "&amp;"),
    "letters": ("[x](y) | z", "{{ x }}", "日本"),
    "long": tuple(f"{letter * 90}-{'learning-rate-' * 6}" for letter in "abc"),
}


@pytest.mark.parametrize("names", _NAMES.values(), ids=_NAMES)
def test_recipes_may_have_any_name(names: tuple[str, ...], tmp_path: Path) -> None:
    planted = plant_results(seeds=3)
    new = dict(zip((recipe.name for recipe in planted.recipes), names, strict=True))
    recipes = [replace(each, name=new[each.name]) for each in planted.recipes]
    runs = [replace(each, recipe=new[each.recipe]) for each in planted.runs]
    write_report(replace(planted, recipes=recipes, runs=runs), tmp_path)  # no warning, either
    page = (tmp_path / "report.html").read_text("utf-8")
    assert all(f"<strong>{escape(name, quote=False)}</strong>" in page for name in names)
    text = (tmp_path / "report.md").read_text("utf-8")
    assert all(f"\n{row([name])} " in text for name in names)
    picture = ElementTree.parse(tmp_path / "pictures" / "held-out.svg")
    drawn = ["".join(each.itertext()) for each in picture.iter() if each.tag.endswith("}text")]
    # a long name stands in several lines
    assert all("".join(name.split()) in "".join("".join(drawn).split()) for name in names)


@given(st.text(st.sampled_from("ab =-."), max_size=200))
def test_a_long_name_loses_no_letter_in_at_most_three_lines(name: str) -> None:
    lines = in_lines(name).splitlines()
    assert "".join("".join(lines).split()) == "".join(name.split())
    if max(map(len, name.split()), default=0) <= 6:
        assert len(lines) <= 3
