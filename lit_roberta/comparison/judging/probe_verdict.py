"""Where the loss does not decide between recipes, the verdict points to the probes.

In: a verdict by loss, and the answers of the probed runs. Out: the same verdict with what the
probes say about the pairs of recipes that it leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from lit_roberta.comparison.judging.claims import LEFT_OPEN
from lit_roberta.comparison.judging.probe_judging import Answers, ProbeJudgement, judge_probes
from lit_roberta.comparison.judging.verdict import Verdict


def point_to_probes(
    verdict: Verdict,
    answers: Sequence[Answers],
    *,
    asked: Sequence[tuple[str, str]] | None = None,
) -> Verdict:
    """Say what the probes found of the pairs that the loss leaves open.

    Args:
        verdict: By loss.
        answers: Of every recipe that made runs of its own; nothing where no run was probed.
        asked: The pairs in question, by name; None for all.
    """
    kinds = {(pair.first, pair.second): pair.kind for pair in verdict.pairs}
    left_open = [
        each
        for each in judge_probes(answers, asked=asked)
        if kinds[each.first, each.second] in LEFT_OPEN
    ]
    headline = verdict.headline
    if left_open and verdict.kind == "each-wins-own-format":
        headline = f"{headline} {_headline(left_open)}"
    return replace(
        verdict, headline=headline, sentences=[*verdict.sentences, *map(_sentence, left_open)]
    )


def figures(judgement: ProbeJudgement) -> str:
    """Write the difference of two recipes in percentage points, with its intervals."""
    gain = judgement.gain
    evidence = [
        f"over {unit} {_points(interval.low)} to {_points(interval.high)}"
        for unit, interval in (("runs", gain.over_runs), ("pairs", gain.over_pairs))
        if interval is not None
    ]
    behind = f" (95% interval {', '.join(evidence)})" if evidence else ""
    return f"{judgement.first} minus {judgement.second}: {_points(gain.estimate)} points{behind}"


def _headline(judgements: Sequence[ProbeJudgement]) -> str:
    winners = {each.better for each in judgements}
    if len(winners) > 1:
        return "See the probes."
    winner = winners.pop()
    return (
        "The probes cannot decide, either." if winner is None else f"The probes prefer {winner}."
    )


def _sentence(judgement: ProbeJudgement) -> str:
    names = f"{judgement.first} and {judgement.second}"
    if judgement.better is None:
        return f"The probes do not tell {names} apart: {figures(judgement)}."
    return f"Between {names}, the probes prefer {judgement.better}: {figures(judgement)}."


def _points(share: float) -> str:
    return f"{100 * share:+.1f}"
