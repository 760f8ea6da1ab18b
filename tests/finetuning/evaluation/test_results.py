from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.evaluation.caveats import caveats
from lit_roberta.finetuning.evaluation.report import EvaluationResults, markdown_report
from lit_roberta.finetuning.evaluation.results import Failure, Spread, make_cells
from tests.finetuning.evaluation.made_up import made_up, made_up_run


@given(st.permutations([0.6, 0.7, 0.8]), st.permutations([0.65, 0.9, 0.5]))
def test_the_setting_is_chosen_by_the_median_on_validation(
    one: list[float], other: list[float]
) -> None:
    # On the test part the other would be better.
    found = made_up(one, [0.1] * 3, lr=1e-5) + made_up(other, [0.9] * 3, lr=3e-5)
    (cell,) = make_cells(found)
    assert cell.chosen.lr == 1e-5
    assert cell.scores == [0.1] * 3
    assert not cell.is_optimistic


@given(st.lists(st.floats(0.1, 0.9), min_size=3, max_size=3), st.floats(0.1, 0.9))
def test_a_setting_at_which_most_runs_failed_is_not_chosen(
    whole: list[float], luck: float
) -> None:
    for higher in (True, False):
        words: dict[str, Any] = {"higher_is_better": higher}
        found = made_up([luck], lr=3e-5, **words) + made_up(whole, lr=1e-5, **words)
        (cell,) = make_cells(found)
        assert cell.chosen.lr == 1e-5


def test_less_is_better_where_it_is() -> None:
    words: dict[str, Any] = {"metric": "mse", "higher_is_better": False}
    found = made_up([2.0, 2.1], lr=1e-5, **words) + made_up([1.0, 1.1], lr=3e-5, **words)
    (cell,) = make_cells(found)
    assert cell.chosen.lr == 3e-5
    assert cell.is_optimistic


@pytest.mark.parametrize("score", [0.5, 0.502, 0.3, None])
def test_a_run_at_the_baseline_is_marked_everywhere(score: float | None) -> None:
    found = made_up([0.9, score, 0.92], [0.9, score, 0.92])
    (cell,) = make_cells(found)
    assert cell.chosen.collapsed == [1]
    assert cell.has_learned
    results = EvaluationResults(
        output=Path("out"),
        found=found,
        failures=[],
        cells=[cell],
        differences=[],
        sources={"a": "a.ckpt"},
    )
    assert "1 of 3 runs (seed 1) learned nothing" in markdown_report(results)
    stored = json.loads(json.dumps(results.as_json(), allow_nan=False))
    assert [run["learned_nothing"] for run in stored["runs"]] == [False, True, False]
    assert stored["cells"][0]["learned_nothing"] == [1]
    assert "1 of 1 run (seed 0) learned nothing" in caveats(make_cells(made_up([0.5])), [])[0]


def test_every_number_leads_to_the_folders_of_its_runs() -> None:
    found = made_up([0.6, 0.7], lr=1e-5) + made_up([0.8, 0.9], lr=2e-5)
    lost = Failure(run=made_up_run(lr=2e-5, seed=2), message="it diverged")
    results = EvaluationResults(
        output=Path("out"),
        found=found,
        failures=[lost],
        cells=make_cells(found),
        differences=[],
        sources={"a": "a.ckpt"},
    )
    stored = results.as_json()
    (cell,) = stored["cells"]
    by_folder = {run["folder"]: run for run in stored["runs"]}
    scores = [by_folder[name]["scores"]["validation"][""]["accuracy"] for name in cell["runs"]]
    assert scores == [0.8, 0.9]
    assert (cell["median"], cell["minimum"], cell["maximum"]) == (pytest.approx(0.85), 0.8, 0.9)
    text = markdown_report(results)
    assert "optimistic" in text
    assert "**Failed:** a, t, lr 2e-05, batch 16, seed 2: it diverged" in text


@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_a_spread_holds_its_scores(scores: list[float]) -> None:
    spread = Spread.of(scores)
    assert spread is not None
    assert spread.minimum <= spread.median <= spread.maximum
    assert (spread.deviation is None) == (len(scores) == 1)
    assert Spread.of([]) is None
