from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.comparison.judging.designs import Design, Rung
from lit_roberta.comparison.report_cli import main
from lit_roberta.comparison.reporting.report import write_report
from lit_roberta.comparison.results import Failure, Results, TuningRow
from lit_roberta.comparison.results_file import read_results, results_from_json
from lit_roberta.comparison.runs.run import ProbeScores
from lit_roberta.errors import UserError
from tests.comparison.planted import plant_results

pytestmark = pytest.mark.usefixtures("undrawn")


def full_results() -> Results:
    """Results in which nothing is empty."""
    planted = plant_results()
    probes = ProbeScores(
        accuracy=0.5,
        by_phenomenon={"order": 0.5},
        phenomena=["order"] * 3,
        right=[True, False, None],
    )
    changes = {"data.masking.copies": [1, 10]}
    return replace(
        planted,
        runs=[replace(run, probes=probes) for run in planted.runs],
        failures=[Failure(recipe="bert", seed=7, message="it stopped")],
        tuning=[
            TuningRow(recipe="bert", learning_rate=1e-3, validation_losses=[4.0], chosen=True)
        ],
        design=Design(
            kind="ladder",
            rungs=[Rung(arm="bert-10", before="bert", switch="copies", changes=changes)],
        ),
    )


def test_results_are_read_as_they_were_written() -> None:
    results = full_results()
    assert results_from_json(json.loads(json.dumps(results.as_json()))) == results


def test_the_report_is_made_anew_and_is_the_same(tmp_path: Path) -> None:
    write_report(full_results(), tmp_path)
    names = [path for path in tmp_path.rglob("*") if path.is_file()]
    first = {path: path.read_bytes() for path in names}
    for path in names:
        if path.name != "results.json":
            path.unlink()
    assert main([str(tmp_path)]) == 0
    assert {path: path.read_bytes() for path in names} == first


@pytest.mark.parametrize(
    "content", [None, "", "[]", "{}", '{"runs": []}', '{"recipes": 3}'], ids=str
)
def test_what_holds_no_results_is_one_line_and_stays_as_it_was(
    content: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / "results.json").write_text(content)
    assert main([str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert len(error.splitlines()) == 1
    assert "comparison" in error or "version" in error
    assert {path.name for path in tmp_path.iterdir()} <= {"results.json"}


def test_results_of_another_version_are_named(tmp_path: Path) -> None:
    values = full_results().as_json()
    values["runs"][0]["unknown"] = 1
    (tmp_path / "results.json").write_text(json.dumps(values))
    with pytest.raises(ValueError, match=r"results\.json must be one that this version reads"):
        read_results(tmp_path)


def places(values: Any, *place: str | int) -> Iterator[tuple[str | int, ...]]:
    """Name every place of plain values but those behind the first of a list."""
    parts = list(values.items()) if isinstance(values, dict) else []
    parts = list(enumerate(values[:1])) if isinstance(values, list) else parts
    for key, part in parts:
        yield (*place, key)
        yield from places(part, *place, key)


VALUES = full_results().as_json()
PLACES = [place for place in places(VALUES) if place[0] != "verdict"]


@given(st.sampled_from(PLACES), st.sampled_from([None, "x", [], {}, [None], math.nan, ...]))
@settings(max_examples=60, deadline=None)
def test_a_file_that_somebody_changed_is_one_line_or_is_reported(
    place: tuple[str | int, ...], value: object
) -> None:
    values = copy.deepcopy(VALUES)
    inner: Any = values
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    if value is ...:
        del inner[place[-1]]
    with TemporaryDirectory() as name:
        (Path(name) / "results.json").write_text(json.dumps(values))
        try:
            results = read_results(Path(name))
        except UserError as error:
            said = str(error)
        else:
            said = ""
            write_report(results, Path(name))
    assert said.count("\n") == 0


def test_a_folder_that_is_not_there_is_not_made(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(tmp_path / "missing")]) == 2
    assert "there is no results.json" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
