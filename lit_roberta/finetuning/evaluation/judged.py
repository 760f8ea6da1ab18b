"""What a trained run is worth: its scores, and what each example contributes to them.

In: a run's trainer with its module and data. Out: plain data. Two models are held against each
other over the examples, so that the choice of examples is not taken for a difference.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytorch_lightning as pl

from lit_roberta.errors import UserError
from lit_roberta.finetuning.baseline import baseline_scores
from lit_roberta.finetuning.datamodule import FinetuningDataModule
from lit_roberta.finetuning.evaluation.looking import digest_of
from lit_roberta.finetuning.evaluation.resampling import resamples
from lit_roberta.finetuning.examples import is_labelled
from lit_roberta.finetuning.loaders import PARTS
from lit_roberta.finetuning.module import FinetuningModule
from lit_roberta.finetuning.tasks.base import FinetuningTask

_ROUNDING = 2e-6
"""Scores are rounded to six digits."""


Score = Callable[[Sequence[int]], float]
"""Of some of a set's labelled examples, by their numbers."""


class JudgedPart(NamedTuple):
    """A part of a task, judged."""

    scores: dict[str, dict[str, float | None]]
    """By the name of the set, then of the score. None: not a number."""
    baseline: dict[str, float]
    """Of the first set: what is scored without reading."""
    examples: dict[str, Any]
    """Of the first set: what `example_interval` reads."""


def judge(
    trainer: pl.Trainer, module: FinetuningModule, data: FinetuningDataModule, checkpoint: Path
) -> dict[str, JudgedPart]:
    """Judge a checkpoint on each part that is labelled.

    Args:
        trainer: Of the run.
        module: The run's; it holds the checkpoint's weights afterwards.
        data: The run's.
        checkpoint: The best of the run.

    Returns:
        By the name of the part; nothing where no example is labelled.
    """
    found: dict[str, JudgedPart] = {}
    for part in PARTS:
        sets = {name: examples for name, examples in data.examples(part).items() if examples}
        if not sets:
            continue
        act = trainer.validate if part == "validation" else trainer.test
        act(module, datamodule=data, ckpt_path=checkpoint, verbose=False, weights_only=True)
        scores = {
            name: _finite(data.task.scores(examples, module.predicted[name]))
            for name, examples in sets.items()
        }
        first = next(iter(sets))
        if scores[first]:
            baseline = baseline_scores(data, part)
            examples = example_scores(data.task, sets[first], module.predicted[first])
            found[part] = JudgedPart(scores, baseline, examples)
    return found


def _finite(scores: dict[str, float]) -> dict[str, float | None]:
    return {name: score if math.isfinite(score) else None for name, score in scores.items()}


def example_scores(
    task: FinetuningTask[Any, Any], examples: Sequence[Any], predictions: Sequence[Any]
) -> dict[str, Any]:
    """Take the score of a set apart: by example where it is a mean, else by drawing examples.

    What a task judges together, such as the answers of a question, counts as one example; what has
    no label counts as none.

    Args:
        task: Its first score is taken.
        examples: Of the set.
        predictions: One for each.
    """
    pairs = zip(examples, predictions, strict=True)
    judged = [(example, each) for example, each in pairs if is_labelled(example)]
    units = task.units([example for example, _ in judged])
    found: dict[str, Any] = {
        "metric": task.monitor,
        "count": len(units),
        "digest": digest_of([task.key_text(example) for example, _ in judged]),
    }

    def score(numbers: Sequence[int]) -> float:
        """Score some examples."""
        own, said = zip(*(judged[number] for number in numbers), strict=True)
        return task.scores(own, said)[task.monitor]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a metric of one example may have something to say
        each = _scores_of_each(score, units)
        if each is not None:
            return {**found, "each": each}
        return {**found, "resampled": _resampled(score, units)}


def _scores_of_each(score: Score, units: Sequence[Sequence[int]]) -> list[float] | None:
    """Score each unit alone. None: the score of all is no mean of these."""
    try:
        scores = [score(unit) for unit in units]
    except (UserError, IndexError, RuntimeError, ZeroDivisionError):
        return None  # such as a correlation, which one example does not have
    whole = score([number for unit in units for number in unit])
    return scores if abs(sum(scores) / len(scores) - whole) < _ROUNDING else None


def _resampled(score: Score, units: Sequence[Sequence[int]]) -> list[float | None]:
    """Score sets of units drawn with replacement, the same for each run."""
    scores: list[float | None] = []
    for drawn in resamples(len(units)):
        found = score([number for unit in drawn for number in units[unit]])
        scores.append(found if math.isfinite(found) else None)
    return scores
