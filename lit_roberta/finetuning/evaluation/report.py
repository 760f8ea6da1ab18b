"""The report of an evaluation: numbers for programs, and a text.

In: results. Out: `results.json` and `report.md` in a folder.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lit_roberta.finetuning.evaluation.average import Average, glue_averages, say_averages
from lit_roberta.finetuning.evaluation.caveats import caveats
from lit_roberta.finetuning.evaluation.results import Cell, Failure, Found, Setting, Spread
from lit_roberta.finetuning.evaluation.significance import Difference
from lit_roberta.finetuning.evaluation.wording import say_difference
from lit_roberta.whole_files import write_whole

_HEADER = ("task", "model", "score", "median", "min", "max", "sd", "runs", "without reading")


@dataclass(frozen=True, kw_only=True)
class EvaluationResults:
    """Everything that an evaluation found."""

    output: Path
    found: Sequence[Found]
    failures: Sequence[Failure]
    cells: Sequence[Cell]
    differences: Sequence[Difference]
    """Between each two models; none where they were not held against each other."""
    sources: Mapping[str, str]
    """What each model was read from."""
    notes: Sequence[str] = ()
    command: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    """On what it was made, and how long it took."""

    def sentences(self) -> list[str]:
        """Say what was found, and what has to be known of it."""
        said = [say_difference(difference) for difference in self.differences]
        said += say_averages(self.averages)
        return [*said, *caveats(self.cells, self.differences), *self.notes]

    @property
    def averages(self) -> list[Average]:
        """Give each model's average over GLUE; none where models share fewer than two tasks."""
        return glue_averages(self.cells)

    def as_json(self) -> dict[str, Any]:
        """Give all of it as plain data; each number leads to the folder of a run."""
        return {
            "models": dict(self.sources),
            "glue_averages": [asdict(each) for each in self.averages],
            "cells": [_cell(cell, self.output) for cell in self.cells],
            "differences": [
                {**asdict(each), "better": each.better, "said": say_difference(each)}
                for each in self.differences
            ],
            "runs": [_run(each, self.output) for each in self.found],
            "failures": [
                {"run": each.run.label, "folder": str(each.run.folder), "message": each.message}
                for each in self.failures
            ],
            "said": self.sentences(),
            "command": self.command,
            "facts": dict(self.facts),
        }


def write_report(results: EvaluationResults) -> None:
    """Write `results.json` and `report.md` into the folder of the evaluation."""
    text = json.dumps(results.as_json(), indent=1, allow_nan=False)
    write_whole(results.output / "results.json", (text + "\n").encode())
    write_whole(results.output / "report.md", markdown_report(results).encode())


def markdown_report(results: EvaluationResults) -> str:
    """Write the report as a text."""
    lines = ["# What the models learned", ""]
    lines += [f"- {name}: `{source}`" for name, source in results.sources.items()]
    rows = [_HEADER, *(_row(cell) for cell in results.cells)]
    rows += [_average(each) for each in results.averages]
    lines += ["", *_markdown(rows), ""]
    lines += [f"- {sentence}" for sentence in results.sentences()]
    lines += [f"- **Failed:** {each.run.label}: {each.message}" for each in results.failures]
    for cell in results.cells:
        lines += ["", f"## {cell.task}, {cell.model}", "", *_markdown(_settings(cell)), ""]
        lines.append("Each run, by seed: " + _by_seed(cell) + ".")
    if results.command:
        lines += ["", f"Made by `{results.command}`."]
    return "\n".join([*lines, ""])


def _row(cell: Cell) -> tuple[str, ...]:
    spread = Spread.of(cell.scores)
    collapsed = cell.chosen.collapsed
    runs = f"{len(cell.chosen.runs)}"
    return (
        cell.task,
        cell.model,
        f"{cell.part} {cell.metric}" + (", optimistic" if cell.is_optimistic else ""),
        *_figures(spread),
        f"{runs}, {len(collapsed)} learned nothing" if collapsed else runs,
        "" if cell.baseline is None else f"{cell.baseline:.4f}",
    )


def _average(average: Average) -> tuple[str, ...]:
    named = "glue", average.model, f"average of {len(average.tasks)} tasks", f"{average.score:.4f}"
    return (*named, *[""] * (len(_HEADER) - len(named)))


def _figures(spread: Spread | None) -> tuple[str, str, str, str]:
    if spread is None:
        return "none", "", "", ""
    deviation = "" if spread.deviation is None else f"{spread.deviation:.4f}"
    return f"{spread.median:.4f}", f"{spread.minimum:.4f}", f"{spread.maximum:.4f}", deviation


def _settings(cell: Cell) -> list[tuple[str, ...]]:
    """Give the table of all settings of a cell, by their scores on the validation part."""
    part = "validation" if any(each.scores("validation") for each in cell.settings) else cell.part
    header = ("lr", "batch", f"{part} {cell.metric}", "min", "max", "sd", "runs", "")
    return [header, *(_setting(each, cell, part) for each in cell.settings)]


def _setting(setting: Setting, cell: Cell, part: str) -> tuple[str, ...]:
    return (
        f"{setting.lr:g}",
        str(setting.batch_size),
        *_figures(Spread.of(setting.scores(part))),
        str(len(setting.runs)),
        "chosen" if setting is cell.chosen and len(cell.settings) > 1 else "",
    )


def _by_seed(cell: Cell) -> str:
    shown = []
    for each in cell.chosen.runs:
        score = each.score(cell.part)
        text = "none" if score is None else f"{score:.4f}"
        shown.append(f"{text} (learned nothing)" if each.is_collapsed else text)
    return ", ".join(shown)


def _markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    header, *others = rows
    lines = [header, ["---"] * len(header), *others]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def _cell(cell: Cell, output: Path) -> dict[str, Any]:
    spread = Spread.of(cell.scores)
    return {
        "model": cell.model,
        "task": cell.task,
        "metric": cell.metric,
        "part": cell.part,
        "without_reading": cell.baseline,
        "lr": cell.chosen.lr,
        "batch_size": cell.chosen.batch_size,
        "chosen_by": "validation" if len(cell.settings) > 1 else None,
        "optimistic": cell.is_optimistic,
        **(asdict(spread) if spread is not None else {"count": 0}),
        "learned_nothing": cell.chosen.collapsed,
        "runs": [_folder(each, output) for each in cell.chosen.runs],
    }


def _run(found: Found, output: Path) -> dict[str, Any]:
    wanted = {name: value for name, value in found.result.items() if name != "fingerprint"}
    return {**wanted, "learned_nothing": found.is_collapsed, "folder": _folder(found, output)}


def _folder(found: Found, output: Path) -> str:
    return found.run.folder.relative_to(output).as_posix()
