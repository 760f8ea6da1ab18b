from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from lit_roberta.comparison import budgets
from lit_roberta.comparison.budgets import at_budget, run_budgets
from lit_roberta.comparison.cli import main, parse
from lit_roberta.comparison.reporting.budgets_chart import draw_budgets
from lit_roberta.comparison.reporting.budgets_report import budgets_table, write_budgets
from lit_roberta.comparison.request import Comparison
from lit_roberta.comparison.results import Results
from tests.comparison.planted import DOCUMENTS, PAIRS, plant_results


@pytest.mark.parametrize(
    ("words", "unit", "amounts"),
    [
        ("--budgets 10,20,40", "passes", (10, 20, 40)),
        ("--budgets 2e9,1e9 --budget.unit flops", "flops", (2e9, 1e9)),
        ("--budgets=5000 --budget.unit=tokens", "tokens", (5000,)),
        ("", "tokens", ()),
    ],
)
def test_budgets_are_passes_unless_a_unit_is_named(
    words: str, unit: str, amounts: tuple[float, ...]
) -> None:
    asked = parse(words.split())
    assert (asked.budget.unit, asked.budgets) == (unit, amounts)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--budgets ten", "--budgets must be numbers, as 10,20,40, got 'ten'."),
        ("--budgets 10,,20", "--budgets must be numbers, as 10,20,40, got '10,,20'."),
        ("--budgets 10,10.0", "--budgets must have different amounts, got '10,10.0'."),
        ("--budgets 1,nan", "budget.amount must be above 0, got nan"),
        ("--budgets inf", "budget.amount must be finite and below 2**63, got inf"),
        ("--budgets 10,-1", "budget.amount must be above 0, got -1"),
        ("--budgets 10 --budget.amount 3", "--budget.amount must not be given with --budgets"),
        ("--budgets 10,20 --index 0", "--index must not be given with --budgets, got [0]. Each"),
    ],
)
def test_budgets_that_make_no_sense_are_refused(
    words: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words.split(), "--output", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(message)
    assert not list(tmp_path.iterdir())


def test_each_budget_is_a_comparison_of_its_own_and_all_ends_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    losses = {10: (4.0, 4.5), 40: (3.5, 3.0)}  # which is better changes with the length
    made: list[Comparison] = []

    def compare(asked: Comparison, *, console: Console) -> Results:
        made.append(asked)
        bert, roberta = losses[int(asked.budget.amount or 0)]
        return planted_at(float(asked.budget.amount or 0), bert=bert, roberta=roberta)

    monkeypatch.setattr(budgets, "run_comparison", compare)
    asked = parse(["--budgets", "40,10", "--output", str(tmp_path), "--report-only"])
    found = run_budgets(asked, console=Console(file=io.StringIO()))
    assert made == [at_budget(asked, 10.0), at_budget(asked, 40.0)]
    assert [part.output for part in made] == [tmp_path / "budgets" / name for name in ("10", "40")]
    assert all(part.choice.report_only and not part.budgets for part in made)
    points = json.loads((tmp_path / "budgets.json").read_text("utf-8"))["points"]
    assert [point["verdict"]["winner"] for point in points] == ["bert", "roberta"]
    for point, (bert, roberta) in zip(points, losses.values(), strict=True):
        ends = {row["recipe"]: row["mean"] for row in point["recipes"]}
        assert ends == pytest.approx({"bert": bert, "roberta": roberta}, abs=0.1)
        assert all(row["over_runs"]["low"] < row["mean"] for row in point["recipes"])
    text = (tmp_path / "budgets.md").read_text("utf-8")
    page = (tmp_path / "budgets.html").read_text("utf-8")
    assert text.startswith("# The verdict depends on the budget.\n")
    for amount, results in zip(("10", "40"), found, strict=True):
        assert f"{results.verdict().headline} ([report](budgets/{amount}/report.md))" in text
        assert f'<a href="budgets/{amount}/report.html">' in page
    assert "| budget | bert | roberta |" in text
    assert "(pictures/budgets.png)" in text


def test_budgets_that_agree_are_said_to_agree(tmp_path: Path) -> None:
    found = [planted_at(amount, bert=4.5, roberta=4.0) for amount in (10, 40)]
    write_budgets(found, tmp_path, reports=["budgets/10", "budgets/40"])
    text = (tmp_path / "budgets.md").read_text("utf-8")
    assert text.startswith("# The verdict is of one kind at all 2 budgets. At the largest: ")
    assert found[-1].verdict().headline in text.splitlines()[0]


def test_a_recipe_that_failed_at_one_budget_has_its_other_points() -> None:
    small, large = (planted_at(amount, bert=4.5, roberta=4.0) for amount in (10, 40))
    runs = [run for run in large.runs if run.recipe != "bert"]
    found = [small, replace(large, runs=runs)]
    assert [row[1] == "none" for row in budgets_table(found).rows] == [False, True]
    chart = draw_budgets(found)
    assert chart is not None
    assert chart.hover is not None
    points = {line["name"]: line["loss"] for line in chart.hover["lines"]}
    assert [len(points[name]) for name in ("bert", "roberta")] == [1, 2]


def test_one_budget_needs_no_picture(tmp_path: Path) -> None:
    write_budgets([planted_at(10, bert=4.5, roberta=4.0)], tmp_path, reports=["budgets/10"])
    assert "pictures" not in (tmp_path / "budgets.md").read_text("utf-8")


def planted_at(passes: float, *, bert: float, roberta: float) -> Results:
    losses = {
        name: {PAIRS: loss, DOCUMENTS: loss}
        for name, loss in (("bert", bert), ("roberta", roberta))
    }
    budget = {"unit": "tokens", "amount": 7_145 * passes, "description": f"{passes} passes"}
    return replace(plant_results(losses=losses), budget=budget)
