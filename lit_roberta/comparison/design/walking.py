"""Which sets of switches can be run together, found by trying, and an order to switch them in.

In: a recipe and the switches that lead away from it. Out: steps, each of one switch or of several
that need one another. It knows no switch by name: whether a set can be run is for the reader of
recipes to say.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from lit_roberta.comparison.design.recipes import RecipeReader
from lit_roberta.comparison.design.switches import Switch
from lit_roberta.comparison.design.variants import Variant
from lit_roberta.comparison.judging.wording import joined
from lit_roberta.errors import UserError, must

Step = tuple[Switch, ...]
"""Switches that are switched at once, in the order of the ladder."""


class Trial:
    """Tries sets of switches on top of a recipe.

    Args:
        first: The recipe.
        switches: All that lead from it to another, in the order of a ladder.
        reader: Of recipes.
    """

    def __init__(self, first: Variant, switches: Sequence[Switch], reader: RecipeReader) -> None:
        self.switches = tuple(switches)
        self._first = first
        self._reader = reader

    def variant(self, switched: Sequence[Switch], name: str) -> Variant:
        """Give the recipe with some switches on top; equal sets give equal settings."""
        ordered = [switch for switch in self.switches if switch in switched]
        own = tuple(setting for switch in ordered for setting in switch.settings())
        return replace(self._first, name=name, settings=(*self._first.settings, *own))

    def objection(self, switched: Sequence[Switch]) -> str | None:
        """Say why a set of switches can't be run; None where it can."""
        try:
            self._reader.read(self.variant(switched, "a-rung"), "a-rung")
        except UserError as error:
            return str(error)
        return None

    def smallest(self, behind: Sequence[Switch], *, holding: Sequence[Switch] = ()) -> Step | None:
        """Find the smallest step that can be run.

        Args:
            behind: What is switched already.
            holding: What must be part of the step.

        Returns:
            The first in the order of the ladder among those of the fewest switches; None where
            no step can be run.
        """
        left = [each for each in self.switches if each not in behind and each not in holding]
        for others in _subsets(left):
            step = [each for each in self.switches if each in (*holding, *others)]
            if step and self.objection([*behind, *step]) is None:
                return tuple(step)
        return None


def walk(trial: Trial, switched: Sequence[Switch] = ()) -> list[Step]:
    """Switch everything, one switch at a time wherever that can be run.

    A switch that can't be run where it stands in the order of the ladder waits for those behind.

    Args:
        trial: The switches.
        switched: Those that are switched already.
    """
    behind = [*switched]
    steps: list[Step] = []
    while len(behind) < len(trial.switches):
        step = trial.smallest(behind)
        if step is None:  # the last step is the second recipe itself, which was read before
            step = tuple(each for each in trial.switches if each not in behind)
        steps.append(step)
        behind += step
    return steps


def walk_in_order(trial: Trial, order: Sequence[Step]) -> list[Step]:
    """Switch what is asked for in its order, and then the rest.

    Raises:
        UserError: If a step can't be run where it stands. It says why, and what the step needs.
    """
    behind: list[Switch] = []
    for step in order:
        if objection := trial.objection([*behind, *step]):
            needed = trial.smallest(behind, holding=step)
            remedy = f"{_names(step)} can't be switched there: {objection}{_needs(step, needed)}"
            raise must("--order", "be one that can be run", _slugs(step), remedy)
        behind += step
    return [*order, *walk(trial, behind)]


def each_alone(trial: Trial) -> list[tuple[Step, str]]:
    """Give each switch on top of the first recipe, with those that it needs.

    Returns:
        Each step once, with a sentence on why there is more than one switch in it, or nothing.
    """
    steps: list[Step] = []
    notes: list[str] = []
    for switch in trial.switches:
        step = trial.smallest((), holding=(switch,))
        if step is not None and step not in steps:
            steps.append(step)
            notes.append(_why(trial, switch, step))
    return list(zip(steps, notes, strict=True))


def _why(trial: Trial, switch: Switch, step: Step) -> str:
    """Say why a switch is not alone in its step; nothing where it is."""
    others = [each for each in step if each is not switch]
    if not others:
        return ""
    objection = str(trial.objection((switch,))).rstrip(".")
    return f"{switch.name} needs {_names(others)} switched with it (alone: {objection})."


def _needs(step: Step, needed: Step | None) -> str:
    if needed is None:
        return ""
    others = [each for each in needed if each not in step]
    return f" It needs {_names(others)} before it, or at once: {_slugs(needed)}."


def _names(switches: Sequence[Switch]) -> str:
    return joined([switch.name for switch in switches])


def _slugs(switches: Sequence[Switch]) -> str:
    return "+".join(switch.slug for switch in switches)


def _subsets(switches: Sequence[Switch]) -> Iterator[Step]:
    for size in range(len(switches) + 1):
        yield from combinations(switches, size)
