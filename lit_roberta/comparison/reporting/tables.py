"""The tables of a report, as text in rows: one source for the page and for the Markdown file."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lit_roberta.comparison.judging.wording import nats
from lit_roberta.comparison.reporting.charts import memorisation
from lit_roberta.comparison.reporting.findings import signed_share
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Recipe, Results
from lit_roberta.comparison.runs.run import HeldOut, Run
from lit_roberta.statistics import mean_interval


def matrix_table(results: Results) -> Table:
    """Held-out loss of each recipe in each format, at the last update and at the best one."""

    def losses(recipe: Recipe, format: str, scores: Callable[[Run], dict[str, HeldOut]]) -> str:
        values = [scores(run)[format].mlm_loss for run in results.runs_of(recipe.name)]
        return mean_and_reach(values)

    formats = results.formats
    return Table(
        caption="Held-out loss in nats per masked token, mean over runs and 95% interval. Only "
        "the columns at the last update decide.",
        header=[
            "trained as",
            "in the format",
            *(f"scored on {format}" for format in formats),
            *(f"best on validation: {format}" for format in formats),
            "best update",
        ],
        rows=[
            [
                recipe.name,
                recipe.format,
                *(losses(recipe, format, lambda run: run.heldout) for format in formats),
                *(losses(recipe, format, lambda run: run.heldout_best) for format in formats),
                f"{_mean(results, recipe, lambda run: run.best_update):,.0f} "
                f"of {recipe.updates:,}",
            ]
            for recipe in results.finished()
        ]
        + [
            [name, "", *[nats(loss)] * (2 * len(formats)), ""]
            for name, loss in (
                ("word frequencies alone", results.text.unigram_loss),
                ("no knowledge: ln V", results.log_vocab),
            )
        ],
    )


def scores_table(results: Results) -> Table:
    """Perplexity, accuracy and the loss by what stood at the position."""
    kinds = ("mask", "random", "kept")
    rows = []
    for recipe in results.finished():
        for format in results.formats:
            scores = [run.heldout[format] for run in results.runs_of(recipe.name)]
            by_kind = [
                nats(float(np.mean([score.loss_by_kind[kind] for score in scores])))
                if all(kind in score.loss_by_kind for score in scores)
                else "none"
                for kind in kinds
            ]
            perplexity = np.mean([score.perplexity for score in scores])
            accuracy = np.mean([score.mlm_accuracy for score in scores])
            rows.append([recipe.name, format, f"{perplexity:.1f}", f"{accuracy:.1%}", *by_kind])
    return Table(
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
    )


def memorisation_table(results: Results) -> Table:
    """The three losses whose gaps tell what was memorised."""
    rows = []
    for recipe in results.finished():
        own, fresh, held_out = (np.array(v) for v in memorisation(results, recipe).values())
        rows.append(
            [
                recipe.name,
                *(mean_and_reach(values) for values in (own, fresh, held_out)),
                nats(float((fresh - own).mean()), sign=True),
                nats(float((held_out - fresh).mean()), sign=True),
            ]
        )
    return Table(
        caption="Loss in evaluation mode, each recipe in its own format, nats per masked token. "
        "Above zero, fresh minus own is memorised masks if a mask came more than once, and "
        "held-out minus fresh is memorised text.",
        header=[
            "recipe",
            "own masks",
            "fresh masks",
            "held-out",
            "fresh minus own",
            "held-out minus fresh",
        ],
        rows=rows,
    )


def final_losses_table(results: Results) -> Table:
    """What the notebook compares, beside what decides."""
    recipes = results.finished()
    training = [
        _mean(results, recipe, lambda run: run.curves.training[-1][1]) for recipe in recipes
    ]
    test = [float(np.mean(memorisation(results, recipe)["held-out"])) for recipe in recipes]
    first = recipes[0].name
    return Table(
        caption=f"Final losses; the percentages are ({first} \N{MINUS SIGN} this) / {first}, so "
        "above zero this recipe's is lower.",
        header=[
            "recipe",
            "training loss, last epoch",
            f"against {first}",
            "test loss, own format",
            f"against {first}",
        ],
        rows=[
            [
                recipe.name,
                nats(training[place]),
                signed_share(training[0], training[place]) if place else "",
                nats(test[place]),
                signed_share(test[0], test[place]) if place else "",
            ]
            for place, recipe in enumerate(recipes)
        ],
    )


def next_sentence_table(results: Results) -> Table | None:
    """Next-sentence accuracy beside what B alone gives away. None: no recipe has the objective."""
    rows = []
    for recipe in results.finished():
        runs = results.runs_of(recipe.name)
        accuracies = [run.nsp_accuracy for run in runs if run.nsp_accuracy is not None]
        alone = [run.nsp_accuracy_b_alone for run in runs if run.nsp_accuracy_b_alone is not None]
        if accuracies and alone:
            rows.append([recipe.name, f"{np.mean(accuracies):.1%}", f"{np.mean(alone):.1%}"])
    if not rows:
        return None
    return Table(
        caption="Next-sentence prediction on held-out pairs, half of them with a random B.",
        header=["recipe", "accuracy", "of a classifier that reads B alone"],
        rows=rows,
    )


def costs_table(results: Results) -> Table:
    """What each recipe was given and what it took, a run."""
    columns: list[tuple[str, Callable[[Run], float], str]] = [
        ("updates", lambda run: run.updates, ",.0f"),
        ("sequences", lambda run: run.sequences, ",.0f"),
        ("tokens", lambda run: run.tokens, ",.0f"),
        ("predictions", lambda run: run.predictions, ",.0f"),
        ("passes over the text", lambda run: run.text_passes, ",.1f"),
        ("epochs", lambda run: run.epochs, ",.1f"),
        ("TFLOP", lambda run: run.flops / 1e12, ",.3g"),
        ("seconds", lambda run: run.seconds, ",.1f"),
    ]
    return Table(
        caption="What a run was fed and what it took, mean over runs. Tokens are without padding, "
        "operations those of the matrix products, seconds those of training and its validations.",
        header=["recipe", *(name for name, _, _ in columns)],
        rows=[
            [
                recipe.name,
                *(format(_mean(results, recipe, read), shape) for _, read, shape in columns),
            ]
            for recipe in results.finished()
        ],
    )


def text_table(results: Results) -> Table:
    """How large the parts of the text are."""
    return Table(
        caption="The text. [UNK] is read and never predicted.",
        header=["part", "documents", "sentences", "tokens", "share of [UNK]"],
        rows=[
            [
                name,
                f"{part.documents:,}",
                f"{part.sentences:,}",
                f"{part.tokens:,}",
                f"{part.unk_share:.2%}",
            ]
            for name, part in results.text.parts.items()
        ],
    )


def recipes_table(results: Results) -> Table:
    """The settings in which the recipes differ; all others are common."""
    keys = list(dict.fromkeys(key for arm in results.recipes for key in arm.settings))
    return Table(
        caption="The settings in which the recipes differ. All others are common.",
        header=["setting", *(arm.name for arm in results.recipes)],
        rows=[
            [key, *(_setting(arm.settings.get(key)) for arm in results.recipes)] for key in keys
        ],
    )


def mean_and_reach(values: Sequence[float] | np.ndarray) -> str:
    """Write a mean with the half-width of its 95% interval, if there is one.

    Example:
        >>> mean_and_reach([3.0]), mean_and_reach([3.0, 3.1])
        ('3.00', '3.05 +/- 0.64')
    """
    array = np.asarray(values, dtype=np.float64)
    interval = mean_interval(array)
    text = nats(float(array.mean()))
    return text if interval is None else f"{text} +/- {nats(interval.half_width)}"


def _mean(results: Results, recipe: Recipe, read: Callable[[Run], float]) -> float:
    return float(np.mean([read(run) for run in results.runs_of(recipe.name)]))


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)
