from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.evaluation.evaluate_cli import parse

OPTIONS = [
    ["--tasks", "sst2,rte"],
    ["--data=glue"],
    ["--lrs", "1e-5", "2e-5"],
    ["--batch-sizes", "16"],
    ["--mnli-first"],
    ["--keep"],
    ["--seeds", "3"],
    ["--grid", "bert"],
    ["--data.max_length", "64"],
    ["--patience", "0"],
]
MODELS = [["one=a.ckpt"], ["b.ckpt"], ["OWNER/NAME"]]
WANTED = parse([word for part in [*MODELS, *OPTIONS] for word in part])


@given(st.permutations(range(len(OPTIONS))), st.lists(st.integers(0, 10), min_size=3, max_size=3))
def test_models_stand_anywhere(order: list[int], places: list[int]) -> None:
    parts = [OPTIONS[number] for number in order]
    for model, place in zip(reversed(MODELS), sorted(places, reverse=True), strict=True):
        parts.insert(place, model)
    found = parse([word for part in parts for word in part])
    for name in ("models", "tasks", "data", "lrs", "batch_sizes", "seeds", "overrides"):
        assert getattr(found, name) == getattr(WANTED, name), name
    assert found.mnli_first
    assert found.keep
    assert found.grid == "bert"


@pytest.mark.parametrize("words", [["--grid", "a.ckpt"], ["a.ckpt", "--grid"]])
def test_a_grid_alone_is_robertas_wherever_it_stands(words: list[str]) -> None:
    found = parse([*words, "--tasks", "sst2", "--data", "glue"])
    assert found.grid == "roberta"
    assert found.models == ("a.ckpt",)
