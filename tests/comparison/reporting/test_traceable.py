"""Every number of a table is found again in the files that the report names for it."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest

from lit_roberta.comparison.reporting.files import files_of
from lit_roberta.comparison.reporting.report import report_tables, write_report
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import write_json
from tests.comparison.planted import plant_results

pytestmark = pytest.mark.usefixtures("undrawn")

RESULTS = plant_results()
TABLES = [table for table in report_tables(RESULTS).values() if table is not None]
TRACED = [table for table in TABLES if table.fields]


def lay_out(results: Results, folder: Path) -> None:
    """Write the files that a comparison's runs leave behind."""
    for run in results.runs:
        place = folder / "runs" / run.recipe / f"seed-{run.seed}"
        place.mkdir(parents=True)
        write_json(place / "result.json", asdict(run))
        for name in ("config.yaml", "log.txt"):
            (place / name).touch()


def read(values: Any, field: str) -> float:
    """Read a field as the report writes it: names, places in lists, a difference or a quotient."""
    if " - " in field:
        first, second = field.split(" - ")
        return read(values, first) - read(values, second)
    if " / " in field:
        name, divisor = field.split(" / ")
        return read(values, name) / float(divisor)
    for step in re.findall(r"[^.\[\]]+", field):
        values = values[int(step) if isinstance(values, list) else step]
    return float(values)


def number(cell: str) -> tuple[float, float]:
    """Give the number that a cell begins with, and how exact it is."""
    found = re.match(r"[-+]?[\d,]*\.?\d+(e[-+]?\d+)?", cell)
    assert found, cell
    text = found.group().replace(",", "")
    scale = 0.01 if cell[found.end() :].startswith("%") else 1.0
    digits = len(text.split("e")[0].partition(".")[2])
    exponent = float(text.partition("e")[2] or 0)
    return float(text) * scale, 0.51 * 10 ** (exponent - digits) * scale


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    lay_out(RESULTS, folder)
    return folder


@pytest.mark.parametrize("table", TRACED, ids=lambda table: table.name)
def test_a_cell_is_the_mean_of_its_field_over_the_files_of_its_row(
    table: Table, folder: Path
) -> None:
    checked = 0
    for row, arm in zip(table.rows, table.arms, strict=True):
        if arm is None:
            continue
        stored = [
            json.loads((folder / files.result).read_text("utf-8"))
            for files in files_of(RESULTS)[arm]
        ]
        own = dict(zip(table.header, row, strict=True)) | {"format": stored_format(arm)}
        for cell, field in zip(row, table.fields, strict=True):
            if not field or cell == "none":
                continue
            path = re.sub(r"\{([^}]+)\}", lambda name, own=own: own[name.group(1)], field)  # type: ignore[misc]
            shown, reach = number(cell)
            assert np.mean([read(each, path) for each in stored]) == pytest.approx(
                shown, abs=reach
            )
            checked += 1
    assert checked > 1


def stored_format(arm: str) -> str:
    return next(recipe.format for recipe in RESULTS.recipes if recipe.name == arm)


def test_every_table_says_where_its_numbers_come_from() -> None:
    assert len(TABLES) > 8
    for table in TABLES:
        assert table.origin(), table.name
        if table.arms:
            assert len(table.arms) == len(table.rows)


def test_every_link_of_the_page_ends_at_a_file_beside_it(tmp_path: Path) -> None:
    lay_out(RESULTS, tmp_path)
    write_report(RESULTS, tmp_path)
    page = (tmp_path / "report.html").read_text("utf-8")
    links = [link for link in re.findall(r'href="([^"#][^"]*)"', page) if link != "data:,"]
    assert len(links) > 30
    for link in links:
        assert not link.startswith(("/", ".."))
        assert (tmp_path / unquote(link)).is_file(), link
