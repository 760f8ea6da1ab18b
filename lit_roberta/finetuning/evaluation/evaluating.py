"""An evaluation from start to end: plan, train, judge, report.

The order of things and nothing else; each step is a module beside this one.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Sequence
from pathlib import Path

import torch
from rich.console import Console

from lit_roberta import __version__
from lit_roberta.errors import UserError
from lit_roberta.finetuning.evaluation.plan import EvaluationPlan, plan_evaluation
from lit_roberta.finetuning.evaluation.progress import RunLines
from lit_roberta.finetuning.evaluation.report import EvaluationResults, write_report
from lit_roberta.finetuning.evaluation.request import DEFAULT_SEEDS, Evaluation, GridName
from lit_roberta.finetuning.evaluation.results import Cell, Failure, make_cells, read_found
from lit_roberta.finetuning.evaluation.runs import EvaluationRun, read_examples
from lit_roberta.finetuning.evaluation.significance import Difference, Examples, judge_pairs
from lit_roberta.machine import default_jobs, threads_of_each
from lit_roberta.training.output_folder import claimed, require_output
from lit_roberta.workers import WorkerPool, worker_pool


def evaluate(
    models: Sequence[str],
    *,
    tasks: Sequence[str] = (),
    output: str | Path,
    data: str | Path | None = None,
    task_configs: Sequence[str] = (),
    seeds: int = DEFAULT_SEEDS,
    grid: GridName | None = None,
    lrs: Sequence[float] | None = None,
    batch_sizes: Sequence[int] | None = None,
    epochs: int | None = None,
    patience: int | None = None,
    mnli_first: bool = False,
    jobs: int | None = None,
    overrides: Sequence[str] = (),
) -> EvaluationResults:
    """Fine-tune models for tasks with several seeds and settings, judge them, and report.

    It starts processes: in a script, call it under `if __name__ == "__main__":`.

    Args:
        models: Whatever a model can be read from; `NAME=...` to call it so.
        tasks: Benchmarks' tasks by name; `glue` and `all` for those whose folder is there.
        output: Folder of the report and the runs. Finished runs in it are used again.
        data: The folder with the folders of the benchmarks' tasks.
        task_configs: Configuration files of fine-tuning: tasks of one's own.
        seeds: Runs of each task and setting, with seeds 0, 1, ...
        grid: A paper's grid of learning rates and batch sizes. None: one of each.
        lrs: Peak learning rates in place of the grid's, or of the task's.
        batch_sizes: Examples of an update, in the same way.
        epochs: Passes over the training part. None: the grid's, or the task's.
        patience: Validations in a row without a better one that end a run; 0 for never.
        mnli_first: Let RTE, MRPC and STS-B start from the best model of MNLI.
        jobs: Runs made at once; None for as many as this machine takes well.
        overrides: Settings of `train.py fit` for all runs, as `--data.max_length=128`.

    Returns:
        Everything that was found.

    Raises:
        UserError: If something can't be done as asked, or every run failed.
    """
    asked = Evaluation(
        models=tuple(models),
        tasks=tuple(tasks),
        output=Path(output),
        data=None if data is None else Path(data),
        task_configs=tuple(task_configs),
        seeds=seeds,
        grid=grid,
        lrs=None if lrs is None else tuple(lrs),
        batch_sizes=None if batch_sizes is None else tuple(batch_sizes),
        epochs=epochs,
        patience=patience,
        mnli_first=mnli_first,
        jobs=jobs,
        overrides=tuple(overrides),
    )
    return run_evaluation(asked, console=Console(stderr=True))


def run_evaluation(asked: Evaluation, *, console: Console) -> EvaluationResults:
    """Do what was asked for, and show on a console how far it is.

    Raises:
        UserError: If something can't be done as asked, or every run failed.
    """
    began = time.monotonic()
    plan = plan_evaluation(asked)
    require_output(asked.output)
    for note in plan.notes:
        console.print(note, markup=False, highlight=False, soft_wrap=True)
    jobs = asked.jobs or default_jobs()
    with claimed(asked.output, what="evaluation"):
        with worker_pool(jobs=jobs, threads=threads_of_each(jobs)) as pool:
            runs, failures = _make_all(plan, pool, console)
        found = read_found(runs)
        if not found:
            first = failures[0]
            raise UserError(f"Every run failed. {first.run.label}: {first.message}")
        cells = make_cells(found)
        results = EvaluationResults(
            output=asked.output,
            found=found,
            failures=failures,
            cells=cells,
            differences=_differences(asked, cells),
            sources={model.name: model.source for model in plan.models},
            notes=[*plan.notes, *_unsaid(asked)],
            command=asked.command,
            facts={**_environment(jobs), "seconds": round(time.monotonic() - began, 1)},
        )
        write_report(results)
    return results


def _make_all(
    plan: EvaluationPlan, pool: WorkerPool[EvaluationRun], console: Console
) -> tuple[list[EvaluationRun], list[Failure]]:
    """Make the runs that are not there yet."""
    total = len(plan.runs) + len(plan.later)
    lines = RunLines(total=total, console=console)
    failures = make_runs(plan.runs, pool, lines)
    later, impossible = plan.from_mnli()
    for run in later:
        run.check_place()
    failures += [Failure(run=run, message=reason) for run, reason in impossible]
    failures += make_runs(later, pool, lines)
    return [*plan.runs, *later], failures


def make_runs(
    runs: Sequence[EvaluationRun], pool: WorkerPool[EvaluationRun], lines: RunLines
) -> list[Failure]:
    """Make the runs that are not there yet, and give those that failed."""
    missing = [run for run in runs if run.result() is None]
    lines.skip(len(runs) - len(missing))
    failures: list[Failure] = []
    pool.run(missing, lambda event: lines.show(event, failures))
    return failures


def _differences(asked: Evaluation, cells: Sequence[Cell]) -> list[Difference]:
    is_wanted = asked.significance is not False and len(asked.models) > 1
    if not is_wanted:
        return []
    examples: dict[tuple[str, str], list[Examples]] = {}
    for cell in cells:
        read = (read_examples(found.run, cell.part) for found in cell.chosen.runs)
        examples[cell.model, cell.task] = [each for each in read if each is not None]
    return judge_pairs(cells, examples)


def _unsaid(asked: Evaluation) -> list[str]:
    """Say what the numbers can't tell."""
    if asked.seeds > 1:
        return []
    return ["One seed tells nothing of how runs vary: --seeds 5 does."]


def _environment(jobs: int) -> dict[str, str | int]:
    return {
        "lit_roberta": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "runs_at_once": jobs,
    }
