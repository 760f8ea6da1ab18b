"""From recipes and a budget to the runs that have to be made.

In: recipes, seeds, a budget. Out: one task a run, and what is known of each arm beforehand. A run
that another recipe makes as well is planned once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lit_roberta.comparison.design.budget import Budget, never_repeats_a_mask
from lit_roberta.comparison.design.fingerprints import fingerprint, stream_identity
from lit_roberta.comparison.design.recipes import PlannedRecipe, token_identity
from lit_roberta.comparison.design.tuning import at_edge
from lit_roberta.comparison.results import Recipe
from lit_roberta.comparison.runs.tasks import Task
from lit_roberta.data.examples.packing import Format

_UNJUDGED = (
    "data.masking.rate",
    "data.masking.mask_share",
    "data.masking.random_share",
    "data.masking.whole_word",
    "model.frequency_weighted_loss",
)
"""Settings that change what the loss measures: a task has to judge them."""

_TIMED_UPDATES = 20
_FULL_BATCH = ("--data.batch_ramp.start=null", "--data.batch_ramp.updates=null")
"""Of updates that are timed: twenty of them would see nothing of a ramp but its start. Stages of
length have their shares of twenty, too."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The runs of a comparison."""

    arms: list[Recipe]
    tasks: list[Task]
    """By seed, then by recipe, so that an early look is a fair one."""
    notices: list[str]
    """What a person should know before the time is spent, a line each."""


def plan_runs(
    recipes: Sequence[PlannedRecipe],
    updates: Mapping[str, int],
    *,
    seeds: Sequence[int],
    folder: Path,
    tuned: Mapping[str, float],
    shown: Collection[str] = (),
) -> Plan:
    """Plan the runs of all recipes.

    Args:
        recipes: The recipes, at their final learning rates.
        updates: Length of each recipe's runs.
        seeds: Seeds of the runs, the same for all.
        folder: Where the runs lie: `<folder>/<recipe>/seed-<n>`.
        tuned: The learning rates that were chosen on this text, by recipe.
        shown: Settings that an arm names even where all arms agree, such as a grid's.
    """
    formats = list(dict.fromkeys(recipe.data.format for recipe in recipes))
    firsts: dict[str, str] = {}
    arms = []
    for recipe in recipes:
        identity = fingerprint(recipe, updates=updates[recipe.name], seed=0)
        first = firsts.setdefault(identity, recipe.name)
        arms.append(
            _arm(
                recipe,
                recipes,
                updates[recipe.name],
                shown=shown,
                tuned=recipe.name in tuned,
                same_as=None if first == recipe.name else first,
            )
        )
    made = [recipe for recipe, arm in zip(recipes, arms, strict=True) if arm.same_as is None]
    tasks = [
        _task(recipe, seed, updates[recipe.name], formats, folder)
        for seed in seeds
        for recipe in made
    ]
    notices = [
        notice
        for recipe, arm in zip(recipes, arms, strict=True)
        for notice in _notices(recipe, arm)
    ]
    return Plan(arms=arms, tasks=tasks, notices=notices)


def _notices(recipe: PlannedRecipe, arm: Recipe) -> list[str]:
    """Say where the masking copies of a recipe make no difference, and what follows from it."""
    if arm.same_as is not None:
        return [
            f"{arm.name} is the same run as {arm.same_as} at this budget, because no mask is seen "
            "twice or nothing differs. It is made once."
        ]
    if arm.copies is not None and never_repeats_a_mask(recipe.data, arm.updates):
        return [
            f"{arm.name} sees no mask twice at this budget, so its {arm.copies} masking "
            f"{'copy is' if arm.copies == 1 else 'copies are'} as good as dynamic masking."
        ]
    return []


def timing_tasks(recipes: Sequence[PlannedRecipe], folder: Path) -> list[Task]:
    """Plan a few updates of each recipe, to see how long one takes here."""
    return [
        Task(
            recipe=recipe.name,
            seed=0,
            updates=_TIMED_UPDATES,
            arguments=(*recipe.arguments, "--trainer.limit_val_batches=0", *_FULL_BATCH),
            folder=folder / recipe.name,
            fingerprint=fingerprint(recipe, updates=_TIMED_UPDATES, seed=0, aim="timing"),
            formats=[],
            aim="timing",
        )
        for recipe in recipes
    ]


def lengths(
    recipes: Sequence[PlannedRecipe], budget: Budget, paces: Mapping[str, float]
) -> dict[str, int]:
    """Turn the budget into updates of each recipe.

    Args:
        recipes: The recipes.
        budget: The same for all.
        paces: Seconds an update takes, by recipe; only read where seconds are the unit.
    """
    return {
        recipe.name: budget.updates(
            recipe.data, encoder=recipe.encoder, seconds_per_update=paces.get(recipe.name)
        )
        for recipe in recipes
    }


def _task(
    recipe: PlannedRecipe, seed: int, updates: int, formats: Sequence[Format], folder: Path
) -> Task:
    return Task(
        recipe=recipe.name,
        seed=seed,
        updates=updates,
        arguments=recipe.arguments,
        folder=folder / recipe.name / f"seed-{seed}",
        fingerprint=fingerprint(recipe, updates=updates, seed=seed),
        formats=formats,
    )


def _arm(
    recipe: PlannedRecipe,
    recipes: Sequence[PlannedRecipe],
    updates: int,
    *,
    shown: Collection[str],
    tuned: bool,
    same_as: str | None,
) -> Recipe:
    copies = recipe.data.masking.copies
    rate = float(recipe.settings["model.optimizer.lr"])
    return Recipe(
        name=recipe.name,
        source=recipe.source,
        format=recipe.data.format,
        settings=_differing(recipe, recipes, shown),
        unjudged={key: recipe.settings[key] for key in _UNJUDGED},
        stream=stream_identity(recipe, updates=updates),
        updates=updates,
        sequences_per_update=recipe.data.sequences_per_update,
        num_examples=recipe.data.num_examples,
        copies=copies if isinstance(copies, int) else None,
        learning_rate=rate,
        tuned=tuned,
        at_grid_edge=tuned and at_edge(rate),
        same_as=same_as,
        tokenizer=token_identity(recipe.data),
        vocab_size=recipe.data.vocab_size,
    )


def _differing(
    recipe: PlannedRecipe, recipes: Sequence[PlannedRecipe], shown: Collection[str]
) -> dict[str, Any]:
    """Give the settings in which not all recipes agree, and those that are shown anyway."""
    keys = [
        key
        for key in recipe.settings
        if key in shown or len({str(other.settings.get(key)) for other in recipes}) > 1
    ]
    return {key: recipe.settings[key] for key in keys}
