from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lit_roberta.comparison.judging.shared_words import SharedWords
from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.reporting.words_table import words_table
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.results_file import results_from_json
from lit_roberta.comparison.runs.run import Run, WordScores
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_results

pytestmark = pytest.mark.usefixtures("undrawn")

NUM_DOCUMENTS, WORDS_EACH = 30, 12
SPANS = [
    f"{document}:{10 * word}-{10 * word + 4 + word % 3}"
    for document in range(NUM_DOCUMENTS)
    for word in range(WORDS_EACH)
]
LACKS = {"bert": (3, 40), "bert-10": (3, 40), "roberta": (5,)}
"""Words that each arm's vocabulary lacks."""
UNIGRAM = {"bert": 6.0, "bert-10": 6.0, "roberta": 9.0}


def plant_words(name: str, seed: int, losses: dict[str, float]) -> WordScores:
    random = np.random.default_rng([seed, *name.encode()])
    effect = random.normal(scale=0.02)

    def values(loss: float) -> list[float | None]:
        noise = random.normal(scale=0.3, size=len(SPANS))
        return [
            None if place in LACKS[name] else float(loss + effect + noise[place])
            for place in range(len(SPANS))
        ]

    return WordScores(
        spans=SPANS,
        nats={format: values(loss) for format, loss in losses.items()},
        unigram_nats=values(UNIGRAM[name]),
        unknown=len(LACKS[name]),
        sampled_of=2 * len(SPANS),
    )


def plant(losses: dict[str, float] | None = None) -> Results:
    """Make results of two tokenizers; a recipe loses the same in every format."""
    losses = losses or {"bert": 4.0, "bert-10": 3.9, "roberta": 3.0}
    results = plant_results()

    def worded(run: Run) -> Run:
        both = dict.fromkeys((PAIRS, DOCUMENTS), losses[run.recipe])
        return replace(run, words=plant_words(run.recipe, run.seed, both))

    return replace(
        results,
        recipes=[
            replace(recipe, tokenizer="fine" if recipe.name == "roberta" else "coarse")
            for recipe in results.recipes
        ],
        runs=[worded(run) for run in results.runs],
    )


def test_arms_are_read_from_the_words_that_all_of_them_know() -> None:
    results = plant()
    common = [place for place in range(len(SPANS)) if place not in (3, 40, 5)]
    documents = np.array(common) // WORDS_EACH
    for arm in results.arms():
        assert arm.unit == "held-out word"
        assert arm.counts.tolist() == np.bincount(documents).tolist()
        for seed, run in enumerate(results.runs_of(arm.name)):
            assert run.words is not None
            for format, found in arm.nats.items():
                nats = np.array(run.words.nats[format], dtype=float)[common]
                expected = np.bincount(documents, weights=nats)
                np.testing.assert_allclose(found[seed], expected)
    floor = results.unigram().sum() / len(common)
    assert floor == pytest.approx(6.0, abs=0.1)  # of the tokenizer that it suits best


def test_the_verdict_is_on_words_and_says_so() -> None:
    verdict = plant().verdict()
    assert (verdict.kind, verdict.winner) == ("winner", "roberta")
    assert verdict.sentences[0].startswith("The recipes have different tokens, so that no loss ")
    assert "357 held-out words" in verdict.sentences[0]
    assert "nats per held-out word" in " ".join(verdict.sentences[1:])
    assert "masked token" not in " ".join(verdict.sentences)
    same = plant({"bert": 3.0, "bert-10": 3.0, "roberta": 3.0}).verdict()
    assert same.winner is None
    weak = plant({"bert": 6.5, "bert-10": 6.5, "roberta": 6.4}).verdict()
    assert weak.kind == "not-learned-context"


def test_recipes_with_the_same_tokens_are_judged_by_them() -> None:
    results = plant()
    alike = replace(results, recipes=[replace(each, tokenizer="x") for each in results.recipes])
    assert alike.words is None
    assert {arm.unit for arm in alike.arms()} == {"masked token"}
    assert alike.as_json()["words"] is None


def test_facts_are_those_of_the_words() -> None:
    results = plant()
    assert results.words is not None
    facts = results.words.facts()
    common = [place for place in range(len(SPANS)) if place not in (3, 40, 5)]
    assert (facts.sampled, facts.common) == (len(SPANS), len(common))
    assert facts.left_out_share == pytest.approx(3 / len(SPANS))
    assert facts.unknown_share == {
        name: len(lacking) / len(SPANS) for name, lacking in LACKS.items()
    }
    size = sum(4 + place % WORDS_EACH % 3 for place in common)
    for arm in results.arms():
        for format in (PAIRS, DOCUMENTS):
            loss = float(arm.losses(format).mean())
            assert facts.nats_per_word[arm.name][format] == pytest.approx(loss)
            bits = loss * len(common) / math.log(2) / size
            assert facts.bits_per_byte[arm.name][format] == pytest.approx(bits)
    assert facts.sentence() in results.verdict().sentences


def test_runs_of_other_words_are_never_compared() -> None:
    results = plant()
    run = results.runs[0]
    assert run.words is not None
    other = replace(run, words=replace(run.words, spans=["0:0-1", *SPANS[1:]]))
    with pytest.raises(AssertionError, match="of the same text"):
        SharedWords({"bert": [run], "roberta": [other]}, [PAIRS])


def test_results_of_words_are_written_read_and_reported(tmp_path: Path) -> None:
    results = plant()
    plain = json.loads(json.dumps(results.as_json(), allow_nan=False))
    assert plain["words"]["common"] == 357
    read = results_from_json(plain)
    assert read.verdict() == results.verdict()
    write_report(results, tmp_path)
    for name in ("report.md", "report.html"):
        said = (tmp_path / name).read_text("utf-8")
        assert "nats per held-out word" in said
        assert "357 held-out words that all vocabularies know" in said
        assert "read along a row, not down a column" in said
    assert words_table(plant_results()) is None
