"""Minimal pairs: a model that prefers what it is made to prefer, and what can't be judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scipy.stats import binomtest

from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.inference.scoring import Scorer
from lit_roberta.probing.minimal_pairs import judge_minimal_pairs
from lit_roberta.probing.pairs import MinimalPair
from lit_roberta.probing.probe_cli import main
from lit_roberta.probing.shares import Share
from tests.inference.models import KINDS, tiny_model, write_model

SENTENCES = ["It rained.", "I love tea.", "So it is.", "You love the rain.", "It is so."]
UNKNOWN = "Zebras rained."


def pairs_by(model: object, phenomenon: str) -> list[MinimalPair]:
    """Pair each sentence with each, the one that the model prefers first."""
    scores = Scorer(model, within_word="left-to-right").scores(SENTENCES)  # type: ignore[arg-type]
    ranked = [score.text for score in sorted(scores, key=lambda score: -score.score)]
    return [
        MinimalPair(ranked[first], ranked[second], phenomenon)
        for first in range(len(ranked))
        for second in range(first + 1, len(ranked))
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_right_where_it_prefers_the_good_sentence(kind: str, tmp_path: Path) -> None:
    model = tiny_model(tmp_path, kind=kind)
    good = pairs_by(model, "one way")
    bad = [MinimalPair(pair.bad, pair.good, "the other") for pair in good[:4]]
    scores = judge_minimal_pairs(model, [*bad, *good])
    assert scores.by_phenomenon == {
        "the other": Share(right=0, total=4),
        "one way": Share(right=10, total=10),
    }
    assert scores.overall == Share(right=10, total=14)
    assert scores.right == [False] * 4 + [True] * 10


def test_pairs_that_cannot_be_judged_are_left_out_and_counted(tmp_path: Path) -> None:
    model = tiny_model(tmp_path, kind="word")
    known = pairs_by(model, "known")[:1]
    unknown = [MinimalPair("It rained.", UNKNOWN, "x"), MinimalPair(UNKNOWN, "It rained.", "x")]
    long = [MinimalPair("It rained. " * 40, "It rained.", "x")]
    same = [MinimalPair("It rained.", "it  rained.", "case")]
    scores = judge_minimal_pairs(model, [*unknown, *known, *long, *same])
    assert (scores.unknown, scores.too_long, scores.ties) == (2, 1, 1)
    assert scores.right == [None, None, True, None, False]
    assert list(scores.by_phenomenon) == ["known", "case"]
    empty = judge_minimal_pairs(model, unknown)
    assert empty.overall is None
    assert empty.as_json()["overall"] is None


@pytest.mark.parametrize(("right", "total"), [(0, 1), (1, 1), (0, 40), (7, 9), (130, 200)])
def test_intervals_are_wilsons(right: int, total: int) -> None:
    expected = binomtest(right, total).proportion_ci(0.95, method="wilson")
    assert Share(right=right, total=total).interval == pytest.approx(tuple(expected), abs=1e-9)


def test_the_command_writes_a_table_or_json(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = str(write_model(tmp_path / "model.ckpt", kind="word"))
    file = tmp_path / "pairs.tsv"
    file.write_text(f"It rained.\tI love tea.\nIt is so.\t{UNKNOWN}\n", "utf-8")
    assert main([model, "--minimal-pairs", str(file), "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["chance"] == 0.5
    assert (found["pairs"], found["left_out_unknown"]) == (2, 1)
    assert found["overall"]["total"] == found["by_phenomenon"]["all"]["total"] == 1
    assert main([model, "--minimal-pairs", str(file)]) == 0
    table = capfd.readouterr().out
    assert "1 of 2 pairs left out for a word that the tokenizer does not know." in table
    assert "chance is 50%" in table


def test_the_packages_own_pairs_need_no_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = str(write_model(tmp_path / "model.ckpt"))
    assert main([model, "--minimal-pairs", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["overall"]["total"] == found["pairs"] - found["left_out_too_long"] >= 200


def test_pairs_of_another_language_are_refused(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    model = str(write_model(tmp_path / "model.ckpt", kind="word"))
    (tmp_path / "pairs.tsv").write_text("Es regnet.\tEs regnen.\n", "utf-8")
    assert main([model, "--minimal-pairs", str(tmp_path / "pairs.tsv")]) == 2
    assert "--minimal-pairs must have a pair that" in capfd.readouterr().err


@pytest.mark.parametrize("words", [[], ["--linear", "--minimal-pairs"]])
def test_one_probe_is_asked_for(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "none.ckpt"), *words]) == 2
    said = capfd.readouterr().err
    assert said.startswith("the probe must be one of --minimal-pairs, --zero-shot, --linear, --s")


@pytest.mark.parametrize(
    "words",
    [["--minimal-pairs"], ["--zero-shot", "--template", "{text} {mask}", "--words", "a=b"]],
)
def test_a_model_without_the_head_has_no_predictions(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = load_pretrained(str(write_model(tmp_path / "model.ckpt")))
    export(whole, tmp_path / "vectors", sentence_embeddings=True)
    file = tmp_path / "texts.tsv"
    file.write_text("text\tlabel\nI love tea.\ta\n", "utf-8")
    data = ["--data", str(file)] if "--zero-shot" in words else []
    assert main([str(tmp_path / "vectors"), *words, *data]) == 2
    said = capfd.readouterr().err.splitlines()[-1]
    assert said.startswith("the model must have a masked-language-model head")
