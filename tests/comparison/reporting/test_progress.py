from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lit_roberta.comparison.reporting.progress import UNITS, Unit, is_exact, progress
from tests.comparison.planted import plant_results

RESULTS = plant_results()
RUNS = RESULTS.runs_of("bert")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_without_a_record_progress_is_in_proportion_to_the_updates(unit: Unit) -> None:
    way = progress(RUNS, unit)
    updates = np.array([update for update, _ in RUNS[0].curves.validation])
    assert way.places == pytest.approx(updates / RUNS[0].updates * unit.total(RUNS[0]))
    assert not is_exact(RESULTS)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_what_a_run_kept_is_taken_as_it_is(unit: Unit) -> None:
    random = np.random.default_rng(0)
    kept = []
    for run in RUNS:
        points = len(run.curves.validation)
        fed = {each.name: np.sort(random.uniform(0, 9, points)).tolist() for each in UNITS}
        kept.append(replace(run, curves=replace(run.curves, fed=fed)))
    expected = np.mean([run.curves.fed[unit.name] for run in kept], axis=0)
    assert progress(kept, unit).places == pytest.approx(expected)
    assert is_exact(replace(RESULTS, runs=kept))


def test_runs_of_different_length_share_the_points_that_all_have() -> None:
    curves = replace(RUNS[0].curves, validation=RUNS[0].curves.validation[:5])
    way = progress([replace(RUNS[0], curves=curves), *RUNS[1:]], UNITS[0])
    assert way.losses.shape == (len(RUNS), 5)
    assert way.places.shape == (5,)
