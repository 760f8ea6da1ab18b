from __future__ import annotations

import subprocess
import sys
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lit_roberta
from lit_roberta.comparison.design.fingerprints import (
    counted_files,
    fingerprint,
    stream_identity,
)
from lit_roberta.comparison.design.plan import plan_runs
from lit_roberta.comparison.design.recipes import PlannedRecipe, read_recipes
from lit_roberta.comparison.runs.stored import differs_by_code, scoring_files
from lit_roberta.data.datamodule import PretrainingDataModule
from tests.comparison.texts import write_text


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> list[PlannedRecipe]:
    folder = tmp_path_factory.mktemp("text")
    dynamic = folder / "bert-dynamic.yaml"
    dynamic.write_text(
        "data:\n  format: sentence-pair\n  batch_size: 16\n  masking:\n    copies: null\n"
        "model:\n  next_sentence: true\n  optimizer:\n    lr: 1.0e-3\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["compare.py"])
        return read_recipes(
            ["bert", "bert-10", str(dynamic)],
            overrides=[f"data.corpus={write_text(folder)}", "model.optimizer.lr=1e-3"],
        )


def of(
    recipe: PlannedRecipe,
    settings: dict[str, Any] | None = None,
    *,
    updates: int = 100,
    seed: int = 0,
) -> str:
    changed = replace(recipe, settings={**recipe.settings, **(settings or {})})
    return fingerprint(changed, updates=updates, seed=seed)


def test_every_setting_counts(recipes: list[PlannedRecipe]) -> None:
    recipe = recipes[0]
    base = of(recipe)
    corpora = ("data.corpus", "data.validation_corpus", "data.test_corpus")
    for key in recipe.settings:
        changed = of(recipe, {key: "something else"})
        assert (changed == base) is (key in corpora), key


def test_length_seed_and_aim_count(recipes: list[PlannedRecipe]) -> None:
    recipe = recipes[0]
    base = of(recipe)
    assert of(recipe, updates=101) != base
    assert of(recipe, seed=1) != base
    assert fingerprint(recipe, updates=100, seed=0, aim="validation") != base


def test_the_code_counts(recipes: list[PlannedRecipe], monkeypatch: pytest.MonkeyPatch) -> None:
    base = of(recipes[0])
    monkeypatch.setattr(
        "lit_roberta.comparison.design.fingerprints.code_digest", lambda: "other code"
    )
    assert of(recipes[0]) != base
    assert differs_by_code(of(recipes[0]), base)
    assert not differs_by_code(of(recipes[0], seed=1), base)


def test_a_run_does_not_depend_on_whom_it_is_compared_with(
    recipes: list[PlannedRecipe], tmp_path: Path
) -> None:
    bert, ten, dynamic = recipes
    documents = replace(ten, name="documents", data=_in_documents(ten.data))

    def planned(*compared: PlannedRecipe) -> dict[str, str]:
        updates = {recipe.name: 500 for recipe in compared}
        plan = plan_runs(compared, updates, seeds=range(2), folder=tmp_path, tuned={})
        return {task.label: task.fingerprint for task in plan.tasks}

    alone, together = planned(bert), planned(dynamic, documents, bert)
    assert alone.items() <= together.items()
    assert len(set(together.values())) == 6


def _in_documents(data: PretrainingDataModule) -> PretrainingDataModule:
    other = copy(data)
    other.packing = replace(data.packing, format="doc-sentences")
    return other


def test_a_name_is_not_part_of_a_run(recipes: list[PlannedRecipe]) -> None:
    assert of(replace(recipes[0], name="other")) == of(recipes[0])


def test_copies_count_only_once_they_come_round(recipes: list[PlannedRecipe]) -> None:
    one, ten, dynamic = recipes
    epoch = -(-ten.data.num_examples // 16)
    short, long = 5 * epoch, 11 * epoch
    assert of(ten, updates=short) == of(dynamic, updates=short) != of(one, updates=short)
    assert of(ten, updates=long) != of(dynamic, updates=long)
    identities = {stream_identity(recipe, updates=short) for recipe in recipes}
    assert len(identities) == 2


def test_the_same_run_is_planned_once(recipes: list[PlannedRecipe], tmp_path: Path) -> None:
    updates = dict.fromkeys((recipe.name for recipe in recipes), 5)
    plan = plan_runs(recipes, updates, seeds=range(2), folder=tmp_path, tuned={})
    # Five updates of sixteen are less than an epoch: no mask comes twice, not even with one copy.
    assert [arm.same_as for arm in plan.arms] == [None, "bert", "bert"]
    assert [(task.recipe, task.seed) for task in plan.tasks] == [("bert", 0), ("bert", 1)]
    first, *others = plan.notices
    assert first.startswith("bert sees no mask twice at this budget, so its 1 masking copy is as")
    assert [notice.partition(" at this budget")[0] for notice in others] == [
        "bert-10 is the same run as bert",
        "bert-dynamic is the same run as bert",
    ]
    assert plan.tasks[1].folder == tmp_path / "bert" / "seed-1"


def test_only_what_differs_is_shown(recipes: list[PlannedRecipe], tmp_path: Path) -> None:
    updates = dict.fromkeys((recipe.name for recipe in recipes), 500)
    plan = plan_runs(recipes, updates, seeds=range(1), folder=tmp_path, tuned={"bert": 8e-3})
    assert [arm.settings for arm in plan.arms] == [
        {"data.masking.copies": copies} for copies in (1, 10, None)
    ]
    assert [arm.copies for arm in plan.arms] == [1, 10, None]
    assert plan.notices == []
    assert [arm.tuned for arm in plan.arms] == [True, False, False]


def test_the_code_that_counts_is_all_that_a_run_imports() -> None:
    script = "import sys, lit_roberta.comparison.runs.tasks; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    used = {name for name in done.stdout.split() if name.startswith("lit_roberta.")}
    package = Path(lit_roberta.__file__).parent
    counted = {
        ".".join(["lit_roberta", *path.relative_to(package).with_suffix("").parts])
        for path in [*counted_files(), *scoring_files()]
    }
    packages = {name.removesuffix(".__init__") for name in counted}
    assert used - {"lit_roberta.comparison"} <= packages
    assert not [name for name in packages if name.startswith("lit_roberta.finetuning")]
