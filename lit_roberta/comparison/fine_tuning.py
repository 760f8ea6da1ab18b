"""The last checkpoint of each run, fine-tuned for tasks: what the papers judge recipes by.

In: finished runs and their folders, and files that say what is to be learned. Out: the scores of
each recipe's runs. A run is fine-tuned once for each task, with its own seed, so that runs are
what varies; what is there is used again.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from lit_roberta.comparison.choosing import Choice
from lit_roberta.comparison.design.recipes import PlannedRecipe, token_identity
from lit_roberta.comparison.judging.task_scores import TaskScores
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.results import Failure
from lit_roberta.comparison.run_making import NOT_THERE
from lit_roberta.comparison.runs.run import Run
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.evaluation.evaluating import make_runs
from lit_roberta.finetuning.evaluation.looking import EvaluatedModel
from lit_roberta.finetuning.evaluation.plan import check_tasks, plan_evaluation
from lit_roberta.finetuning.evaluation.progress import RunLines
from lit_roberta.finetuning.evaluation.request import Evaluation
from lit_roberta.finetuning.evaluation.results import Found, read_found
from lit_roberta.finetuning.evaluation.runs import EvaluationRun, read_examples
from lit_roberta.machine import default_jobs, threads_of_each
from lit_roberta.training.arguments import find_config
from lit_roberta.training.checkpoint_files import CHECKPOINT_FOLDER, LAST
from lit_roberta.workers import worker_pool

FOLDER = "finetuned"
"""Beside the folder of the runs: `finetuned/RECIPE/TASK/seed-N`."""

_PASSED_ON = ("trainer.accelerator=", "trainer.precision=")
"""Settings of pretraining that are those of the machine, and hold for fine-tuning, too."""


def check_finetuning(asked: Comparison, recipes: Sequence[PlannedRecipe]) -> None:
    """See that every recipe's model could learn the tasks, before anything is trained.

    Raises:
        UserError: If a file or its examples can't be read, or a model can't take them.
    """
    if not asked.finetune:
        return
    for file in asked.finetune:
        find_config(file, asked_by="--finetune")
    apart = {(token_identity(recipe.data), _longest(recipe)): recipe for recipe in recipes}
    models = [
        EvaluatedModel(
            name=recipe.name,
            source=recipe.name,
            digest="",
            pretrained=Pretrained(
                source=recipe.name,
                family="bert",
                encoder=recipe.encoder,
                weights={},
                tokenizer=recipe.data.tokenizer,
                cut_at=_longest(recipe),
            ),
        )
        for recipe in apart.values()
    ]
    check_tasks(_evaluation(asked, [recipe.name for recipe in recipes]), models)


def _longest(recipe: PlannedRecipe) -> int | None:
    """Give the longest text that a model will take, where its own training is what decides it."""
    from_scratch = recipe.settings["model.pretrained"] is None
    return recipe.settings["data.max_length"] if from_scratch else None


def fine_tune_runs(
    asked: Comparison, runs: Sequence[Run], console: Console
) -> tuple[list[TaskScores], list[Failure]]:
    """Fine-tune runs for each task, and score them.

    Args:
        asked: Names the files of the tasks.
        runs: Finished ones.
        console: Told how far it is.

    Returns:
        By task and recipe; and what failed.

    Raises:
        UserError: If fine-tuning of other settings lies in the folder.
    """
    if not asked.finetune:
        return [], []
    planned = _plan(asked, [run for run in runs if run.same_as is None])
    failures = _make(asked, planned, console)
    return _scores(read_found(planned)), failures


def _evaluation(asked: Comparison, models: Sequence[str]) -> Evaluation:
    passed = [f"--{each}" for each in asked.overrides if each.startswith(_PASSED_ON)]
    return Evaluation(
        models=tuple(models),
        output=asked.output / FOLDER,
        task_configs=tuple(asked.finetune),
        seeds=1,
        overrides=tuple(passed),
    )


def _plan(asked: Comparison, runs: Sequence[Run]) -> list[EvaluationRun]:
    """Plan each run's fine-tuning for each task: under its recipe's name, with its own seed."""
    named = {f"{run.recipe}.seed-{run.seed}": run for run in runs}
    sources = [f"{name}={_checkpoint(asked.output / 'runs', run)}" for name, run in named.items()]
    plan = plan_evaluation(_evaluation(asked, sources))
    return [_of(named[each.model], each, asked.output / FOLDER) for each in plan.runs]


def _checkpoint(folder: Path, run: Run) -> Path:
    return folder / run.recipe / f"seed-{run.seed}" / CHECKPOINT_FOLDER / LAST


def _of(run: Run, planned: EvaluationRun, folder: Path) -> EvaluationRun:
    return replace(
        planned,
        model=run.recipe,
        seed=run.seed,
        folder=folder / run.recipe / planned.task / f"seed-{run.seed}",
        settings={**planned.settings, "seed": run.seed},
    )


def _make(asked: Comparison, planned: Sequence[EvaluationRun], console: Console) -> list[Failure]:
    """Make what is missing."""
    if asked.choice.report_only:
        missing = [run for run in planned if run.result() is None]
        return [replace(_failure(run, NOT_THERE), tried=False) for run in missing]
    for run in planned:
        _clear(run, asked.choice)
    jobs = asked.jobs or default_jobs()
    with worker_pool(jobs=jobs, threads=threads_of_each(jobs)) as pool:
        failed = make_runs(planned, pool, RunLines(total=len(planned), console=console))
    return [_failure(each.run, each.message) for each in failed]


def _clear(run: EvaluationRun, choice: Choice) -> None:
    """Make room for a run: what is of other settings goes where that was asked for."""
    if choice.anew and run.is_of_others():
        shutil.rmtree(run.folder)
    run.check_place()


def _failure(run: EvaluationRun, message: str) -> Failure:
    said = f"fine-tuning for {run.task}: {message}"
    return Failure(recipe=run.model, seed=run.seed, message=said)


def _scores(found: Sequence[Found]) -> list[TaskScores]:
    groups: dict[tuple[str, str], list[Found]] = {}
    for each in found:
        groups.setdefault((each.run.task, each.run.model), []).append(each)
    by_task = list(dict.fromkeys(task for task, _ in groups))
    ordered = sorted(groups, key=lambda group: by_task.index(group[0]))
    return [_of_recipe(task, recipe, groups[task, recipe]) for task, recipe in ordered]


def _of_recipe(task: str, recipe: str, found: Sequence[Found]) -> TaskScores:
    first, part = found[0], found[0].part
    scored = [
        (each.run.seed, score, examples)
        for each in sorted(found, key=lambda each: each.run.seed)
        if (score := each.score(part)) is not None
        if (examples := read_examples(each.run, part)) is not None
    ]
    return TaskScores(
        task=task,
        recipe=recipe,
        metric=str(first.result["metric"]),
        higher_is_better=bool(first.result["higher_is_better"]),
        part=part,
        baseline=first.baseline,
        seeds=[seed for seed, _, _ in scored],
        scores=[score for _, score, _ in scored],
        examples=[examples for _, _, examples in scored],
    )
