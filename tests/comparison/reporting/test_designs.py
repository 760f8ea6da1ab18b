"""Ladders and grids in tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.judging.grid_verdict import HalvingRow
from lit_roberta.comparison.reporting.design_tables import (
    grid_cells,
    grid_table,
    halving_table,
    ladder_table,
)
from lit_roberta.comparison.reporting.drawing import chart_style
from lit_roberta.comparison.reporting.grid_chart import draw_grid
from lit_roberta.comparison.reporting.ladder_chart import draw_ladder
from lit_roberta.comparison.reporting.luck_chart import draw_luck, luck_table
from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.reporting.task_scores import draw_tasks, tasks_table
from tests.comparison.planted import plant_results
from tests.comparison.planted_designs import (
    AXES,
    plant_grid,
    plant_ladder,
    plant_orders,
    plant_tasks,
)


def test_a_ladder_has_a_row_for_every_rung_and_says_what_it_does() -> None:
    table = ladder_table(plant_ladder())
    assert table is not None
    assert [row[0] for row in table.rows] == ["middle", "end", "alone"]
    assert [row[-1] for row in table.rows[:2]] == ["helps", "hurts"]
    assert table.rows[2][-1] in ("cannot tell", "no difference that matters")
    assert table.rows[0][3] == "data.masking.copies: 1 to none"
    assert table.rows[2][1] == "to alone (alone)"
    assert table.rows[0][4].startswith("+0.3")


def test_the_walk_and_the_switches_alone_are_two_pictures() -> None:
    with chart_style():
        walk, alone = draw_ladder(plant_ladder())
    assert "to middle" in walk.svg
    assert "to end" in walk.svg
    assert "to alone" not in walk.svg
    assert "to alone" in alone.svg
    assert "to middle +0.3" in walk.description


def test_a_comparison_that_is_none_has_neither() -> None:
    results = plant_results()
    assert ladder_table(results) is None
    assert grid_table(results) is None
    assert luck_table(results) is None
    assert tasks_table(results) is None
    assert draw_tasks(results) is None
    assert draw_ladder(results) == []
    assert draw_grid(results) is None
    assert draw_luck(results) is None


@pytest.mark.parametrize(
    "axes",
    [
        AXES,
        {"model.optimizer.lr": [1e-4, 1e-3]},
        {**AXES, "model.next_sentence": [True, False]},
    ],
    ids=len,
)
@pytest.mark.parametrize("bases", [("",), ("bert-", "roberta-")], ids=len)
def test_a_grid_shows_every_combination_in_its_place(
    axes: dict[str, list[object]], bases: Sequence[str]
) -> None:
    results = plant_grid(axes, bases)
    table = grid_table(results)
    assert table is not None
    last = list(axes)[-1]
    across = len(axes[last])
    cells = [cell for row in table.rows for cell in row[-across:]]
    assert len(cells) == len(results.recipes) == len(grid_cells(results))
    assert cells[-1] == "none"
    numbers = [float(cell.split()[0]) for cell in cells[:-1]]
    assert numbers == sorted(numbers)
    with chart_style():
        chart = draw_grid(results)
    assert chart is not None
    assert f"The lowest is {numbers[0]:.2f}" in chart.description


def test_a_point_that_was_dropped_is_none_and_nobody_stands_in_its_place() -> None:
    results = plant_grid(AXES)
    first = results.recipes[0]
    left = replace(results, recipes=[first], runs=results.runs_of(first.name))
    table = grid_table(left)
    assert table is not None
    cells = [cell for row in table.rows for cell in row[1:]]
    assert [cell == "none" for cell in cells] == [False, *[True] * 5]


def test_orders_of_the_text_are_no_grid() -> None:
    results = replace(plant_grid(AXES), design=Design(kind="seeds", axes={"data.order_seed": [0]}))
    assert grid_table(results) is None


def test_small_values_keep_their_digits_in_a_picture() -> None:
    with chart_style():
        chart = draw_grid(plant_grid(AXES))
    assert chart is not None
    for value in ("0.0001", "0.0003", "0.001"):
        assert f">{value}<" in chart.svg
        assert f">{value}<" in chart.file


@pytest.mark.usefixtures("undrawn")
def test_the_numbers_of_a_paper_are_marked_as_its_own(tmp_path: Path) -> None:
    write_report(plant_ladder(), tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "Not from here:</strong> the numbers of Liu et al. 2019, table 1" in page
    assert "&lt;dynamic&gt;" in page
    assert "Which switch helps?" in page
    text = (tmp_path / "report.md").read_text("utf-8")
    assert "Not from here: the numbers of Liu et al. 2019, table 1" in text
    assert "| static | 78.3 |" in text
    assert "![" in text
    assert "(pictures/ladder.png)" in text


def test_rounds_of_halving_stand_beside_the_grid() -> None:
    results = plant_results()
    assert halving_table(results) is None
    found = [("a", 1, 5.0, True), ("b", 1, 5.5, False), ("c", 1, None, False), ("a", 2, 4.0, True)]
    rows = [
        HalvingRow(
            round=number, share=number / 4, recipe=name, updates=9, validation_loss=loss, kept=kept
        )
        for name, number, loss, kept in found
    ]
    table = halving_table(replace(results, halving=rows))
    assert table is not None
    assert table.header == ["point", "0.25 of the budget", "0.5 of the budget"]
    assert table.rows == [
        ["a", "5.00, goes on", "4.00, goes on"],
        ["b", "5.50", ""],
        ["c", "failed", ""],
    ]


def test_orders_and_initial_weights_have_a_cell_for_every_run() -> None:
    results = plant_orders()
    table, luck = luck_table(results), results.luck()
    assert table is not None
    assert luck is not None
    assert table.header == ["order", *(f"weights {seed}" for seed in range(4)), "mean"]
    for row, recipe in zip(table.rows, results.recipes, strict=True):
        losses = [run.heldout[recipe.format].mlm_loss for run in results.runs_of(recipe.name)]
        mean = sum(losses) / len(losses)
        assert row == [recipe.name, *(f"{loss:.3f}" for loss in (*losses, mean))]
    with chart_style():
        chart = draw_luck(results)
    assert chart is not None
    assert luck.sentences()[1] in chart.description
    assert "initial weights" in chart.svg


@pytest.mark.usefixtures("undrawn")
def test_orders_stand_in_the_report_with_their_picture(tmp_path: Path) -> None:
    write_report(plant_orders(), tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<h1>The order of the text makes runs differ" in page
    assert 'id="luck-of-runs"' in page
    assert "(pictures/luck.png)" in (tmp_path / "report.md").read_text("utf-8")
    assert (tmp_path / "tables" / "luck.csv").is_file()


def test_scores_after_fine_tuning_have_a_row_for_every_recipe_and_task() -> None:
    results = plant_tasks({"one": {"bert": 0.7, "roberta": 0.8}, "other": {"roberta": 0.6}})
    table = tasks_table(results)
    assert table is not None
    assert [row[:2] for row in table.rows] == [
        ["bert", "one"],
        ["roberta", "one"],
        ["roberta", "other"],
    ]
    for row, each in zip(table.rows, results.finetuned, strict=True):
        mean = sum(each.scores) / len(each.scores)
        assert row[3].startswith(f"{mean:.4f} +/- ")
        assert row[4:6] == [f"{min(each.scores):.4f}", f"{max(each.scores):.4f}"]
    with chart_style():
        chart = draw_tasks(results)
    assert chart is not None
    assert ">other<" in chart.svg


@pytest.mark.usefixtures("undrawn")
def test_fine_tuning_stands_in_the_report(tmp_path: Path) -> None:
    write_report(plant_tasks(), tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert 'id="after-fine-tuning"' in page
    assert "Fine-tuned for polarity: roberta is better than bert by" in page
    assert "(pictures/tasks.png)" in (tmp_path / "report.md").read_text("utf-8")
    assert (tmp_path / "tables" / "tasks.csv").is_file()
