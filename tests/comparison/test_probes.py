"""Probes with a known truth: who is named, and what is said where loss and probes differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lit_roberta.comparison.judging.probe_judging import gather, judge_probes, knows_something
from lit_roberta.comparison.reporting.probe_findings import probe_sentences, probes_table
from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import ProbeScores
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_results

pytestmark = pytest.mark.usefixtures("undrawn")

Rows = list[list[bool | None]]
OWN = {"bert": {PAIRS: 3.5, DOCUMENTS: 5.0}, "roberta": {PAIRS: 5.1, DOCUMENTS: 3.2}}
"""Each wins the format that it was trained on."""
ROBERTA = {"bert": {PAIRS: 4.4, DOCUMENTS: 4.6}, "roberta": {PAIRS: 3.5, DOCUMENTS: 3.2}}


def plant_answers(name: str, share: float, *, runs: int = 5, pairs: int = 160) -> Rows:
    """Answer rightly with a probability, each run and pair by itself; two pairs are left out."""
    random = np.random.default_rng([runs, *name.encode()])
    rows = (random.random((runs, pairs)) < share).tolist()
    return [[None, *row[:-2], None] for row in rows]


def probed(results: Results, shares: Mapping[str, float]) -> Results:
    phenomena = ["agreement"] * 80 + ["word order"] * 80
    seeds = len({run.seed for run in results.runs})
    runs = []
    for run in results.runs:
        right = plant_answers(run.recipe, shares[run.recipe], runs=seeds)[run.seed]
        given = [each for each in right if each is not None]
        probes = ProbeScores(
            accuracy=sum(given) / len(given), by_phenomenon={}, phenomena=phenomena, right=right
        )
        runs.append(replace(run, probes=probes))
    return replace(results, runs=runs)


def said(losses: Mapping[str, Mapping[str, float]], bert: float, roberta: float) -> list[str]:
    return probe_sentences(
        probed(plant_results(losses=losses), {"bert": bert, "roberta": roberta})
    )


def test_probes_and_loss_agree_or_not_as_the_numbers_have_it() -> None:
    chance, agreement = said(ROBERTA, 0.5, 0.8)
    assert chance.startswith("Of 158 minimal pairs, bert prefers the good sentence in ")
    assert "Only roberta is above it" in chance
    assert agreement.startswith(
        "Probes and held-out loss agree: of bert and roberta, roberta is better; bert minus "
        "roberta: -"
    )
    assert "points (95% interval over runs -" in agreement
    _, disagreement = said(ROBERTA, 0.8, 0.6)
    assert (
        "disagree on bert and roberta: the loss prefers roberta, the probes bert" in disagreement
    )
    chance, unsure = said(ROBERTA, 0.51, 0.51)
    assert "Nobody is above chance" in chance
    assert "Held-out loss prefers roberta between bert and roberta; the probes do not" in unsure
    chance, silent = said(OWN, 0.8, 0.9)
    assert "; 50% is chance. bert and roberta are above it" in chance
    assert "names no winner between bert and roberta; the probes prefer roberta" in silent
    _, neither = said(OWN, 0.8, 0.8)
    assert neither.startswith("Neither probes nor held-out loss name a winner")


def test_the_verdict_points_to_the_probes_only_where_loss_is_silent() -> None:
    silent = plant_results(losses=OWN)
    without = silent.verdict()
    verdict = probed(silent, {"bert": 0.5, "roberta": 0.8}).verdict()
    assert verdict.kind == without.kind == "each-wins-own-format"
    assert verdict.headline == f"{without.headline} The probes prefer roberta."
    assert verdict.sentences[:-1] == without.sentences
    assert verdict.sentences[-1].startswith("Between bert and roberta, the probes prefer roberta")
    unsure = probed(silent, {"bert": 0.7, "roberta": 0.7}).verdict()
    assert unsure.headline == f"{without.headline} The probes cannot decide, either."
    clear = plant_results(losses=ROBERTA)
    assert probed(clear, {"bert": 0.9, "roberta": 0.5}).verdict() == clear.verdict()


def test_who_is_not_above_chance_is_not_preferred() -> None:
    answers = {"a": plant_answers("a", 0.2), "b": plant_answers("b", 0.5)}
    (judgement,) = judge_probes(gather(answers))
    assert judgement.p_value < 0.001
    assert judgement.better is None


def test_few_runs_give_figures_only() -> None:
    results = probed(plant_results(seeds=2, losses=OWN), {"bert": 0.5, "roberta": 0.95})
    assert (
        "Too few runs for a verdict by probes between bert and roberta"
        in (probe_sentences(results)[1])
    )
    one = probed(plant_results(seeds=1, losses=OWN), {"bert": 0.5, "roberta": 0.95})
    assert "One run says nothing about how much runs differ." in probe_sentences(one)[0]


def test_equal_recipes_are_seldom_told_apart() -> None:
    wrong = sum(
        any(judgement.better for judgement in judge_probes(gather(answers)))
        for number in range(100)
        if (
            answers := {
                name: plant_answers(f"{name} {number}", 0.7) for name in ("one", "two", "three")
            }
        )
    )
    assert wrong <= 5


def test_guessing_is_seldom_taken_for_knowledge() -> None:
    guesses = gather(
        {f"recipe {number}": plant_answers(f"{number}", 0.5) for number in range(100)}
    )
    assert sum(map(knows_something, guesses)) <= 8


def test_only_pairs_that_all_runs_were_asked_count() -> None:
    first, second = gather({"one": [[True, None, False]], "two": [[True, True, True]]})
    assert first.right.tolist() == [[True, False]]
    assert second.right.tolist() == [[True, True]]
    assert first.asked == [0, 2]
    assert gather({"one": [[None, True]], "two": [[True, None]]}) == []
    assert gather({}) == []


def test_the_report_shows_the_table_and_the_sentences(tmp_path: Path) -> None:
    results = probed(plant_results(), {"bert": 0.55, "bert-10": 0.6, "roberta": 0.8})
    write_report(results, tmp_path)
    text = (tmp_path / "report.md").read_text("utf-8")
    page = (tmp_path / "report.html").read_text("utf-8").replace('<span class="note">', "")
    page = page.replace("</span>", "")
    table = probes_table(results)
    assert table is not None
    assert [row[0] for row in table.rows] == ["all", "agreement", "word order"]
    assert [row[1] for row in table.rows] == ["158", "79", "79"]
    assert "2 of 160 pairs were left out" in table.caption
    for sentence in probe_sentences(results):
        assert sentence in text
        assert sentence in page
    assert len(probe_sentences(results)) == 1 + 3


def test_without_probes_nothing_is_said_of_them(tmp_path: Path) -> None:
    write_report(plant_results(), tmp_path)
    for name in ("report.md", "report.html"):
        assert "inimal pair" not in (tmp_path / name).read_text("utf-8")


def test_a_text_in_another_language_has_no_probes() -> None:
    results = probed(plant_results(losses=OWN), {"bert": 0.5, "roberta": 0.5})
    runs = []
    for run in results.runs:
        assert run.probes is not None
        nothing = replace(run.probes, accuracy=None, right=[None] * 160)
        runs.append(replace(run, probes=nothing))
    silent = replace(results, runs=runs)
    assert probes_table(silent) is None
    assert probe_sentences(silent) == [
        "No minimal pair could be asked: they are English, and the tokenizer lacks a word."
    ]
    assert silent.verdict() == plant_results(losses=OWN).verdict()


@pytest.mark.parametrize("seeds", [3, 5])
def test_a_true_difference_is_found(seeds: int) -> None:
    answers = {
        name: plant_answers(name, share, runs=seeds) for name, share in (("a", 0.6), ("b", 0.9))
    }
    (judgement,) = judge_probes(gather(answers))
    assert judgement.better == "b"
