"""A ladder: the way from one recipe to another, one switch at a time, and each switch alone.

In: the names of recipes, and an order. Out: variants, and what separates them. The last rung is
the second recipe itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from lit_roberta.comparison.design.recipes import RecipeReader
from lit_roberta.comparison.design.switches import (
    Switch,
    differing,
    find_switches,
    is_of_the_text,
    is_recipe_key,
)
from lit_roberta.comparison.design.variants import Variant, named
from lit_roberta.comparison.design.walking import Step, Trial, each_alone, walk, walk_in_order
from lit_roberta.comparison.judging.designs import Design, Rung
from lit_roberta.comparison.judging.wording import joined
from lit_roberta.errors import must


def build_ladder(
    asked: Sequence[str], *, order: Sequence[str] = (), alone: bool = True, reader: RecipeReader
) -> tuple[list[Variant], Design]:
    """Build the arms that lead from recipe to recipe, one switch at a time.

    Args:
        asked: Two recipes or more, as paths or shipped names; each is walked to from the one
            before.
        order: Switches in the order to walk in, by name or short name; those that are switched at
            once are joined by a plus. Those that are left out come behind.
        alone: Whether each switch is tried alone on the recipe that it leads away from, too.
        reader: Of recipes, with the settings that all of them get.

    Returns:
        The arms, and the rungs between them.

    Raises:
        UserError: If there is no such ladder, or if it can't be run in the order asked for.
    """
    if len(asked) < 2:
        remedy = "Give the recipe to start from and the one to end with."
        raise must("--ladder", "name two recipes", joined(list(asked)), remedy)
    recipes = [
        Variant(source=variant.source, name=name) for name, variant in _named(asked).items()
    ]
    legs = [_Leg(before, after, reader) for before, after in pairwise(recipes)]
    wanted = _wanted(order, legs)
    rungs: list[Rung] = []
    for leg in legs:
        rungs += leg.walk(wanted, number=len(rungs) + 1)
    if alone:
        rungs += [rung for leg in legs for rung in leg.alone(plain=leg is legs[0])]
    variants = [recipes[0], *(variant for leg in legs for variant in leg.walked)]
    variants += [variant for leg in legs for variant in leg.besides]
    return variants, Design(kind="ladder", rungs=rungs)


def _named(asked: Sequence[str]) -> dict[str, Variant]:
    return named([Variant(source=source) for source in asked], asked_by="--ladder")


class _Leg:
    """The way from one recipe to the next."""

    def __init__(self, before: Variant, after: Variant, reader: RecipeReader) -> None:
        self.trial = Trial(before, _switches(before, after, reader), reader)
        self.walked: list[Variant] = []
        """Behind the first recipe, the second included."""
        self.besides: list[Variant] = []
        """Those that no rung of the walk is, too."""
        self._before, self._after = before, after
        self._arms = {frozenset[str](): str(before.name)}

    def walk(self, wanted: Sequence[Sequence[str]], *, number: int) -> list[Rung]:
        """Build the rungs that lead to the second recipe.

        Args:
            wanted: Short names of switches in the order asked for; those of other legs are left
                out.
            number: Of the first rung.
        """
        by_slug = {switch.slug: switch for switch in self.trial.switches}
        order = [tuple(by_slug[slug] for slug in step if slug in by_slug) for step in wanted]
        steps = [step for step in order if step]
        rungs: list[Rung] = []
        behind: list[Switch] = []
        for step in walk_in_order(self.trial, steps) if steps else walk(self.trial):
            arm = self._arms[_slugs(behind)]
            behind += step
            name = f"{number + len(rungs)}-{'-'.join(switch.slug for switch in step)}"
            last = len(behind) == len(self.trial.switches)
            variant = self._after if last else self.trial.variant(behind, name)
            self.walked.append(variant)
            self._arms[_slugs(behind)] = str(variant.name)
            rungs.append(_rung(step, arm=str(variant.name), before=arm))
        return rungs

    def alone(self, *, plain: bool) -> list[Rung]:
        """Build the rungs of each switch alone, on the first recipe.

        Args:
            plain: Whether it goes without saying which recipe that is.
        """
        before = str(self._before.name)
        rungs: list[Rung] = []
        for step, note in each_alone(self.trial):
            slugs = _slugs(step)
            if slugs not in self._arms:
                name = f"alone-{'-'.join(switch.slug for switch in step)}"
                self._arms[slugs] = name if plain else f"{name}-on-{before}"
                self.besides.append(self.trial.variant(step, self._arms[slugs]))
            rungs.append(_rung(step, arm=self._arms[slugs], before=before, alone=True, note=note))
        return rungs


def _rung(step: Step, *, arm: str, before: str, alone: bool = False, note: str = "") -> Rung:
    return Rung(
        arm=arm,
        before=before,
        switch=joined([switch.name for switch in step]),
        changes={key: [*pair] for switch in step for key, pair in switch.changes.items()},
        judge="probes" if any(switch.judge == "probes" for switch in step) else "loss",
        alone=alone,
        note=note,
    )


def _slugs(switches: Sequence[Switch]) -> frozenset[str]:
    return frozenset(switch.slug for switch in switches)


def _switches(before: Variant, after: Variant, reader: RecipeReader) -> list[Switch]:
    """Find what separates two recipes.

    Raises:
        UserError: If that is nothing, or something that is no recipe's.
    """
    first, second = reader.settings(before), reader.settings(after)
    names = f"{before.name} and {after.name}"
    others = [key for key in differing(first, second) if not is_recipe_key(key)]
    if others and all(is_of_the_text(key) for key in others):
        # Files may lie elsewhere and be the same text.
        texts = {
            reader.read(each, str(each.name)).data.prepared.digest for each in (before, after)
        }
        others = others if len(texts) > 1 else []
    if others:
        rule = "lead from recipe to recipe: what is none must be the same"
        remedy = f"{names} differ in it: give --{others[0]} for all of them."
        raise must("--ladder", rule, joined(others), remedy)
    switches = find_switches(first, second)
    if not switches:
        rule, remedy = "lead from one recipe to another", "They are the same: nothing to switch."
        raise must("--ladder", rule, names, remedy)
    return switches


def _wanted(order: Sequence[str], legs: Sequence[_Leg]) -> list[list[str]]:
    """Read the order that was asked for, as short names.

    Raises:
        UserError: If it names a switch that there is not, or one twice.
    """
    known = {
        spelled: switch.slug
        for leg in legs
        for switch in leg.trial.switches
        for spelled in (switch.slug, switch.name.replace(" ", "-"), *switch.changes)
    }
    wanted = []
    for step in order:
        words = [word.strip().replace(" ", "-") for word in step.split("+")]
        for word in words:
            if word not in known:
                there = joined(list(dict.fromkeys(known.values())))
                raise must("--order", "name switches", word, f"There are: {there}.")
        wanted.append([known[word] for word in words])
    names = [slug for step in wanted for slug in step]
    for name in names:
        if names.count(name) > 1:
            raise must("--order", "name each switch once", name, "Leave one out.")
    return wanted
