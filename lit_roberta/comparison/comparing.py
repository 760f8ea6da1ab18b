"""The comparison from start to end: plan, train, score, judge, report.

The order of things and nothing else; each step is a module beside this one.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from lit_roberta.comparison.arranging import arrange
from lit_roberta.comparison.beforehand import Beforehand, find_out
from lit_roberta.comparison.design.budget import Budget
from lit_roberta.comparison.design.plan import Plan, plan_runs
from lit_roberta.comparison.design.recipes import PlannedRecipe, RecipeReader
from lit_roberta.comparison.environment import describe_environment
from lit_roberta.comparison.fine_tuning import check_finetuning, fine_tune_runs
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.not_asked import notices_of_judges_not_asked
from lit_roberta.comparison.probing import probe_runs
from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.request import DEFAULT_RECIPES, DEFAULT_SEEDS, Comparison
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.run_making import make_chosen, read_runs
from lit_roberta.comparison.text_facts import describe_text
from lit_roberta.errors import UserError
from lit_roberta.machine import default_jobs, threads_of_each
from lit_roberta.training.output_folder import claimed, require_output
from lit_roberta.workers import worker_pool


def compare_recipes(
    recipes: Sequence[str] = DEFAULT_RECIPES,
    *,
    ladder: Sequence[str] = (),
    order: Sequence[str] = (),
    grid: Mapping[str, Sequence[Any]] | None = None,
    halving: int = 0,
    corpus: str | None = None,
    seeds: int = DEFAULT_SEEDS,
    order_seeds: int = 0,
    budget: Budget | None = None,
    output: str | Path = "comparison-report",
    jobs: int | None = None,
    tune_lr: int = 0,
    probes: bool = False,
    finetune: Sequence[str] = (),
    overlays: Sequence[str] = (),
    overrides: Sequence[str] = (),
) -> Results | None:
    """Train recipes under one budget, judge them, and write the report.

    It starts processes: in a script, call it under `if __name__ == "__main__":`.

    Args:
        recipes: Configuration files, or shipped ones by name.
        ladder: Recipes to walk between, one switch at a time, in their place.
        order: Switches in the order to walk in.
        grid: By setting: values, of which every combination is tried on each recipe.
        halving: One of so many points of the grid goes on to a longer budget; 0 for all.
        corpus: Text for all of them; None for what the recipes say, which is the toy corpus.
        seeds: Runs of each recipe, with seeds 0, 1, ...; 0 only tunes.
        order_seeds: Orders of the text of one recipe, each with the initial weights of every
            seed: what its runs differ by is split in two. 0 for one order a seed.
        budget: What each run may use; None for 40 passes over the training text, in tokens.
        output: Folder of the report and the runs. Finished runs in it are used again.
        jobs: Runs made at once; None for as many as this machine takes well.
        tune_lr: Runs at each learning rate of the grid before the comparison; 0 for none.
        probes: Whether the runs answer minimal pairs, too, which judge them on more than loss.
        finetune: Configuration files of fine-tuning: tasks that every run learns, too, which
            judge them by what models are made for.
        overlays: Configuration files for all recipes, such as `size/small`.
        overrides: Settings for all recipes, as `data.max_length=128`.

    Returns:
        Everything that was found; None where there was nothing but tuning.

    Raises:
        UserError: If something can't be done as asked.
    """
    text = () if corpus is None else (f"data.corpus={corpus}",)
    return run_comparison(
        Comparison(
            recipes=tuple(recipes),
            ladder=tuple(ladder),
            order=tuple(order),
            grid=grid or {},
            halving=halving,
            seeds=seeds,
            order_seeds=order_seeds,
            budget=budget or Budget(),
            output=Path(output),
            jobs=jobs,
            tune_lr=tune_lr,
            probes=probes,
            finetune=tuple(finetune),
            overlays=tuple(overlays),
            overrides=(*overrides, *text),
        ),
        console=Console(stderr=True),
    )


def run_comparison(asked: Comparison, *, console: Console) -> Results | None:
    """Do what was asked for, and show on a console how far it is.

    Raises:
        UserError: If something can't be done as asked.
    """
    began = time.monotonic()
    require_output(asked.output)
    reader = RecipeReader(overlays=asked.overlays, overrides=asked.overrides)
    variants, design = arrange(asked, reader)
    recipes = reader.read_all(variants)
    check_finetuning(asked, recipes)
    alone = not asked.choice.shares_folder
    with claimed(asked.output, what="comparison") if alone else nullcontext():
        return _compare(asked, recipes, design=design, began=began, console=console)


def _compare(
    asked: Comparison,
    recipes: list[PlannedRecipe],
    *,
    design: Design,
    began: float,
    console: Console,
) -> Results | None:
    _tell(recipes[0].data.prepared.notes, console)
    jobs = asked.jobs or default_jobs()
    with worker_pool(jobs=jobs, threads=threads_of_each(jobs)) as pool:
        found = find_out(asked, recipes, pool, console)
        if not asked.seeds:
            return None
        plan = _plan(asked, found, design)
        _tell(plan.notices, console)
        failures = make_chosen(asked.choice, plan.tasks, pool, console)
    if asked.choice.shares_folder:
        return None
    runs = read_runs(plan)
    if not runs:
        raise UserError(f"There is no run. {failures[0].recipe}: {failures[0].message}.")
    _tell(notices_of_judges_not_asked(asked, runs), console)
    if asked.probes:
        runs = probe_runs(runs, asked.output / "runs", console)
    finetuned, not_finetuned = fine_tune_runs(asked, runs, console)
    results = Results(
        text=describe_text(recipes[0].data),
        budget=_budget_facts(asked.budget, recipes[0]),
        recipes=plan.arms,
        runs=runs,
        failures=[*failures, *not_finetuned],
        finetuned=finetuned,
        tuning=found.tuning,
        halving=found.halving,
        design=design,
        command=asked.command,
        environment=describe_environment(jobs),
        seconds=time.monotonic() - began,
    )
    write_report(results, asked.output)
    return results


def _tell(notices: Iterable[str], console: Console) -> None:
    for notice in notices:
        console.print(notice, markup=False, highlight=False, soft_wrap=True)


def _plan(asked: Comparison, found: Beforehand, design: Design) -> Plan:
    plan = plan_runs(
        found.recipes,
        found.updates,
        seeds=range(asked.seeds),
        folder=asked.output / "runs",
        tuned=found.rates,
        shown=design.axes,
    )
    return replace(plan, tasks=asked.choice.seen(plan.tasks))


def _budget_facts(budget: Budget, recipe: PlannedRecipe) -> dict[str, Any]:
    resolved = budget.resolve(training_tokens=recipe.data.prepared.parts.train.num_tokens)
    return {**asdict(resolved), "description": budget.describe()}
