"""The report: a page that needs nothing else, its text for a terminal, pictures, and the numbers.

In: results. Out: files in one folder. What is said is computed in the modules beside this one;
what it looks like is in the templates.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting import findings, tables
from lit_roberta.comparison.reporting.charts import draw_charts
from lit_roberta.comparison.reporting.drawing import Chart, save_pictures
from lit_roberta.comparison.reporting.probe_findings import probe_sentences, probes_table
from lit_roberta.comparison.reporting.table import markdown
from lit_roberta.comparison.reporting.tuning_table import tuning_rows
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import write_json
from lit_roberta.whole_files import write_whole


def write_report(results: Results, folder: Path) -> None:
    """Write `report.html`, `report.md`, `results.json` and the pictures.

    Args:
        results: With at least one finished run.
        folder: Where to; it exists.
    """
    write_json(folder / "results.json", results.as_json())
    charts = draw_charts(results, results.verdict().pairs)
    save_pictures(charts, folder)
    for name in ("report.html", "report.md"):
        write_whole(folder / name, render(f"{name}.j2", results, charts).encode())


def render(template: str, results: Results, charts: Sequence[Chart]) -> str:
    """Fill one of the templates."""
    environment = Environment(
        loader=PackageLoader("lit_roberta.comparison.reporting", "templates"),
        autoescape=select_autoescape(enabled_extensions=("html.j2",)),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["markdown"] = markdown
    environment.filters["evidence"] = _evidence_in_small
    return environment.get_template(template).render(_contents(results, charts))


def _evidence_in_small(sentence: str) -> Markup:
    """Set the intervals of a sentence back, so that its words can be read first."""
    small = r'<span class="note">\g<0></span>'
    return Markup(re.sub(r"\(95% interval[^)]*\)", small, str(escape(sentence))))


def _contents(results: Results, charts: Sequence[Chart]) -> dict[str, Any]:
    """Gather what the templates show, in the order in which they show it."""
    return {
        "results": results,
        "verdict": results.verdict(),
        "charts": {chart.name: chart for chart in charts},
        "fairness": findings.fairness_sentences(results),
        "memorisation": findings.memorisation_sentences(results),
        "training_loss": findings.training_loss_sentences(results),
        "probes": probe_sentences(results),
        "unigram": nats(results.text.unigram_loss),
        "log_vocab": nats(results.log_vocab),
        "tables": {
            "matrix": tables.matrix_table(results),
            "scores": tables.scores_table(results),
            "memorisation": tables.memorisation_table(results),
            "final_losses": tables.final_losses_table(results),
            "next_sentence": tables.next_sentence_table(results),
            "probes": probes_table(results),
            "costs": tables.costs_table(results),
            "text": tables.text_table(results),
            "recipes": tables.recipes_table(results),
            "tuning": tuning_rows(results.tuning),
        },
        "samples": _samples(results),
    }


@dataclass(frozen=True, kw_only=True)
class _Blank:
    """One hidden word and what each recipe puts there."""

    number: int
    answer: str
    guesses: dict[str, list[dict[str, Any]]]


def _samples(results: Results) -> list[dict[str, Any]]:
    """Pair each sentence with the guesses of each recipe's first run.

    The blanks are tokens of the first recipe: one with other tokens had other blanks.
    """
    firsts = {recipe.name: results.runs_of(recipe.name)[0] for recipe in results.finished()}
    own = {each.name for each in results.recipes if each.tokenizer == results.recipes[0].tokenizer}
    samples = []
    for place, parts in enumerate(results.text.samples):
        blanks = [
            _Blank(
                number=number + 1,
                answer=parts[2 * number + 1],
                guesses={
                    name: run.guesses[place][number] if name in own else []
                    for name, run in firsts.items()
                },
            )
            for number in range(len(parts) // 2)
        ]
        samples.append({"texts": parts[::2], "blanks": blanks})
    return samples
