"""Which recipe is better, as numbers: the rules that decide, without a word of prose.

In: for each arm (a recipe with its runs) the held-out losses, summed by run and document, in every
compared format. Out: one judgement a pair and one over all. Which recipe the papers prefer is
nowhere in here.

The rules, in the order in which they apply to a pair:

1. The same run twice has no winner.
2. Fewer than 3 runs a side or fewer than 8 documents: figures only.
3. Settings that change what the loss measures can't be judged by it.
4. A recipe that is not below the loss of word frequencies alone has learned no context.
5. An arm is better only if it wins in its own and in its rival's format, over runs and over
   documents, corrected for the number of pairs. If each wins its own format, that is the result.
6. If every interval stays within a twentieth of a nat, there is no difference that matters.
7. Otherwise nobody can tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from jaxtyping import Float64

from lit_roberta.bootstrap import two_level_interval
from lit_roberta.comparison.judging.claims import (
    Arm,
    Difference,
    Floor,
    Judgement,
    Kind,
    PairJudgement,
)
from lit_roberta.statistics import (
    Interval,
    holm,
    mean_interval,
    ratio_interval,
    runs_needed,
    welch_interval,
)

LEVEL = 0.05
"""Chance of a false claim that is accepted, over all pairs together."""
FEWEST_RUNS = 3
FEWEST_DOCUMENTS = 8


def judge(
    arms: Sequence[Arm],
    unigram: Float64[np.ndarray, " documents"],
    *,
    asked: Sequence[tuple[str, str]] | None = None,
) -> Judgement:
    """Judge every pair of arms, and all of them together.

    Args:
        arms: At least one.
        unigram: Cross-entropy of each held-out document under the training text's word
            frequencies, in nats, summed over the predicted tokens.
        asked: The pairs in question, by the names of their arms; None for all. What nobody asks
            costs no evidence: the correction is for as many pairs as there are.

    Returns:
        Every pair in the order of the arms or of the question, and what holds over all.
    """
    by_name = {arm.name: arm for arm in arms}
    questions = combinations(by_name, 2) if asked is None else asked
    floors = [_floor(arm, unigram) for arm in arms]
    learned = {floor.name for floor in floors if floor.learned}
    pairs = [_compare(by_name[one], by_name[other], learned) for one, other in questions]
    tested = [place for place, pair in enumerate(pairs) if pair.kind != "same-run"]
    for place, p_value in zip(
        tested, holm([pairs[place].p_value for place in tested]), strict=True
    ):
        pairs[place] = _claim(replace(pairs[place], p_value=p_value), arms)
    kind, winner = _overall(arms, pairs, learned)
    return Judgement(kind=kind, winner=winner, pairs=pairs, floors=floors)


def _floor(arm: Arm, unigram: Float64[np.ndarray, " documents"]) -> Floor:
    margins = arm.losses(arm.format) - unigram.sum() / arm.counts.sum()
    return Floor(
        name=arm.name,
        estimate=float(margins.mean()),
        over_runs=mean_interval(margins),
        over_documents=ratio_interval(arm.documents(arm.format) - unigram, arm.counts),
    )


def _compare(first: Arm, second: Arm, learned: set[str]) -> PairJudgement:
    """Gather the evidence on a pair, and settle it where no claim is possible."""
    formats = dict.fromkeys((first.format, second.format))
    differences = [difference_of(first, second, format) for format in formats]
    unjudged = [key for key in first.unjudged if first.unjudged[key] != second.unjudged.get(key)]
    not_learned = [arm.name for arm in (first, second) if arm.name not in learned]
    kind: Kind = "cannot-tell"
    if (first.same_as or first.name) == (second.same_as or second.name):
        kind = "same-run"
    elif _too_few(first) or _too_few(second):
        kind = "too-few"
    elif not_learned and not unjudged:
        kind = "not-learned-context"
    return PairJudgement(
        first=first.name,
        second=second.name,
        kind=kind,
        better=None,
        differences=differences,
        p_value=max(difference.p_value for difference in differences),
        not_learned=not_learned,
        unjudged=unjudged,
    )


def _too_few(arm: Arm) -> bool:
    return len(arm.seeds) < FEWEST_RUNS or arm.num_documents < FEWEST_DOCUMENTS


def difference_of(first: Arm, second: Arm, format: str) -> Difference:
    """Give what separates two arms in a format that both were scored in: first minus second."""
    ours, theirs = first.losses(format), second.losses(format)
    paired = first.stream is not None and (first.stream, first.seeds) == (
        second.stream,
        second.seeds,
    )
    over_runs = mean_interval(ours - theirs) if paired else welch_interval(ours, theirs)
    return Difference(
        format=format,
        estimate=float(ours.mean() - theirs.mean()),
        over_runs=over_runs,
        over_documents=ratio_interval(
            first.documents(format) - second.documents(format), first.counts
        ),
        over_both=two_level_interval(
            first.nats[format], second.nats[format], first.counts, paired=paired
        ),
        paired=paired,
        runs_needed=None if over_runs is None else _needed(ours, theirs, over_runs, paired),
        unit=first.unit,
    )


def _needed(
    ours: Float64[np.ndarray, " runs"],
    theirs: Float64[np.ndarray, " other_runs"],
    over_runs: Interval,
    paired: bool,
) -> int | None:
    """Say about how many runs a side would show the difference that was seen."""
    variance = (ours.var(ddof=1) + theirs.var(ddof=1)) / 2
    if paired:  # what runs of one seed share cancels out
        variance = (ours - theirs).var(ddof=1) / 2
    needed = runs_needed(difference=over_runs.estimate, deviation=float(np.sqrt(variance)))
    if needed is None or over_runs.excludes_zero:
        return needed
    return max(needed, min(len(ours), len(theirs)) + 1)  # those that there are did not do


def _claim(pair: PairJudgement, arms: Sequence[Arm]) -> PairJudgement:
    """Decide what the evidence on a pair allows to say."""
    if pair.kind != "cannot-tell" or pair.unjudged:
        return pair
    if pair.p_value < LEVEL:
        formats = {arm.name: arm.format for arm in arms}
        better = {
            difference.format: pair.first if difference.estimate < 0 else pair.second
            for difference in pair.differences
        }
        winners = set(better.values())
        if len(winners) == 1:
            return replace(pair, kind="winner", better=winners.pop())
        if all(formats[name] == format for format, name in better.items()):
            return replace(pair, kind="each-wins-own-format")
    if all(difference.negligible for difference in pair.differences):
        return replace(pair, kind="no-difference")
    return pair


def _overall(
    arms: Sequence[Arm], pairs: Sequence[PairJudgement], learned: set[str]
) -> tuple[Kind, str | None]:
    """Find what holds over all arms; those that have not learned context have no part in it."""
    distinct = [arm.name for arm in arms if arm.same_as is None]
    between = [pair for pair in pairs if pair.first in distinct and pair.second in distinct]
    kinds = {pair.kind for pair in between}
    if not between:
        return ("same-run", None) if pairs else ("too-few", None)
    if "too-few" in kinds:
        return "too-few", None
    if kinds == {"not-learned-context"}:
        return "not-learned-context", None
    between = [pair for pair in between if pair.kind != "not-learned-context"]
    contenders = {name for pair in between for name in (pair.first, pair.second)}
    for name in contenders:
        rivals = [pair for pair in between if name in (pair.first, pair.second)]
        if all(pair.better == name for pair in rivals):
            return "winner", name
    kinds = {pair.kind for pair in between}
    return (kinds.pop(), None) if len(kinds) == 1 else ("cannot-tell", None)
