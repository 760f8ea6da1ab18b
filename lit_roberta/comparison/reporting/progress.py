"""How far a run had come at each point of its validation curve, in every unit of a budget.

In: runs. Out: numbers. A run that kept what it had been fed gives exact ones; for one that did
not, they are in proportion to the updates.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Something that training can be counted in."""

    name: str
    label: str
    """Of the axis."""
    total: Callable[[Run], float]
    """What a whole run took."""


UNITS = (
    Unit(name="tokens", label="tokens fed", total=lambda run: run.tokens),
    Unit(name="updates", label="updates", total=lambda run: run.updates),
    Unit(name="sequences", label="sequences fed", total=lambda run: run.sequences),
    Unit(name="passes", label="passes over the text", total=lambda run: run.text_passes),
    Unit(name="flops", label="floating-point operations", total=lambda run: run.flops),
    Unit(name="seconds", label="seconds of training", total=lambda run: run.seconds),
)
"""The first is the one that is shown before anybody chooses."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The validation loss of a recipe's runs on their way."""

    places: Float64[np.ndarray, " points"]
    """How much had been used, mean over runs."""
    losses: Float64[np.ndarray, "runs points"]


def progress(runs: Sequence[Run], unit: Unit) -> Progress:
    """Give the points that all runs of a recipe have."""
    points = min(len(run.curves.validation) for run in runs)
    return Progress(
        places=np.array([_used(run, unit)[:points] for run in runs]).mean(axis=0),
        losses=np.array(
            [[loss for _, loss in run.curves.validation[:points]] for run in runs],
            dtype=np.float64,
        ),
    )


def is_exact(results: Results) -> bool:
    """Tell whether every run kept what it had been fed on its way."""
    return all(_kept(run) for run in results.runs)


def _used(run: Run, unit: Unit) -> list[float]:
    """Give what had been used at each point."""
    if _kept(run):
        return list(run.curves.fed[unit.name])
    return [update / run.updates * unit.total(run) for update, _ in run.curves.validation]


def _kept(run: Run) -> bool:
    counts = [len(run.curves.fed.get(unit.name, ())) for unit in UNITS]
    return counts == [len(run.curves.validation)] * len(UNITS)
