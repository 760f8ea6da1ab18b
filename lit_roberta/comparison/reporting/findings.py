"""Sentences about the results besides the verdict, each computed from the numbers.

What a reader should not conclude is said with this comparison's own figures.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lit_roberta.comparison.judging.wording import joined, nats
from lit_roberta.comparison.reporting.memorisation_chart import memorisation
from lit_roberta.comparison.results import Recipe, Results
from lit_roberta.comparison.runs.run import Run

_NOTHING_MEMORISED = 0.1
"""Nats between own and fresh masks up to which the masks were hardly memorised."""

_MOST_NAMED = 8
"""Recipes that a sentence of no more than this can name."""

_ROUNDED = 0.02
"""Share of the budget up to which a run may miss it without a word."""

_FED: dict[str, Callable[[Run], float]] = {
    "tokens": lambda run: run.tokens,
    "sequences": lambda run: run.sequences,
    "updates": lambda run: run.updates,
    "epochs": lambda run: run.epochs,
    "flops": lambda run: run.flops,
}
"""What a run was given, by the budget's unit; seconds are a timing's and no rounding."""


def memorisation_sentences(results: Results) -> list[str]:
    """Say for each recipe how much of its training loss is memorised masks."""
    return [_memorisation(results, recipe) for recipe in results.finished()]


def _memorisation(results: Results, recipe: Recipe) -> str:
    own, fresh, _ = _means(results, recipe)
    seen = f"{recipe.name} saw each mask {_times_seen(results, recipe)}"
    losses = f"its loss on training text is {nats(own)} under its own masks and {nats(fresh)} "
    if _visits_per_mask(results, recipe) <= 1:
        return (
            f"{seen}: {losses}under fresh ones. The difference is chance of which tokens were "
            "masked."
        )
    return f"{seen} and memorised {_share(fresh - own)} of them: {losses}under fresh ones."


def _share(gap: float) -> str:
    """Say how much of the masks was memorised; a gap below zero is chance."""
    if gap > _NOTHING_MEMORISED:
        return f"{nats(gap)} nats"
    return "hardly anything" if gap > 0 else "nothing"


def _times_seen(results: Results, recipe: Recipe) -> str:
    """Say how often a run of the recipe saw a mask."""
    times = _visits_per_mask(results, recipe)
    if times <= 1:
        return "once" if times == 1 else "at most once"
    return f"about {times:.0f} times" if times >= 1.5 else "hardly more than once"


def _visits_per_mask(results: Results, recipe: Recipe) -> float:
    """Give how often each mask was seen, from the epochs of the runs and their masking copies."""
    epochs = float(np.mean([run.epochs for run in results.runs_of(recipe.name)]))
    return epochs / recipe.copies if recipe.copies else min(1.0, epochs)


def training_loss_sentences(results: Results) -> list[str]:
    """Give the signed differences of training and test loss, and say what the first is worth."""
    recipes = results.finished()
    if len(recipes) < 2:
        return []
    first, last = recipes[0], recipes[-1]
    training = [_last_training_loss(results, recipe) for recipe in (first, last)]
    test = [_means(results, recipe)[2] for recipe in (first, last)]
    name = f"({first.name} \N{MINUS SIGN} {last.name}) / {first.name}"
    sentence = (
        f"{name} is {signed_share(*training)} for the training loss of the last epoch and "
        f"{signed_share(*test)} for the test loss, each in its own format."
    )
    return [sentence, _evidence(results)]


def _evidence(results: Results) -> str:
    """Say why training loss is no evidence, by the recipe that shows it most clearly."""
    gaps = {}
    for recipe in results.finished():
        own, fresh, _ = _means(results, recipe)
        if _visits_per_mask(results, recipe) > 1:
            gaps[recipe.name] = (fresh - own, own, fresh)
    name = max(gaps, key=gaps.__getitem__, default="")
    if not name or gaps[name][0] <= _NOTHING_MEMORISED:
        return (
            "No recipe learned its masks by heart here, so training losses do not mislead in that "
            "way; they still are of different formats, and of text that was seen."
        )
    gap, own, fresh = gaps[name]
    return (
        f"Training loss under a mask that comes again is no evidence: of {name}'s, {nats(gap)} "
        f"nats are masks learned by heart ({nats(own)} on its own masks, {nats(fresh)} on the "
        "same text under fresh ones)."
    )


def fairness_sentences(results: Results) -> list[str]:
    """Say what about the comparison is unequal, or was not done."""
    sentences = []
    if len({arm.tokenizer for arm in results.finished()}) > 1:
        sentences.append(
            "The recipes read different tokens, so their losses per token do not compare with "
            "each other: read those down a recipe, not across. The lines of word frequencies and "
            f"of ln V are those of {results.recipes[0].name}'s tokens."
        )
    if results.budget["unit"] == "epochs":
        updates = joined([f"{arm.name} {arm.updates:,}" for arm in results.recipes])
        sentences.append(
            f"Equal epochs are unequal work: {updates} updates. A larger batch makes fewer."
        )
    if results.budget["unit"] == "seconds":
        sentences.append(
            "The seconds of the budget were turned into updates by timing a few of them on this "
            "machine; another machine would make others."
        )
    sentences += _rounding(results)
    if untuned := [arm.name for arm in results.recipes if not arm.tuned]:
        rates, came = ("rates", "come") if len(untuned) > 1 else ("rate", "comes")
        whose = joined(untuned) if len(untuned) <= _MOST_NAMED else f"{len(untuned)} recipes"
        sentences.append(
            f"The learning {rates} of {whose} {came} from the recipe files. On another "
            "text than theirs another rate can change the order: --tune-lr 3 chooses on this one."
        )
    if edge := [arm.name for arm in results.recipes if arm.at_grid_edge]:
        sentences.append(
            f"The best learning rate of {joined(edge)} lies at the edge of the grid: a better one "
            "may lie beyond."
        )
    return sentences


def _rounding(results: Results) -> list[str]:
    """Say where whole updates gave a recipe clearly more or less than the budget."""
    unit, asked = results.budget["unit"], results.budget["amount"]
    if unit not in _FED:
        return []
    shares = {}
    for arm in results.finished():
        fed = np.mean([_FED[unit](run) for run in results.runs_of(arm.name)])
        shares[arm.name] = float(fed) / asked - 1
    parts = [
        f"{name} got {abs(share):.0%} {'more' if share > 0 else 'fewer'} {unit} than asked"
        for name, share in shares.items()
        if abs(share) > _ROUNDED
    ]
    return [f"A run is a whole number of updates: {joined(parts)}."] if parts else []


def signed_share(first: float, second: float) -> str:
    """Write (first - second) / first as a signed percentage.

    Example:
        >>> signed_share(5.40, 6.43), signed_share(4.0, 3.0)
        ('-19.1%', '+25.0%')
    """
    return f"{(first - second) / first:+.1%}"


def _last_training_loss(results: Results, recipe: Recipe) -> float:
    runs = results.runs_of(recipe.name)
    return float(np.mean([run.curves.training[-1][1] for run in runs]))


def _means(results: Results, recipe: Recipe) -> tuple[float, float, float]:
    own, fresh, held_out = memorisation(results, recipe).values()
    return float(np.mean(own)), float(np.mean(fresh)), float(np.mean(held_out))
