from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lit_roberta.comparison.design.recipes import PlannedRecipe, read_recipes
from lit_roberta.comparison.design.tuning import (
    FIRST_SEED,
    GRID,
    at_edge,
    chosen_rates,
    read_tuning,
    tuning_tasks,
    with_rate,
)
from lit_roberta.comparison.reporting.tuning_table import tuning_table
from lit_roberta.comparison.runs.run import write_json
from lit_roberta.comparison.runs.tasks import Task
from tests.comparison.texts import write_text


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> PlannedRecipe:
    text = write_text(tmp_path_factory.mktemp("text"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["compare.py"])
        return read_recipes(["roberta"], overrides=[f"data.corpus={text}"])[0]


def plan(recipe: PlannedRecipe, folder: Path) -> list[Task]:
    return tuning_tasks([recipe], {"roberta": 9}, seeds=2, folder=folder)


def finish(task: Task, loss: float) -> None:
    task.folder.mkdir(parents=True)
    values = {"fingerprint": task.fingerprint, "validation_loss": loss}
    write_json(task.folder / "result.json", values)


def test_each_rate_is_tried_with_seeds_that_no_comparison_uses(
    recipe: PlannedRecipe, tmp_path: Path
) -> None:
    tasks = plan(recipe, tmp_path)
    assert len(tasks) == len({task.fingerprint for task in tasks}) == 2 * len(GRID)
    assert {task.seed for task in tasks} == {FIRST_SEED, FIRST_SEED + 1}
    assert {task.aim for task in tasks} == {"validation"}
    assert {task.arguments[-1] for task in tasks} == {
        f"--model.optimizer.lr={rate}" for rate in GRID
    }


def test_the_rate_of_the_file_does_not_matter_for_tuning(
    recipe: PlannedRecipe, tmp_path: Path
) -> None:
    other = plan(with_rate(recipe, 0.5), tmp_path)
    assert {t.fingerprint for t in other} == {t.fingerprint for t in plan(recipe, tmp_path)}


def test_the_lowest_mean_is_chosen_among_rates_whose_runs_all_finished(
    recipe: PlannedRecipe, tmp_path: Path
) -> None:
    by_rate: dict[str, list[Task]] = {}
    for task in plan(recipe, tmp_path):
        by_rate.setdefault(task.arguments[-1], []).append(task)
    losses = {2.5e-4: (5.5, 5.5), 5e-4: (4.0, 4.4), 1e-3: (4.3, 4.3), 2e-3: (1.0,), 4e-3: ()}
    for rate, values in losses.items():
        for task, loss in zip(by_rate[f"--model.optimizer.lr={rate}"], values, strict=False):
            finish(task, loss)
    rows = read_tuning([task for tasks in by_rate.values() for task in tasks])
    assert chosen_rates(rows) == {"roberta": 5e-4}
    table = tuning_table(rows)
    assert "| 0.0005 | **4.20** |" in table
    assert "| 0.004 | diverged |" in table
    assert "edge" not in table


def test_the_edge_of_the_grid_is_marked(recipe: PlannedRecipe, tmp_path: Path) -> None:
    tasks = plan(recipe, tmp_path)
    for task in tasks:
        finish(task, 1 / float(task.arguments[-1].partition("=")[2]))
    rows = read_tuning(tasks)
    assert chosen_rates(rows) == {"roberta": GRID[-1]}
    assert at_edge(GRID[-1])
    assert "At the edge of the grid, where a better rate may lie beyond: roberta." in tuning_table(
        rows
    )
