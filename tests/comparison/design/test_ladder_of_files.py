"""A ladder between shipped recipes, read as they are trained."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lit_roberta.comparison.design.fingerprints import fingerprint
from lit_roberta.comparison.design.ladder import build_ladder
from lit_roberta.comparison.design.recipes import RecipeReader
from lit_roberta.comparison.design.switches import find_switches
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.design.walking import Trial
from tests.comparison.texts import write_text


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


def _reader(folder: Path) -> RecipeReader:
    return RecipeReader(overrides=[f"data.corpus={write_text(folder)}"])


@pytest.mark.parametrize("first", ["bert", "bert-10"])
def test_all_switches_on_top_of_a_recipe_are_the_run_of_the_other_one(
    tmp_path: Path, first: str
) -> None:
    reader = _reader(tmp_path)
    start, end = Variant(source=first, name="start"), Variant(source="roberta", name="end")
    switches = find_switches(reader.settings(start), reader.settings(end))
    walked = reader.read(Trial(start, switches, reader).variant(switches, "walked"), "walked")
    other = reader.read(end, "end")
    one, two = (fingerprint(each, updates=9, seed=0) for each in (walked, other))
    assert walked.settings == other.settings
    assert one == two
    assert fingerprint(reader.read(start, "start"), updates=9, seed=0) != one


@pytest.mark.slow
def test_the_shipped_recipes_have_a_ladder_whose_every_rung_is_another_run(tmp_path: Path) -> None:
    reader = _reader(tmp_path)
    variants, design = build_ladder(["bert", "roberta"], reader=reader)
    recipes = reader.read_all(variants)
    prints = {each.name: fingerprint(each, updates=500, seed=0) for each in recipes}
    assert len(set(prints.values())) == len(recipes) == 8
    assert [rung.switch for rung in design.rungs if not rung.alone] == [
        *("masking copies", "next-sentence prediction", "format"),
        "batch size with its learning rate",
    ]
    assert [rung.note[:45] for rung in design.rungs if rung.note] == [
        "format needs next-sentence prediction switche"
    ]
