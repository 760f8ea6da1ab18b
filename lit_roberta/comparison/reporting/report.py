"""The report: a page that needs nothing else, its text for a terminal, pictures, and the numbers.

In: results. Out: files in one folder. What is said is computed in the modules beside this one;
what it looks like is in the templates.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting import findings, loss_tables, tables
from lit_roberta.comparison.reporting.bucket_chart import buckets_table
from lit_roberta.comparison.reporting.calibration_chart import calibration_table
from lit_roberta.comparison.reporting.charts import draw_charts
from lit_roberta.comparison.reporting.curves import validation_chart
from lit_roberta.comparison.reporting.design_tables import (
    grid_table,
    halving_table,
    ladder_table,
)
from lit_roberta.comparison.reporting.drawing import Chart, save_pictures
from lit_roberta.comparison.reporting.exports import write_tables
from lit_roberta.comparison.reporting.files import files_of
from lit_roberta.comparison.reporting.luck_chart import luck_table
from lit_roberta.comparison.reporting.methods import REFERENCES, methods
from lit_roberta.comparison.reporting.missing_runs import missing_runs
from lit_roberta.comparison.reporting.probe_findings import probe_sentences, probes_table
from lit_roberta.comparison.reporting.progress import UNITS, is_exact
from lit_roberta.comparison.reporting.rendering import render
from lit_roberta.comparison.reporting.samples import samples
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.reporting.task_scores import tasks_table
from lit_roberta.comparison.reporting.tuning_table import tuning_rows
from lit_roberta.comparison.reporting.words_table import words_table
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import write_json
from lit_roberta.whole_files import write_whole


def write_report(results: Results, folder: Path) -> None:
    """Write `report.html`, `report.md`, `results.json`, the pictures and the tables.

    Args:
        results: With at least one finished run.
        folder: Where to; it exists.
    """
    write_json(folder / "results.json", results.as_json())
    charts = draw_charts(results, results.verdict().pairs)
    save_pictures(charts, folder)
    shown = report_tables(results)
    write_tables([table for table in shown.values() if table is not None], results, folder)
    contents = _contents(results, charts, shown)
    for name in ("report.html", "report.md"):
        write_whole(folder / name, render(f"{name}.j2", contents).encode())


def report_tables(results: Results) -> dict[str, Table | None]:
    """Make every table, by the name that the templates know it by; None: nothing to show."""
    return {
        "ladder": ladder_table(results),
        "grid": grid_table(results),
        "luck": luck_table(results),
        "tasks": tasks_table(results),
        "words": words_table(results),
        "halving": halving_table(results),
        "matrix": loss_tables.matrix_table(results),
        "scores": loss_tables.scores_table(results),
        "memorisation": loss_tables.memorisation_table(results),
        "final_losses": loss_tables.final_losses_table(results),
        "next_sentence": tables.next_sentence_table(results),
        "probes": probes_table(results),
        "buckets": buckets_table(results),
        "calibration": calibration_table(results),
        "costs": tables.costs_table(results),
        "text": tables.text_table(results),
        "recipes": tables.recipes_table(results),
        "tuning": tuning_rows(results.tuning) if results.tuning else None,
    }


def _contents(
    results: Results, charts: Sequence[Chart], shown: dict[str, Table | None]
) -> dict[str, Any]:
    """Gather what the templates show, in the order in which they show it."""
    arms = results.finished()
    return {
        "results": results,
        "verdict": results.verdict(),
        "arms": arms,
        "places": {arm.name: place for place, arm in enumerate(arms)},
        "charts": {chart.name: chart for chart in charts},
        "units": [(unit, validation_chart(unit)) for unit in UNITS],
        "exact_progress": is_exact(results),
        "missing": missing_runs(results.failures),
        "fairness": findings.fairness_sentences(results),
        "memorisation": findings.memorisation_sentences(results),
        "training_loss": findings.training_loss_sentences(results),
        "probes": probe_sentences(results),
        "unigram": nats(results.text.unigram_loss),
        "log_vocab": nats(results.log_vocab),
        "tables": shown,
        "samples": samples(results),
        "files": files_of(results),
        "methods": methods(results),
        "references": REFERENCES,
    }
