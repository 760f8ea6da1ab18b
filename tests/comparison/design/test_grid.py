from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.comparison.cli import parse
from lit_roberta.comparison.design.grid import build_grid, grid_words, read_grid
from lit_roberta.comparison.design.variants import named
from lit_roberta.errors import UserError

_VALUES = st.lists(
    st.one_of(
        st.integers(-9, 9),
        st.none(),
        st.booleans(),
        st.sampled_from(["doc-sentences", "linear"]),
        st.lists(st.integers(2, 9), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=4,
    unique_by=repr,
)


@given(st.dictionaries(st.sampled_from(["data.a", "model.b.c", "model.d"]), _VALUES, min_size=1))
def test_every_combination_of_values_is_an_arm_of_every_recipe(axes: dict[str, list[Any]]) -> None:
    if any(values.count(value) > 1 for values in axes.values() for value in values):
        return  # 1 and true are one value
    assert read_grid(grid_words(axes)) == axes
    variants, design = build_grid(["bert", "roberta"], axes)
    count = 2
    for values in axes.values():
        count *= len(values)
    assert len({(each.source, each.settings) for each in variants}) == len(variants) == count
    assert len(named(variants)) == count
    assert (design.kind, design.axes) == ("grid", axes)
    assert all(len(variant.settings) == len(axes) for variant in variants)


def test_points_have_names_that_are_folders() -> None:
    axes = read_grid(["model.optimizer.lr=1e-4,3e-4", "model.optimizer.betas=[0.9,0.98]"])
    variants, _ = build_grid(["roberta"], axes)
    assert [variant.name for variant in variants] == [
        "lr-0.0001-betas-0.9-0.98",
        "lr-0.0003-betas-0.9-0.98",
    ]
    variants, _ = build_grid(["bert", "roberta"], {"data.masking.copies": [None]})
    assert [variant.name for variant in variants] == ["bert-copies-null", "roberta-copies-null"]


def test_a_grid_over_what_loss_cannot_judge_is_not_judged_by_it() -> None:
    assert build_grid(["roberta"], {"data.batch_size": [16, 64]})[1].judge == "loss"
    assert build_grid(["roberta"], {"data.masking.rate": [0.1, 0.4]})[1].judge == "probes"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--grid", "data.batch_size="], "--grid must give each setting values, got 'data.batch"),
        (["--grid", "data.batch_size"], "--grid must give each setting values, got 'data.batch"),
        (["--grid", "data.batch_size=16,,64"], "--grid must give each setting values, got "),
        (["--grid", "model.optimizer.lr=1e-3,0.001"], "--grid must give model.optimizer.lr each "),
        (["--grid", "data.a=1", "data.a=2"], "--grid must name each setting once, got 'data.a'"),
        (
            ["--grid", "model.optimizer.lr=1e-3,1e-4", "--tune-lr", "1"],
            "--tune-lr must be left out where the grid has model.optimizer.lr, got 1.",
        ),
        (
            ["--grid", "data.batch_size=16,64", "--halving", "2", "--tune-lr", "1"],
            "--tune-lr must be left out beside --halving, got 1.",
        ),
        (["--halving", "2"], "--halving must come with --grid, got 2."),
        (["--grid", "data.batch_size=16,64", "--halving", "1"], "--halving must be 2 or more"),
        (
            ["--grid", "data.masking.rate=0.1,0.4", "--halving", "2"],
            "--halving must drop points by a loss that can judge them, got 'data.masking.rate'.",
        ),
        (
            ["--grid", "data.batch_size=16,64", "--ladder", "bert", "roberta"],
            "--ladder must be left out beside --grid, got ('bert', 'roberta').",
        ),
        (["--order", "nsp"], "--order must come with --ladder, got ['nsp']."),
        (
            ["--recipes", "bert", "--ladder", "bert", "roberta"],
            "--recipes must be left out beside --ladder, got ['bert'].",
        ),
    ],
)
def test_what_is_no_grid_is_one_line(words: list[str], message: str) -> None:
    with pytest.raises(UserError) as raised:
        parse(words)
    assert str(raised.value).startswith(message)


def test_a_grid_has_one_recipe_where_none_is_named() -> None:
    asked = parse(["--grid", "data.batch_size=16,64", "--halving", "3"])
    assert (asked.recipes, asked.grid, asked.halving) == (
        ("roberta",),
        {"data.batch_size": [16, 64]},
        3,
    )
    assert parse(["--study", "grid"]).grid["data.batch_size"] == [256, 512, 1024, 2048]
