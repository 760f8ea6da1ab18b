"""What RTE, MRPC and STS-B start from where MNLI comes first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.finetuning.evaluation.plan import EvaluationPlan
from lit_roberta.finetuning.evaluation.runs import EvaluationRun
from tests.finetuning.evaluation.made_up import made_up, made_up_run

RATES = (1e-5, 2e-5, 3e-5)


class Mnli:
    """Runs of MNLI that nobody made: one for each model, rate and seed, each with a checkpoint."""

    def __init__(
        self, folder: Path, scores: dict[tuple[str, int], list[float | None]], **words: Any
    ) -> None:
        self.runs, self.results = [], {}
        for (model, seed), by_rate in scores.items():
            for rate, score in zip(RATES, by_rate, strict=True):
                (found,) = made_up([score], model=model, task="mnli", lr=rate, **words)
                run = replace(made_up_run(model, "mnli", lr=rate, seed=seed))
                run = replace(run, folder=folder / run.folder)
                run.best.parent.mkdir(parents=True)
                run.best.touch()
                self.runs.append(run)
                self.results[run.folder] = found.result

    def origin_of(self, model: str, seed: int) -> list[float]:
        """The rate of the run that RTE's run starts from."""
        later = made_up_run(model, "rte", seed=seed)
        plan = EvaluationPlan(models=(), tasks=(), runs=self.runs, later=[later], notes=())
        ready, impossible = plan.from_mnli()
        assert len(ready) + len(impossible) == 1
        sources = {str(run.best): run for run in self.runs}
        origins = [sources[run.source] for run in ready]
        assert all((each.model, each.seed) == (model, seed) for each in origins)
        return [each.lr for each in origins]


@pytest.mark.parametrize("higher", [True, False])
def test_a_later_run_starts_from_the_best_of_its_model_and_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, higher: bool
) -> None:
    best_last = [0.6, 0.7, 0.8] if higher else [0.8, 0.7, 0.6]
    scores: dict[tuple[str, int], list[float | None]] = {
        ("a", 0): [*best_last],
        ("a", 1): [*reversed(best_last)],
        ("b", 0): [best_last[0], best_last[2], None],
        ("b", 1): [None, None, None],
    }
    made = Mnli(tmp_path, scores, higher_is_better=higher)
    monkeypatch.setattr(EvaluationRun, "result", lambda run: made.results.get(run.folder))
    wanted = {("a", 0): [3e-5], ("a", 1): [1e-5], ("b", 0): [2e-5], ("b", 1): [], ("c", 0): []}
    assert {key: made.origin_of(*key) for key in wanted} == wanted


def test_a_best_model_that_is_gone_is_no_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Mnli(tmp_path, {("a", 0): [0.6, 0.7, 0.8]})
    monkeypatch.setattr(EvaluationRun, "result", lambda run: made.results.get(run.folder))
    made.runs[2].best.unlink()
    assert made.origin_of("a", 0) == []
