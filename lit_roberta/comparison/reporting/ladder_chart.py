"""A ladder as pictures: what each switch brings on the way, and what each brings alone.

In: gains. Out: charts. A gain is loss without the switch minus loss with it: above zero it helps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

from lit_roberta.comparison.judging.claims import Difference
from lit_roberta.comparison.judging.gains import RungGain
from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.drawing import (
    ARM_COLOURS,
    INK,
    MUTED,
    Chart,
    finish,
    new_figure,
    write_beside,
)
from lit_roberta.comparison.reporting.naming import in_lines, name_size, row_height
from lit_roberta.comparison.results import Results

_COLOURS = {"helps": ARM_COLOURS[2], "hurts": ARM_COLOURS[1]}
"""By what is said of a switch; all others are grey."""

_LINE = 20
"""Characters in a line of a switch's name: longer lines would have to be small on a phone."""

_ORIGIN = "heldout.FORMAT.mlm_loss of each run's result.json, and design.rungs in results.json"


@dataclass(frozen=True, kw_only=True)
class _Step:
    """One row of a waterfall."""

    name: str
    start: float
    """Where the bar begins, in nats gained since the first recipe."""
    gain: Difference
    effect: str
    """What is said of it; nothing in a format that is not that of either arm."""


def draw_ladder(results: Results) -> list[Chart]:
    """Draw the walk, and the switches alone; nothing where the comparison is no ladder."""
    gains = results.gains()
    walk = [gain for gain in gains if not gain.rung.alone]
    alone = [gain for gain in gains if gain.rung.alone]
    charts = [
        _chart(results, walk, name="ladder", title="What each switch brings on the way", adds=True)
        if walk
        else None,
        _chart(
            results, alone, name="ladder-alone", title="What each switch brings alone", adds=False
        )
        if alone
        else None,
    ]
    return [chart for chart in charts if chart is not None]


def _chart(
    results: Results, gains: Sequence[RungGain], *, name: str, title: str, adds: bool
) -> Chart | None:
    """Draw the gains in each compared format, one panel below the other."""
    panels = {
        format: steps for format in results.formats if (steps := _steps(gains, format, adds=adds))
    }
    if not panels:
        return None
    rows = max(map(len, panels.values()))
    names = [in_lines(step.name, line=_LINE) for steps in panels.values() for step in steps]
    height = row_height(names, least=0.36)
    figure = new_figure(rows=len(panels), height=0.7 + len(panels) * (0.5 + height * rows))
    for axes, (format, steps) in zip(figure.axes, panels.items(), strict=True):
        for place, step in enumerate(steps):
            _bar(axes, place, step)
        names = [in_lines(step.name, line=_LINE) for step in steps]
        axes.set_yticks(range(len(names)), names, fontsize=name_size(names))
        axes.set_ylim(len(steps) - 0.4, -0.6)
        axes.set_title(f"scored on {format}")
        axes.axvline(0, color=MUTED, linewidth=1.2, zorder=1)
        axes.grid(visible=False, axis="y")
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.16)
    figure.axes[-1].set_xlabel("nats gained (right is better)")
    words = [
        f"{step.name} {nats(step.gain.estimate, sign=True)} on {format}"
        for format, steps in panels.items()
        for step in steps
    ]
    return finish(
        figure,
        name=name,
        title=title,
        description=f"Held-out nats gained by each switch, with 95% intervals over runs. "
        f"{joined(words)}.",
        origin=_ORIGIN,
    )


def _steps(gains: Sequence[RungGain], format: str, *, adds: bool) -> list[_Step]:
    """Lay the gains of a format one behind the other, or each from zero."""
    steps, reached = [], 0.0
    for gain in gains:
        found = gain.in_format(format)
        if found is None:
            continue
        start, own = reached if adds else 0.0, found in gain.gains
        effect = gain.effect if own else ""
        steps.append(_Step(name=gain.rung.switch, start=start, gain=found, effect=effect))
        reached += found.estimate
    return steps


def _bar(axes: Axes, place: int, step: _Step) -> None:
    colour = _COLOURS.get(step.effect, MUTED)
    told = step.effect in _COLOURS or step.effect == "no-difference"
    end = step.start + step.gain.estimate
    axes.barh(
        place,
        step.gain.estimate,
        left=step.start,
        height=0.6,
        color=colour if told else "none",
        edgecolor=colour,
        linewidth=1.2,
        alpha=0.75 if told else 1.0,
        zorder=2,
    )
    interval = step.gain.over_runs
    reach = 0.0 if interval is None else interval.half_width
    if reach:
        axes.errorbar(end, place, xerr=reach, color=INK, capsize=3, linewidth=1.2, zorder=3)
    write_beside(axes, (max(step.start, end + reach), place), nats(step.gain.estimate, sign=True))
