"""The tables of losses, as text in rows: one source for the page, the text and the files."""

from __future__ import annotations

import numpy as np

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.findings import signed_share
from lit_roberta.comparison.reporting.memorisation_chart import memorisation
from lit_roberta.comparison.reporting.summaries import mean, mean_and_reach
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Recipe, Results

_OWN, _FRESH = "train_mlm_loss", "train_mlm_loss_fresh_masks"
_HELD_OUT = "heldout.{format}.mlm_loss"
_KINDS = ("mask", "random", "kept")


def matrix_table(results: Results) -> Table:
    """Held-out loss of each recipe in each format, at the last update and at the best one."""
    recipes, formats = results.finished(), results.formats
    floors = (
        ("word frequencies alone", results.text.unigram_loss),
        ("no knowledge: ln V", results.log_vocab),
    )
    return Table(
        name="held-out",
        caption="Held-out loss in nats per masked token, mean over runs and 95% interval. "
        + (
            "Each recipe's own tokens: read along a row, not down a column. Words decide."
            if results.words
            else "Only the columns at the last update decide."
        ),
        header=[
            "trained as",
            "in the format",
            *(f"scored on {format}" for format in formats),
            *(f"best on validation: {format}" for format in formats),
            "best update",
        ],
        rows=[_matrix_row(results, recipe) for recipe in recipes]
        + [[name, "", *[nats(loss)] * (2 * len(formats)), ""] for name, loss in floors],
        arms=[*(recipe.name for recipe in recipes), None, None],
        fields=[
            *("", ""),
            *(f"heldout.{format}.mlm_loss" for format in formats),
            *(f"heldout_best.{format}.mlm_loss" for format in formats),
            "best_update",
        ],
        besides="Word frequencies and ln V: unigram_loss and log_vocab in results.json.",
    )


def _matrix_row(results: Results, recipe: Recipe) -> list[str]:
    runs = results.runs_of(recipe.name)
    losses = [
        mean_and_reach([getattr(run, scores)[format].mlm_loss for run in runs])
        for scores in ("heldout", "heldout_best")
        for format in results.formats
    ]
    best = f"{mean(runs, lambda run: run.best_update):,.0f} of {recipe.updates:,}"
    return [recipe.name, recipe.format, *losses, best]


def scores_table(results: Results) -> Table:
    """Perplexity, accuracy and the loss by what stood at the position."""
    rows, arms = [], []
    for recipe in results.finished():
        for format in results.formats:
            scores = [run.heldout[format] for run in results.runs_of(recipe.name)]
            by_kind = [
                nats(float(np.mean([score.loss_by_kind[kind] for score in scores])))
                if all(kind in score.loss_by_kind for score in scores)
                else "none"
                for kind in _KINDS
            ]
            perplexity = np.mean([score.perplexity for score in scores])
            accuracy = np.mean([score.mlm_accuracy for score in scores])
            rows.append([recipe.name, format, f"{perplexity:.1f}", f"{accuracy:.1%}", *by_kind])
            arms.append(recipe.name)
    return Table(
        name="scores",
        caption="Held-out text at the last update: perplexity, share of first guesses that are "
        "right, and the loss by what stood at the position.",
        header=[
            "trained as",
            "scored on",
            "perplexity",
            "accuracy",
            "loss at [MASK]",
            "at a random token",
            "at the token itself",
        ],
        rows=rows,
        arms=[*arms],
        fields=[
            *("", ""),
            "heldout.{scored on}.perplexity",
            "heldout.{scored on}.mlm_accuracy",
            *(f"heldout.{{scored on}}.loss_by_kind.{kind}" for kind in _KINDS),
        ],
    )


def memorisation_table(results: Results) -> Table:
    """The three losses whose gaps tell what was memorised."""
    recipes = results.finished()
    rows = []
    for recipe in recipes:
        own, fresh, held_out = (np.array(v) for v in memorisation(results, recipe).values())
        rows.append(
            [
                recipe.name,
                recipe.format,
                *(mean_and_reach(values) for values in (own, fresh, held_out)),
                nats(float((fresh - own).mean()), sign=True),
                nats(float((held_out - fresh).mean()), sign=True),
            ]
        )
    return Table(
        name="memorisation",
        caption="Loss in evaluation mode, each recipe in its own format, nats per masked token. "
        "Above zero, fresh minus own is memorised masks if a mask came more than once, and "
        "held-out minus fresh is memorised text.",
        header=[
            "recipe",
            "format",
            "own masks",
            "fresh masks",
            "held-out",
            "fresh minus own",
            "held-out minus fresh",
        ],
        rows=rows,
        arms=[recipe.name for recipe in recipes],
        fields=[
            *("", ""),
            *(_OWN, _FRESH, _HELD_OUT),
            f"{_FRESH} - {_OWN}",
            f"{_HELD_OUT} - {_FRESH}",
        ],
    )


def final_losses_table(results: Results) -> Table:
    """What the notebook compares, beside what decides."""
    recipes = results.finished()
    training = [
        mean(results.runs_of(recipe.name), lambda run: run.curves.training[-1][1])
        for recipe in recipes
    ]
    test = [float(np.mean(memorisation(results, recipe)["held-out"])) for recipe in recipes]
    first = recipes[0].name
    return Table(
        name="final-losses",
        caption=f"Final losses; the percentages are ({first} \N{MINUS SIGN} this) / {first}, so "
        "above zero this recipe's is lower.",
        header=[
            "recipe",
            "format",
            "training loss, last epoch",
            f"against {first}",
            "test loss, own format",
            f"against {first}",
        ],
        rows=[
            [
                recipe.name,
                recipe.format,
                nats(training[place]),
                signed_share(training[0], training[place]) if place else "",
                nats(test[place]),
                signed_share(test[0], test[place]) if place else "",
            ]
            for place, recipe in enumerate(recipes)
        ],
        arms=[recipe.name for recipe in recipes],
        fields=["", "", "curves.training[-1][1]", "", _HELD_OUT, ""],
        besides="Percentages: of the column before them.",
    )
