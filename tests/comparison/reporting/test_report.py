from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

from lit_roberta.comparison.reporting.missing_runs import missing_runs
from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.results import Failure, Results, TuningRow
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_results

pytestmark = pytest.mark.usefixtures("undrawn")

ALIKE = {"bert": {PAIRS: 3.5, DOCUMENTS: 3.6}, "roberta": {PAIRS: 3.5, DOCUMENTS: 3.6}}
KINDS: dict[str, Results] = {
    "winner": plant_results(
        losses={"bert": {PAIRS: 4.4, DOCUMENTS: 4.6}, "roberta": {PAIRS: 3.5, DOCUMENTS: 3.2}}
    ),
    "cannot-tell": plant_results(),
    "no-difference": plant_results(losses=ALIKE, run_deviation=0.004, document_deviation=0.01),
    "not-learned-context": plant_results(unigram=3.0),
    "too-few": plant_results(seeds=1),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    row = TuningRow(recipe="bert", learning_rate=1e-3, validation_losses=[4.0], chosen=True)
    failure = Failure(recipe="bert", seed=7, message="its process ended with status -9")
    write_report(replace(plant_results(), tuning=[row], failures=[failure]), folder)
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_and_the_text_open_with_the_verdict(kind: str, tmp_path: Path) -> None:
    write_report(KINDS[kind], tmp_path)
    verdict = KINDS[kind].verdict()
    assert verdict.kind == kind
    page = (tmp_path / "report.html").read_text("utf-8")
    text = (tmp_path / "report.md").read_text("utf-8")
    assert text.startswith(f"# {verdict.headline}\n")
    assert f"<h1>{verdict.headline}</h1>" in page
    plain = page.replace('<span class="note">', "").replace("</span>", "")
    for sentence in verdict.sentences:
        assert sentence in text
        assert f"<li>{sentence}</li>" in plain
    assert next(iter(json.loads((tmp_path / "results.json").read_text("utf-8")))) == "verdict"


def test_whoever_wants_to_make_it_again_finds_all_that_it_takes(tmp_path: Path) -> None:
    command = "python compare.py --recipes bert roberta '--corpus=a <b> & c.txt'"
    results = replace(plant_results(), command=command)
    write_report(results, tmp_path)
    page = unescape((tmp_path / "report.html").read_text("utf-8"))
    for text in (page, (tmp_path / "report.md").read_text("utf-8")):
        assert f"\n{command}\n" in text.replace("<pre><code>", "\n").replace("</code>", "\n")
        for key, value in results.environment.items():
            assert f"{key} {value}" in text
        assert f"text {results.text.digest}" in text


def test_runs_that_are_missing_for_one_reason_share_a_line() -> None:
    left = [
        Failure(recipe=name, seed=seed, message="not there yet", tried=False)
        for name, seed in (("a", 1), ("b", 1), ("a", 2))
    ]
    failed = Failure(recipe="a", seed=0, message="it diverged")
    assert missing_runs([*left, failed]) == [
        ("Missing", "a (seeds 1 and 2), b (seed 1): not there yet"),
        ("Failed", "a (seed 0): it diverged"),
    ]


def test_a_recipe_without_a_finished_run_is_named_in_the_headline() -> None:
    results = plant_results()
    runs = [run for run in results.runs if run.recipe == "bert"]
    assert replace(results, runs=runs).verdict().headline == (
        "No comparison: bert-10 and roberta have no finished run."
    )


def test_results_hold_what_others_read(folder: Path) -> None:
    results = json.loads((folder / "results.json").read_text("utf-8"))
    assert results["verdict"]["kind"] == "cannot-tell"
    assert results["unigram_loss"] == pytest.approx(5.0)
    assert results["unk_share"] == 0.012
    run = results["runs"][0]
    assert {
        "recipe",
        "seed",
        "updates",
        "sequences",
        "tokens",
        "seconds",
        "text_passes",
        "train_mlm_loss",
        "train_mlm_loss_fresh_masks",
        "heldout",
        "nsp_accuracy",
    } <= set(run)
    assert {"mlm_loss", "perplexity", "mlm_accuracy"} <= set(run["heldout"][PAIRS])
    assert set(run["heldout"]) == {PAIRS, DOCUMENTS}


def test_pictures_lie_where_the_text_shows_them(folder: Path) -> None:
    shown = re.findall(r"\]\((pictures/[\w-]+\.png)\)", (folder / "report.md").read_text("utf-8"))
    assert len(shown) == 7
    assert all((folder / name).read_bytes().startswith(b"\x89PNG") for name in shown)
    linked = re.findall(r'href="(pictures/[^"]+)"', (folder / "report.html").read_text("utf-8"))
    assert {Path(name).suffix for name in linked} == {".svg", ".png"}
    assert {name for name in linked if name.endswith("png")} == set(shown)
    assert all((folder / name).is_file() for name in linked)
    for path in (folder / "pictures").glob("*.svg"):
        assert "var(" not in path.read_text("utf-8")
        ElementTree.fromstring(path.read_text("utf-8"))


def test_what_the_user_wrote_stays_text(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert "&lt;b&gt;Lucy&lt;/b&gt; &amp; Anna." in page
    assert "&lt;sheep&gt;" in page
    assert "<sheep>" not in page
    assert not re.search(r"(?<!\\)<sheep>", (folder / "report.md").read_text("utf-8"))


def test_the_table_of_losses_carries_both_floors(folder: Path) -> None:
    text = (folder / "report.md").read_text("utf-8")
    assert "| word frequencies alone |  | 5.00 | 5.00 | 5.00 | 5.00 |  |" in text
    assert "| no knowledge: ln V |  | 6.36 | 6.36 | 6.36 | 6.36 |  |" in text


def test_failed_runs_and_chosen_rates_are_shown(folder: Path) -> None:
    for name in ("report.html", "report.md"):
        text = (folder / name).read_text("utf-8")
        assert "bert (seed 7): its process ended with status -9" in text
        assert "Learning rates" in text


def test_the_page_needs_nothing_else(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    assert not re.search(
        r"<script[^>]*\bsrc\b|@import|url\((?!#)|<img|<link rel=.stylesheet", page
    )
    assert "default-src 'none'" in page
    links = re.findall(r'href="([^"]*)"', page)
    # What is not part of the page is a file of the comparison, beside it.
    ours = ("#", "data:", "runs/", "pictures/", "tables/", "results.json")
    assert all(link.startswith(ours) for link in links)


def test_ids_are_unique_and_references_end_somewhere(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    targets = set(re.findall(r'(?:href="|url\()#([^")]+)', page))
    targets |= {
        target
        for names in re.findall(r'aria-labelledby="([^"]+)"', page)
        for target in names.split()
    }
    assert targets <= set(ids)


def test_every_colour_of_the_charts_has_a_dark_twin(folder: Path) -> None:
    page = (folder / "report.html").read_text("utf-8")
    charts = "".join(re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL))
    assert "var(--arm-0)" in charts
    assert set(re.findall(r"#[0-9a-f]{6}\b", charts)) == set()
