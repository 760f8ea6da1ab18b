"""What the minimal pairs say about the recipes, and whether the held-out loss says the same.

In: results. Out: sentences and a table, computed from the numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lit_roberta.comparison.judging.claims import PairJudgement
from lit_roberta.comparison.judging.judging import FEWEST_RUNS
from lit_roberta.comparison.judging.probe_judging import (
    CHANCE,
    Answers,
    ProbeJudgement,
    knows_something,
)
from lit_roberta.comparison.judging.probe_verdict import figures
from lit_roberta.comparison.judging.wording import joined
from lit_roberta.comparison.reporting.summaries import mean_and_reach
from lit_roberta.comparison.reporting.table import Table
from lit_roberta.comparison.results import Results


def probe_sentences(results: Results) -> list[str]:
    """Say who is above chance, and of each pair of recipes whether probes and loss agree.

    Returns:
        Nothing where no run was probed.
    """
    answers = results.answers()
    if not answers:
        return [_NONE_ASKED] if any(run.probes for run in results.runs) else []
    by_loss = {(pair.first, pair.second): pair for pair in results.verdict().pairs}
    return [
        _chance(answers),
        *(
            _agreement(each, by_loss[each.first, each.second])
            for each in results.probe_judgements()
        ),
    ]


def probes_table(results: Results) -> Table | None:
    """Right answers by what the pairs are about. None: nobody was asked."""
    answers = results.answers()
    if not answers:
        return None
    probed = next(run.probes for run in results.runs if run.probes is not None)
    about = np.array([probed.phenomena[pair] for pair in answers[0].asked])
    rows = {"all": np.ones(len(about), dtype=bool)}
    rows |= {name: about == name for name in dict.fromkeys(about.tolist())}
    return Table(
        name="probes",
        caption="Minimal pairs at the last update: share of pairs of which the good sentence is "
        "found the more likely one, mean over runs and 95% interval. "
        f"{_left_out(len(about), len(probed.right))}",
        header=["minimal pairs about", "pairs", *(each.name for each in answers), "chance"],
        rows=[
            [
                name,
                f"{int(own.sum())}",
                *(
                    mean_and_reach(each.right[:, own].mean(axis=1), "{:.1%}".format)
                    for each in answers
                ),
                f"{CHANCE:.0%}",
            ]
            for name, own in rows.items()
        ],
        besides="Means over the pairs of probes.right, and then over the runs of a recipe, from "
        "runs/RECIPE/seed-N/probes.json.",
    )


_NONE_ASKED = "No minimal pair could be asked: they are English, and the tokenizer lacks a word."


def _chance(answers: Sequence[Answers]) -> str:
    """Say who knows something."""
    first, *others = [(each.name, f"in {each.by_run.mean():.1%}") for each in answers]
    parts = [f"{first[0]} prefers the good sentence {first[1]}", *map(" ".join, others)]
    count = len(answers[0].asked)
    start = f"Of {count} minimal pairs, {joined(parts)}; {CHANCE:.0%} is chance."
    above = [each.name for each in answers if knows_something(each)]
    if len(answers[0].right) < 2:
        return f"{start} One run says nothing about how much runs differ."
    if not above:
        return f"{start} Nobody is above chance by more than the intervals over runs and pairs."
    are = "are" if len(above) > 1 else "is"
    only = "" if len(above) == len(answers) else "Only "
    return f"{start} {only}{joined(above)} {are} above it, over runs and over pairs."


def _agreement(probes: ProbeJudgement, loss: PairJudgement) -> str:
    """Say whether probes and held-out loss agree on two recipes."""
    names = f"{probes.first} and {probes.second}"
    numbers = figures(probes)
    if probes.runs < FEWEST_RUNS:
        return f"Too few runs for a verdict by probes between {names}; {numbers}."
    if probes.better is None and loss.better is None:
        return f"Neither probes nor held-out loss name a winner between {names}; {numbers}."
    if probes.better is None:
        return (
            f"Held-out loss prefers {loss.better} between {names}; the probes do not tell them "
            f"apart, so they neither confirm nor contradict it; {numbers}."
        )
    if loss.better is None:
        return (
            f"Held-out loss names no winner between {names}; the probes prefer {probes.better}; "
            f"{numbers}."
        )
    if probes.better == loss.better:
        return f"Probes and held-out loss agree: of {names}, {loss.better} is better; {numbers}."
    return (
        f"Probes and held-out loss disagree on {names}: the loss prefers {loss.better}, the "
        f"probes {probes.better}; {numbers}."
    )


def _left_out(asked: int, total: int) -> str:
    if asked == total:
        return f"All {total} pairs were asked."
    return (
        f"{total - asked} of {total} pairs were left out, for a word that the tokenizer does not "
        "know or a sentence that the model has no room for."
    )
