"""The tables of everything but losses, as text in rows: one source for page, text and files."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lit_roberta.comparison.reporting.summaries import mean
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results
from lit_roberta.comparison.runs.run import Run


def next_sentence_table(results: Results) -> Table | None:
    """Next-sentence accuracy beside what B alone gives away. None: no recipe has the objective."""
    rows, arms = [], []
    for recipe in results.finished():
        runs = results.runs_of(recipe.name)
        accuracies = [run.nsp_accuracy for run in runs if run.nsp_accuracy is not None]
        alone = [run.nsp_accuracy_b_alone for run in runs if run.nsp_accuracy_b_alone is not None]
        if accuracies and alone:
            rows.append([recipe.name, f"{np.mean(accuracies):.1%}", f"{np.mean(alone):.1%}"])
            arms.append(recipe.name)
    if not rows:
        return None
    return Table(
        name="next-sentence",
        caption="Next-sentence prediction on held-out pairs, half of them with a random B.",
        header=["recipe", "accuracy", "of a classifier that reads B alone"],
        rows=rows,
        arms=[*arms],
        fields=["", "nsp_accuracy", "nsp_accuracy_b_alone"],
    )


def costs_table(results: Results) -> Table:
    """What each recipe was given and what it took, a run."""
    columns: list[tuple[str, str, Callable[[Run], float], str]] = [
        ("updates", "updates", lambda run: run.updates, ",.0f"),
        ("sequences", "sequences", lambda run: run.sequences, ",.0f"),
        ("tokens", "tokens", lambda run: run.tokens, ",.0f"),
        ("predictions", "predictions", lambda run: run.predictions, ",.0f"),
        ("passes over the text", "text_passes", lambda run: run.text_passes, ",.1f"),
        ("epochs", "epochs", lambda run: run.epochs, ",.1f"),
        ("TFLOP", "flops / 1e12", lambda run: run.flops / 1e12, ",.3g"),
        ("seconds", "seconds", lambda run: run.seconds, ",.1f"),
    ]
    recipes = results.finished()
    return Table(
        name="costs",
        caption="What a run was fed and what it took, mean over runs. Tokens are without padding, "
        "operations those of the matrix products, seconds those of training and its validations.",
        header=["recipe", *(name for name, _, _, _ in columns)],
        rows=[
            [
                recipe.name,
                *(format(mean(runs, read), shape) for _, _, read, shape in columns),
            ]
            for recipe in recipes
            for runs in [results.runs_of(recipe.name)]
        ],
        arms=[recipe.name for recipe in recipes],
        fields=["", *(field for _, field, _, _ in columns)],
    )


def text_table(results: Results) -> Table:
    """How large the parts of the text are."""
    return Table(
        name="text",
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
        besides="From text.parts in results.json.",
    )


def recipes_table(results: Results) -> Table:
    """The settings in which the recipes differ; all others are common."""
    keys = list(dict.fromkeys(key for arm in results.recipes for key in arm.settings))
    return Table(
        name="recipes",
        caption="The settings in which the recipes differ. All others are common.",
        header=["setting", *(arm.name for arm in results.recipes)],
        rows=[
            [key, *(_setting(arm.settings.get(key)) for arm in results.recipes)] for key in keys
        ],
        besides="From recipes in results.json; all settings of a run are in its config.yaml.",
    )


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value)
