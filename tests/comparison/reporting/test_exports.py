from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.comparison.reporting.exports import as_csv, escaped, latex, write_tables
from lit_roberta.comparison.reporting.report import report_tables
from lit_roberta.comparison.reporting.table import Table
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_results

_CELLS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
_ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(_CELLS, min_size=width, max_size=width), min_size=2)
)

_BARE = re.compile(r"(?<!\\)[&%$#_{}~^<>|]")
"""What LaTeX would not set as it is."""


@given(_CELLS)
def test_text_is_set_as_it_is(text: str) -> None:
    plain = escaped(text)
    for command in ("textbackslash", "textasciitilde", "textasciicircum", "textless", "textbar"):
        plain = plain.replace(f"\\{command}{{}}", "")
    plain = plain.replace("\\textgreater{}", "").replace("$-$", "")
    assert not _BARE.search(plain)
    assert not re.search(r"\\[^&%$#_{}]", plain)


@given(_ROWS)
def test_a_table_for_a_paper_has_as_many_cells_in_each_row(rows: list[list[str]]) -> None:
    text = latex(Table(name="t", caption="c", header=rows[0], rows=rows[1:]))
    columns = re.search(r"\\begin\{tabular\}\{([lr]+)\}", text)
    assert columns
    assert len(columns.group(1)) == len(rows[0])
    body = text.split("\\toprule\n")[1].split("    \\bottomrule")[0].replace("\\midrule", "")
    lines = [line for line in body.split("\n") if line.strip()]
    assert len(lines) == len(rows)
    for line in lines:
        assert line.endswith(r" \\")
        assert len(re.findall(r"(?<!\\)&", line)) == len(rows[0]) - 1


@pytest.mark.parametrize("name", ["[x]", "*", "*y", "[", " [x"])
def test_no_name_is_an_option_of_the_line_break_before_it(name: str) -> None:
    text = latex(Table(name="t", caption="c", header=["a"], rows=[["b"], [name]]))
    assert not re.search(r"\\\\\s*[\[*]", text)
    assert "{}" + name.strip() in text


@given(_ROWS)
def test_a_csv_file_is_read_as_it_was_written(rows: list[list[str]]) -> None:
    assert list(csv.reader(io.StringIO(as_csv(rows)))) == rows


def test_columns_of_numbers_are_set_to_the_right_and_signs_are_signs() -> None:
    rows = [["a", "-0.02 +/- 0.01", "words"], ["b", "1,234", "more"]]
    text = latex(Table(name="t", caption="c", header=["x", "y", "z"], rows=rows))
    assert "{lrl}" in text
    assert r"a & $-$0.02 $\pm$ 0.01 & words \\" in text


def test_every_table_is_a_file_of_both_kinds_and_runs_are_exact(tmp_path: Path) -> None:
    results = plant_results()
    tables = [table for table in report_tables(results).values() if table is not None]
    write_tables(tables, results, tmp_path)
    written = {path.name for path in (tmp_path / "tables").iterdir()}
    names = {f"{table.name}.{kind}" for table in tables for kind in ("csv", "tex")}
    assert written == names | {"runs.csv"}
    text = (tmp_path / "tables" / "runs.csv").read_text("utf-8")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(results.runs)
    for row, run in zip(rows, results.runs, strict=True):
        assert (row["recipe"], int(row["seed"])) == (run.recipe, run.seed)
        assert float(row["flops"]) == run.flops
        for format in (PAIRS, DOCUMENTS):
            assert float(row[f"heldout.{format}.mlm_loss"]) == run.heldout[format].mlm_loss
        assert row["nsp_accuracy"] == ("" if run.nsp_accuracy is None else str(run.nsp_accuracy))
