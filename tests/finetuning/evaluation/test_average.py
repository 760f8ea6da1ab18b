from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from lit_roberta.finetuning.evaluation.average import glue_averages
from lit_roberta.finetuning.evaluation.report import EvaluationResults, markdown_report
from lit_roberta.finetuning.evaluation.results import Found, make_cells
from lit_roberta.finetuning.evaluation.table import print_table
from tests.finetuning.evaluation.made_up import made_up_run

SETS: dict[str, dict[str, dict[str, float]]] = {
    "cola": {"": {"matthews_correlation": 0.1, "accuracy": 0.9}},
    "mrpc": {"": {"accuracy": 0.6, "f1": 0.8}},
    "mnli": {"": {"accuracy": 0.3}, "mismatched": {"accuracy": 0.5}},
    "stsb": {"": {"pearson": 0.25, "spearmanr": 0.35}},
    "boolq": {"": {"accuracy": 0.99}},
}


def found(model: str, task: str, **changed: Any) -> Found:
    """A finished run."""
    metric = next(iter(SETS[task][""]))
    result = {
        "metric": metric,
        "higher_is_better": True,
        "scores": {"validation": SETS[task]},
        "baseline": {"validation": {metric: 0.0}},
    }
    return Found(run=made_up_run(model, task), result=result | changed)


def results(*models: str) -> EvaluationResults:
    runs = [found(model, task) for model in models for task in SETS]
    return EvaluationResults(
        output=Path("out"),
        found=runs,
        failures=[],
        cells=make_cells(runs),
        differences=[],
        sources={model: f"{model}.ckpt" for model in models},
    )


def test_the_average_is_over_metrics_then_sets_then_tasks_of_glue() -> None:
    (average,) = results("a").averages
    assert average.score == pytest.approx((0.1 + 0.7 + 0.4 + 0.3) / 4)
    assert average.tasks == ["cola", "mrpc", "stsb", "mnli"]
    assert average.missing == ["sst2", "qqp", "qnli", "rte", "wnli"]


def test_models_are_averaged_over_the_tasks_that_all_of_them_have() -> None:
    runs = [found("a", task) for task in SETS] + [found("b", task) for task in ("cola", "mrpc")]
    assert [each.tasks for each in glue_averages(make_cells(runs))] == [["cola", "mrpc"]] * 2
    none = found("b", "mrpc", scores={"validation": {"": {"accuracy": None, "f1": 0.5}}})
    assert glue_averages(make_cells([*runs[:-1], none])) == []


@pytest.mark.parametrize("width", [70, 80, 200])
def test_a_table_cuts_no_figure(width: int) -> None:
    written = io.StringIO()
    some = results("a", "a-model-of-a-long-name")
    print_table(some, Console(file=written, force_terminal=True, width=width, no_color=True))
    said = written.getvalue()
    assert "\u2026" not in said
    for cell in some.cells:
        assert f"{cell.scores[0]:.4f}" in said
    assert f"{some.averages[0].score:.4f}" in said
    assert "| glue | a | average of 4 tasks | 0.3750 |" in markdown_report(some)


def test_a_task_counts_by_the_median_of_its_runs() -> None:
    runs = [found("a", "cola")]
    for accuracy in (0.1, 0.8, 0.9):
        run = found("a", "boolq", scores={"validation": {"": {"accuracy": accuracy}}})
        runs.append(replace(run, run=replace(run.run, task="sst2")))
    (average,) = glue_averages(make_cells(runs))
    assert average.score == pytest.approx((0.1 + 0.8) / 2)
