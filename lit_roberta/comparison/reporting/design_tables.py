"""Tables of how arms relate to one another: the rungs of a ladder, the cells of a grid."""

from __future__ import annotations

from itertools import product
from typing import Any

from lit_roberta.comparison.design.grid import point_name
from lit_roberta.comparison.judging.gains import Effect, RungGain
from lit_roberta.comparison.judging.grid_verdict import HalvingRow
from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.summaries import mean_and_reach
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Recipe, Results

_SAID: dict[Effect, str] = {
    "helps": "helps",
    "hurts": "hurts",
    "no-difference": "no difference that matters",
    "cannot-tell": "cannot tell",
    "not-for-loss": "loss does not judge this",
    "not-learned-context": "no context learned",
    "same-run": "the same run",
    "too-few": "too few runs",
    "failed": "failed",
}


def ladder_table(results: Results) -> Table | None:
    """One row a rung: what was switched, what it brings, what is said. None: no ladder."""
    gains = results.gains()
    if not gains:
        return None
    return Table(
        name="ladder",
        caption="The switches. A gain is held-out loss without the switch minus loss with it, in "
        "nats per masked token, with 95% intervals over runs; above zero it helps. What is said "
        "needs the intervals over runs and over documents, corrected for all pairs.",
        header=["arm", "switch", "against", "settings", "gain", "which"],
        rows=[_rung(gain) for gain in gains],
        arms=[gain.rung.arm if results.runs_of(gain.rung.arm) else None for gain in gains],
        besides="Gains: means over runs of heldout.FORMAT.mlm_loss of the arm in 'against', minus "
        "those of the arm of the row, from runs/RECIPE/seed-N/result.json. Switches: design.rungs "
        "in results.json.",
    )


def _rung(gain: RungGain) -> list[str]:
    rung = gain.rung
    changes = [
        f"{key}: {written(old)} to {written(new)}" for key, (old, new) in rung.changes.items()
    ]
    parts = [
        f"{nats(each.estimate, sign=True)}"
        + ("" if each.over_runs is None else f" +/- {nats(each.over_runs.half_width)}")
        + f" on {each.format}"
        for each in gain.gains
    ]
    alone = " (alone)" if rung.alone else ""
    return [
        rung.arm,
        f"{rung.switch}{alone}",
        rung.before,
        "; ".join(changes),
        "; ".join(parts) or "none",
        _SAID[gain.effect],
    ]


def grid_axes(results: Results) -> dict[str, list[str]]:
    """Give the values of a grid as text, the recipes that it stands on first if they are several.

    Returns:
        Nothing where the comparison is no grid.
    """
    if results.design.kind != "grid":
        return {}
    axes = {key: [written(each) for each in some] for key, some in results.design.axes.items()}
    bases = list(dict.fromkeys(base for base, _ in grid_cells(results)))
    return {"recipe": bases, **axes} if len(bases) > 1 else axes


def grid_cells(results: Results) -> dict[tuple[str, tuple[str, ...]], Recipe]:
    """Give the arm of each point of a grid, by the recipe below it ("" for one) and its values."""
    axes, cells = results.design.axes, {}
    for values in product(*axes.values()):
        name = point_name(dict(zip(axes, values, strict=True)))
        for arm in results.recipes:
            if arm.name == name or arm.name.endswith(f"-{name}"):
                base = arm.name.removesuffix(name).removesuffix("-")
                cells[base, tuple(map(written, values))] = arm
    return cells


def grid_arm(results: Results, values: tuple[str, ...]) -> Recipe | None:
    """Give the arm at some values of the axes of `grid_axes`; None where it was dropped."""
    several = len(values) > len(results.design.axes)
    base, point = (values[0], values[1:]) if several else ("", values)
    cells = grid_cells(results)
    if not several and cells:
        base = next(iter(cells))[0]
    return cells.get((base, point))


def grid_table(results: Results) -> Table | None:
    """Validation loss by the values of a grid: the last setting across, the others down."""
    axes = grid_axes(results)
    if not axes:
        return None
    names = list(axes)
    down = list(product(*(axes[name] for name in names[:-1])))
    return Table(
        name="grid",
        caption="Validation loss at the last update, in nats per masked token, mean over runs "
        f"and 95% interval. Across: {names[-1]}. A grid is searched on validation text; the test "
        "text has no part in it.",
        header=[*names[:-1], *(f"{names[-1]} {value}" for value in axes[names[-1]])],
        rows=[
            [
                *values,
                *(_cell(results, grid_arm(results, (*values, last))) for last in axes[names[-1]]),
            ]
            for values in down
        ],
        besides="Means over runs of validation_loss, from runs/RECIPE/seed-N/result.json.",
    )


def halving_table(results: Results) -> Table | None:
    """One row a point: its validation loss in each round that it came to. None: no rounds."""
    if not results.halving:
        return None
    rounds = {row.round: row.share for row in results.halving}
    cells = {(row.recipe, row.round): row for row in results.halving}
    return Table(
        name="halving",
        caption="Validation loss of each point in each round, in nats per masked token. Each "
        "round is a run with a whole schedule of its own. The last ones that go on are compared "
        "at the whole budget.",
        header=["point", *(f"{share:.3g} of the budget" for share in rounds.values())],
        rows=[
            [point, *(_in_round(cells.get((point, number))) for number in rounds)]
            for point in dict.fromkeys(row.recipe for row in results.halving)
        ],
        besides="Validation losses: halving in results.json.",
    )


def _in_round(row: HalvingRow | None) -> str:
    """Write what a point came to in a round; nothing where it was left out before."""
    if row is None:
        return ""
    loss = "failed" if row.validation_loss is None else nats(row.validation_loss)
    return f"{loss}, goes on" if row.kept else loss


def _cell(results: Results, arm: Recipe | None) -> str:
    """Write a cell; an arm without a finished run has none."""
    runs = [] if arm is None else results.runs_of(arm.name)
    return mean_and_reach([run.validation_loss for run in runs]) if runs else "none"


def written(value: Any) -> str:
    """Write a setting's value, the same for 1e-3 and 0.001.

    Example:
        >>> written(1e-3), written(None), written([True, 16])
        ('0.001', 'none', 'true and 16')
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return joined([written(each) for each in value])
    return str(value)
