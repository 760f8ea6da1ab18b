"""Which runs an evaluation consists of, and what each of them is made of.

In: what was asked for. Out: runs. Models and tasks are read here, so that whatever can't be done
is said before the first run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from lit_roberta.errors import UserError, must
from lit_roberta.finetuning.evaluation.looking import (
    EvaluatedModel,
    EvaluatedTask,
    look_at_models,
    look_at_task,
)
from lit_roberta.finetuning.evaluation.request import GRIDS, Evaluation
from lit_roberta.finetuning.evaluation.results import validation_score
from lit_roberta.finetuning.evaluation.runs import EvaluationRun
from lit_roberta.finetuning.evaluation.task_names import (
    FROM_MNLI,
    MNLI,
    config_of,
    task_names,
)
from lit_roberta.finetuning.tasks.table import plain
from lit_roberta.training.arguments import find_config

_ORIGIN = "the best of MNLI, "
"""How the origin of a run begins that starts from MNLI."""


@dataclass(frozen=True, kw_only=True)
class EvaluationPlan:
    """Everything that an evaluation makes and reads."""

    models: Sequence[EvaluatedModel]
    tasks: Sequence[EvaluatedTask]
    runs: Sequence[EvaluationRun]
    """Those that start from a model as it is."""
    later: Sequence[EvaluationRun]
    """Those that start from the best model of MNLI, which MNLI's runs will tell."""
    notes: Sequence[str]
    """What was left out, a line each."""

    def from_mnli(self) -> tuple[list[EvaluationRun], list[tuple[EvaluationRun, str]]]:
        """Let the later runs start from the best models of MNLI, once these are there.

        Returns:
            The runs; and those that can't be made, with the reason.
        """
        ready: list[EvaluationRun] = []
        impossible: list[tuple[EvaluationRun, str]] = []
        for run in self.later:
            best = _best_of_mnli(self.runs, model=run.model, seed=run.seed)
            if best is None:
                impossible.append((run, "there is no run of MNLI with its seed to start from"))
                continue
            started = replace(run, source=str(best.best), settings=_with_origin(run, best))
            if started.result() is None and not best.best.is_file():
                reason = f"{best.best}, which it would start from, is not there any more"
                impossible.append((run, reason))
            else:
                ready.append(started)
        return ready, impossible


def plan_evaluation(asked: Evaluation) -> EvaluationPlan:
    """Read models and tasks, and plan the runs.

    Raises:
        UserError: If something can't be done as asked.
    """
    arguments, notes = _arguments_of_tasks(asked)
    if asked.mnli_first and MNLI not in map(plain, arguments):
        raise must(
            "--mnli-first", "have mnli among the tasks", list(arguments), "It lies in MNLI."
        )
    models = look_at_models(asked.models)
    tasks = [look_at_task(name, words, models) for name, words in arguments.items()]
    runs = [run for model, task in product(models, tasks) for run in _runs(asked, model, task)]
    waiting = FROM_MNLI if asked.mnli_first else ()
    later = [run for run in runs if plain(run.task) in waiting]
    first = [run for run in runs if plain(run.task) not in waiting]
    for run in [*first, *map(_as_it_lies, later)]:
        run.check_place()
    return EvaluationPlan(models=models, tasks=tasks, runs=first, later=later, notes=notes)


def check_tasks(asked: Evaluation, models: Sequence[EvaluatedModel]) -> None:
    """See that models could learn the tasks, without their weights.

    Raises:
        UserError: If a run would not start.
    """
    for name, words in _arguments_of_tasks(asked)[0].items():
        look_at_task(name, words, models)


def _arguments_of_tasks(asked: Evaluation) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Give each task's arguments of `fit`, by its name; and what was left out."""
    names, missing = task_names(asked.tasks, asked.data)
    found: dict[str, tuple[str, ...]] = {}
    for name in names:
        config = config_of(name)
        known = () if config is None else (f"--config={config}",)
        found[name] = (*known, f"--data.task={name}", f"--data.folder={asked.data}")
    for file in asked.task_configs:
        name = Path(file).stem
        if name in found:
            raise must("--task-config", "have a name of its own", name, "Rename the file.")
        found[name] = (f"--config={find_config(file, asked_by='--task-config')}",)
    shared = _shared(asked)
    notes = [f"Not in {asked.data}, and left out: {', '.join(missing)}."] if missing else []
    return {name: (*words, *shared) for name, words in found.items()}, notes


def _shared(asked: Evaluation) -> tuple[str, ...]:
    """Give the arguments that all runs have."""
    grid = None if asked.grid is None else GRIDS[asked.grid]
    epochs, patience = asked.epochs, asked.patience
    words: list[str] = ["--trainer.devices=1"]
    if grid is not None:
        words += grid.settings
        epochs = grid.epochs if epochs is None else epochs
        patience = grid.patience if patience is None else patience
    if epochs is not None:
        words.append(f"--trainer.max_epochs={epochs}")
    if patience is not None:
        words.append(f"--patience={patience or 'null'}")
    return (*words, *asked.overrides)


def _runs(asked: Evaluation, model: EvaluatedModel, task: EvaluatedTask) -> list[EvaluationRun]:
    """Plan the runs of a model on a task: each setting with each seed."""
    grid = None if asked.grid is None else GRIDS[asked.grid]
    lrs = asked.lrs or ((task.lr,) if grid is None else grid.lrs)
    sizes = asked.batch_sizes or ((task.batch_size,) if grid is None else grid.batch_sizes)
    cells = list(product(lrs, sizes))
    if len(cells) > 1 and not task.has_validation:
        remedy = "Name a validation part, or one learning rate and batch size."
        raise UserError(f"{task.name} must have a validation part to choose by. {remedy}")
    keep = asked.keep or (asked.mnli_first and plain(task.name) == MNLI)
    return [
        EvaluationRun(
            model=model.name,
            task=task.name,
            lr=lr,
            batch_size=size,
            seed=seed,
            folder=asked.output / model.name / task.name / f"{lr:g}-{size}" / f"seed-{seed}",
            source=model.source,
            arguments=task.arguments,
            settings={
                **task.settings,
                "examples": task.digest,
                "model": model.digest,
                "lr": lr,
                "batch_size": size,
                "seed": seed,
            },
            keep=keep,
        )
        for (lr, size), seed in product(cells, range(asked.seeds))
    ]


def _with_origin(run: EvaluationRun, best: EvaluationRun) -> dict[str, object]:
    """Add what a run starts from to what it is made of."""
    return {**run.settings, "model": f"{_ORIGIN}{best.fingerprint}"}


def _as_it_lies(run: EvaluationRun) -> EvaluationRun:
    """Let a later run start from whichever model of MNLI the one in its place started from."""
    there = str(run.settings_there().get("model", ""))
    model = there if there.startswith(_ORIGIN) else f"{_ORIGIN}not yet known"
    return replace(run, settings={**run.settings, "model": model})


def _best_of_mnli(runs: Sequence[EvaluationRun], *, model: str, seed: int) -> EvaluationRun | None:
    """Find MNLI's run with the best validation score among those of a model and seed."""
    best, highest = None, float("-inf")
    for run in runs:
        if (run.model, plain(run.task), run.seed) != (model, MNLI, seed):
            continue
        result = run.result()
        score = None if result is None else validation_score(result)
        if result is not None and score is not None:
            gain = score if result["higher_is_better"] else -score
            best, highest = (run, gain) if gain > highest else (best, highest)
    return best
