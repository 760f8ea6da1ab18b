"""The file of a comparison's results, read back: a better report reaches old comparisons, too.

In: a folder. Out: results. The verdict in the file is not read: it is reached anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.judging.grid_verdict import HalvingRow
from lit_roberta.comparison.judging.task_scores import TaskScores
from lit_roberta.comparison.kinds import misfit
from lit_roberta.comparison.results import (
    Failure,
    PartFacts,
    Recipe,
    Results,
    TextFacts,
    TuningRow,
)
from lit_roberta.comparison.runs.run import ProbeScores, Run
from lit_roberta.errors import must

_NOT_SCORED = {
    "count": [],
    "confidence": [],
    "right": [],
    "expected_error": 0.0,
    "brier_score": 0.0,
}

RESULTS = "results.json"


def read_results(folder: Path) -> Results:
    """Read what a comparison wrote.

    Args:
        folder: That of the comparison.

    Raises:
        UserError: If no results lie there, or none that this version reads.
    """
    path = folder / RESULTS
    if not path.is_file():
        remedy = f"Name the --output of a comparison: there is no {RESULTS}."
        raise must("the folder", "hold a comparison's results", str(folder), remedy)
    try:
        values = json.loads(path.read_text(encoding="utf-8"), parse_constant=_refuse)
        results = results_from_json(values)
        _check(results)
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        remedy = "The command that made it goes on from its finished runs and writes it anew."
        raise must(RESULTS, "be one that this version reads", str(path), remedy) from error
    return results


def results_from_json(values: Mapping[str, Any]) -> Results:
    """Read what `Results.as_json` gave.

    Raises:
        KeyError: If something is missing.
        TypeError: If something is there that nobody knows, or is of another kind.
    """
    own = {each.name for each in fields(Results)} & set(values)
    text = dict(values["text"])
    parts = {name: PartFacts(**part) for name, part in text.pop("parts").items()}
    read = {
        "text": TextFacts(**text, parts=parts),
        "recipes": [Recipe(**recipe) for recipe in values["recipes"]],
        "runs": [_run(run) for run in values["runs"]],
        "failures": [Failure(**failure) for failure in values["failures"]],
        "tuning": [TuningRow(**row) for row in values["tuning"]],
        "halving": [HalvingRow(**row) for row in values.get("halving", [])],
        "finetuned": [TaskScores(**row) for row in values.get("finetuned", [])],
        "design": Design.from_json(values.get("design")),
    }
    return Results(**{name: values[name] for name in own} | read)


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no finite number")


def _check(results: Results) -> None:
    """Refuse what a report can't be made of.

    Raises:
        ValueError: If a value is of another kind than its place asks for, or if runs, recipes and
            text do not belong together.
    """
    if wrong := misfit(results):
        raise ValueError(f"{wrong} is of another kind")
    arms, runs, text = {each.name for each in results.recipes}, results.runs, results.text
    counts = {len(run.document_predictions) for run in runs}
    lengths = {
        len(run.heldout[format].document_nats) for run in runs for format in results.formats
    }
    other_tokens = len({recipe.tokenizer for recipe in results.recipes}) > 1
    agree = (
        runs  # a comparison without a finished run writes none
        and {run.recipe for run in runs} <= arms
        and len(arms) == len(results.recipes)
        and counts == lengths == {len(text.document_unigram_nats)}
        and all(set(results.formats) <= set(run.heldout_best) for run in runs)
        and all(run.curves.training and run.curves.validation and run.updates for run in runs)
        and (other_tokens or all(len(run.guesses) == len(text.samples) for run in runs))
        and {"train", "validation", "test"} <= set(text.parts)
        and isinstance(results.budget.get("unit"), str)
        and isinstance(results.budget.get("amount"), (int, float))
        and isinstance(results.budget.get("description"), str)
    )
    if not agree:
        raise ValueError("runs, recipes and text do not belong together")


def _run(values: Mapping[str, Any]) -> Run:
    values = _completed(values)
    run, probes = Run.from_json({**values, "probes": None}), values.get("probes")
    return run if probes is None else replace(run, probes=ProbeScores(**probes))


def _completed(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill in what an earlier version did not score yet, with nothing."""
    scores = {
        key: {format: {"buckets": {}, **score} for format, score in values[key].items()}
        for key in ("heldout", "heldout_best")
    }
    return {"calibration": _NOT_SCORED, "words": None, **values, **scores}
