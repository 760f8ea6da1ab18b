"""What fine-tuning says about recipes, beside what the loss says.

In: a verdict by loss, and the judgements on tasks. Out: the same verdict with what fine-tuning
found; in its headline, too, where loss does not judge or names no winner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lit_roberta.comparison.judging.claims import LEFT_OPEN
from lit_roberta.comparison.judging.verdict import Verdict
from lit_roberta.comparison.judging.wording import joined
from lit_roberta.finetuning.evaluation.significance import Difference
from lit_roberta.finetuning.evaluation.wording import say_difference


def point_to_tasks(
    verdict: Verdict, differences: Sequence[Difference], *, decides: bool
) -> Verdict:
    """Say what fine-tuning found.

    Args:
        verdict: By loss.
        differences: By task and pair.
        decides: Whether fine-tuning is the judge of this comparison.
    """
    if not differences:
        return verdict
    headline = verdict.headline
    if decides:
        headline = _headline(differences)
    elif verdict.kind in LEFT_OPEN:
        headline = f"{headline} {_headline(differences)}"
    return replace(
        verdict,
        headline=headline,
        sentences=[*verdict.sentences, *map(_sentence, differences)],
    )


def _sentence(difference: Difference) -> str:
    return f"Fine-tuned for {say_difference(difference)}"


def _headline(differences: Sequence[Difference]) -> str:
    tasks = joined(list(dict.fromkeys(each.task for each in differences)))
    told = [each for each in differences if each.better is not None]
    if not told:
        if all(each.verdict == "no-difference" for each in differences):
            return f"Fine-tuned for {tasks}, no difference that matters is seen."
        if all(each.verdict == "not-learned" for each in differences):
            return f"Fine-tuned for {tasks}, no recipe learned to do it."
        return f"Fine-tuning for {tasks} does not decide."
    winners = {each.better for each in told}
    if len(winners) > 1:
        return f"Fine-tuned for {tasks}, no single recipe is the best."
    (winner,) = winners
    losers = dict.fromkeys(
        name for each in told for name in (each.first, each.second) if name != winner
    )
    where = joined(list(dict.fromkeys(each.task for each in told)))
    return f"Fine-tuned for {where}, {winner} is better than {joined(list(losers))}."
