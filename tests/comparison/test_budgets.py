from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from lit_roberta.comparison import budgets
from lit_roberta.comparison.budgets import at_budget, run_budgets
from lit_roberta.comparison.cli import main, parse
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
        return plant_results(
            losses={
                name: {PAIRS: loss, DOCUMENTS: loss}
                for name, loss in (("bert", bert), ("roberta", roberta))
            }
        )

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
    table = (tmp_path / "budgets.md").read_text("utf-8").splitlines()
    assert table[0] == "| budget | bert | roberta | verdict |"
    rows = zip(table[2:4], found, strict=True)
    assert all(line.endswith(f"{each.verdict().headline} |") for line, each in rows)
