from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lit_roberta.comparison import halving as rounds_made
from lit_roberta.comparison.choosing import Choice
from lit_roberta.comparison.design import halving
from lit_roberta.comparison.design.budget import Budget
from lit_roberta.comparison.design.grid import build_grid
from lit_roberta.comparison.design.halving import plan_rounds, read_round, round_tasks
from lit_roberta.comparison.design.plan import plan_runs
from lit_roberta.comparison.design.recipes import PlannedRecipe, read_recipes
from lit_roberta.comparison.halving import halve
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.results import Failure
from lit_roberta.comparison.runs.stored import RESULT
from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.errors import UserError
from lit_roberta.workers import WorkerPool
from tests.comparison.texts import write_text


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> list[PlannedRecipe]:
    folder = tmp_path_factory.mktemp("text")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["compare.py"])
        variants, _ = build_grid(["bert", "roberta"], {"data.batch_size": [4, 8]})
        return read_recipes(variants, overrides=[f"data.corpus={write_text(folder)}"])


def _many(points: list[PlannedRecipe], count: int) -> list[PlannedRecipe]:
    """Make as many points of one recipe: only their number and their names matter."""
    return [
        PlannedRecipe(
            name=f"point-{place}",
            source="roberta",
            arguments=points[2].arguments,
            settings={**points[2].settings, "model.optimizer.lr": place},
            data=points[2].data,
            encoder=points[2].encoder,
        )
        for place in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "eta", "shares"),
    [
        (12, 2, [1 / 8, 1 / 4, 1 / 2]),  # 12, 6, 3, and 2 at the whole budget
        (9, 3, [1 / 3]),  # 9, and 3 at the whole budget: never one alone, where there can be two
        (10, 3, [1 / 9, 1 / 3]),
        (4, 2, [1 / 2]),
        (2, 2, [1 / 2]),
    ],
)
def test_rounds_are_as_much_shorter_as_there_are_more_points(
    points: list[PlannedRecipe], count: int, eta: int, shares: list[float]
) -> None:
    rounds = plan_rounds(_many(points, count), Budget(unit="updates", amount=720), {}, eta=eta)
    assert [turn.share for turn in rounds] == pytest.approx(shares)
    assert [turn.updates["point-0"] for turn in rounds] == [round(720 * each) for each in shares]


def test_a_shortest_round_without_an_update_is_refused(points: list[PlannedRecipe]) -> None:
    with pytest.raises(UserError, match=r"^--halving must leave the shortest of 4 rounds an upd"):
        plan_rounds(_many(points, 12), Budget(unit="updates", amount=7), {}, eta=2)


def test_the_best_of_each_recipe_go_on_and_failures_never(
    points: list[PlannedRecipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # BERT's points have the higher losses, but those are of another format.
    losses = {
        "bert-batch_size-4": 9.0,
        "bert-batch_size-8": 8.0,
        "roberta-batch_size-4": None,
        "roberta-batch_size-8": 5.0,
    }
    (turn,) = plan_rounds(points, Budget(unit="updates", amount=8), {}, eta=2)
    tasks = round_tasks(points, turn, tmp_path)
    for task in tasks:
        loss = losses[task.recipe]
        if loss is not None:
            task.folder.mkdir(parents=True)
            values = {"fingerprint": task.fingerprint, "validation_loss": loss}
            (task.folder / RESULT).write_text(json.dumps(values))
    rows = read_round(points, turn, tasks, eta=2)
    assert [(row.recipe, row.validation_loss, row.kept) for row in rows] == [
        ("bert-batch_size-4", 9.0, False),
        ("bert-batch_size-8", 8.0, True),
        ("roberta-batch_size-4", None, False),
        ("roberta-batch_size-8", 5.0, True),
    ]
    assert {row.updates for row in rows} == {4}


def test_each_round_is_a_run_of_its_own_with_a_seed_that_no_other_run_has(
    points: list[PlannedRecipe], tmp_path: Path
) -> None:
    rounds = plan_rounds(_many(points, 12), Budget(unit="updates", amount=720), {}, eta=2)
    tasks = [task for turn in rounds for task in round_tasks(_many(points, 12), turn, tmp_path)]
    assert len({task.fingerprint for task in tasks}) == len({task.folder for task in tasks}) == 36
    assert {task.aim for task in tasks} == {"validation"}
    assert sorted({task.seed for task in tasks}) == [
        halving.FIRST_SEED,
        halving.FIRST_SEED + 1,
        halving.FIRST_SEED + 2,
    ]


# ---- the rounds one after the other


def _pool() -> WorkerPool[Any]:
    return object.__new__(WorkerPool)  # nothing is trained here


def _asked(folder: Path, **more: Any) -> Comparison:
    grid = {"model.optimizer.lr": [1e-4, 1e-3]}
    budget = Budget(unit="updates", amount=720)
    return Comparison(grid=grid, halving=2, budget=budget, output=folder, **more)


def test_rounds_follow_one_another_until_few_points_are_left(
    points: list[PlannedRecipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def make(tasks: list[Task], *_: object, **__: object) -> list[Failure]:
        for task in tasks:
            task.folder.mkdir(parents=True)
            loss = float(task.recipe.rpartition("-")[2])
            values = {"fingerprint": task.fingerprint, "validation_loss": loss}
            (task.folder / RESULT).write_text(json.dumps(values))
        return []

    monkeypatch.setattr(rounds_made, "make_runs", make)
    left, rows = halve(_asked(tmp_path), _many(points, 12), {}, _pool(), Console(quiet=True))
    assert [recipe.name for recipe in left] == ["point-0", "point-1"]
    assert [sum(row.round == number for row in rows) for number in (1, 2, 3)] == [12, 6, 3]
    assert [sum(row.kept for row in rows if row.round == number) for number in (1, 2, 3)] == [
        *(6, 3, 2)
    ]


def test_halving_that_nothing_survives_or_that_is_parted_is_refused(
    points: list[PlannedRecipe], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failure = Failure(recipe="point-0", seed=2000, message="It diverged.")
    monkeypatch.setattr(rounds_made, "make_runs", lambda *_, **__: [failure])
    with pytest.raises(UserError, match=r"^Every run of the grid failed\. point-0: It diverged"):
        halve(_asked(tmp_path), _many(points, 2), {}, _pool(), Console(quiet=True))
    parted = _asked(tmp_path, choice=Choice(listing=True))
    with pytest.raises(UserError, match=r"^--halving must decide over whole rounds, got '--index"):
        halve(parted, _many(points, 2), {}, _pool(), Console(quiet=True))


def test_the_points_that_are_left_name_their_values_where_they_agree_in_one(
    points: list[PlannedRecipe], tmp_path: Path
) -> None:
    left = points[:1] + points[2:3]  # of both recipes those with a batch of 4
    plan = plan_runs(
        left,
        {recipe.name: 9 for recipe in left},
        seeds=[0],
        folder=tmp_path,
        tuned={},
        shown=["data.batch_size", "model.none"],
    )
    assert [arm.settings["data.batch_size"] for arm in plan.arms] == [4, 4]
    assert all("model.none" not in arm.settings for arm in plan.arms)
