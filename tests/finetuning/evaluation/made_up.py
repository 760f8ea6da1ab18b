"""Results of runs that nobody made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lit_roberta.finetuning.evaluation.results import Found
from lit_roberta.finetuning.evaluation.runs import EvaluationRun


def made_up_run(
    model: str = "a", task: str = "t", *, lr: float = 1e-5, batch_size: int = 16, seed: int = 0
) -> EvaluationRun:
    """A run in no place."""
    return EvaluationRun(
        model=model,
        task=task,
        lr=lr,
        batch_size=batch_size,
        seed=seed,
        folder=Path("out") / model / task / f"{lr:g}-{batch_size}" / f"seed-{seed}",
        source=f"{model}.ckpt",
        arguments=(),
        settings={"model": model, "task": task, "lr": lr, "seed": seed},
    )


def made_up(
    validation: Sequence[float | None],
    test: Sequence[float | None] | None = None,
    *,
    baseline: float = 0.5,
    metric: str = "accuracy",
    higher_is_better: bool = True,
    **names: Any,
) -> list[Found]:
    """Runs of one setting, by seed."""
    found = []
    for seed, score in enumerate(validation):
        parts = {"validation": score} | ({} if test is None else {"test": test[seed]})
        result = {
            "metric": metric,
            "higher_is_better": higher_is_better,
            "scores": {part: {"": {metric: value}} for part, value in parts.items()},
            "baseline": {part: {metric: baseline} for part in parts},
            "seconds": 1.0,
        }
        found.append(Found(run=made_up_run(seed=seed, **names), result=result))
    return found
