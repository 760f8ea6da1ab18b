"""The verdict on a ladder in plain words: which switch earns its cost.

In: a design, its arms, and what the probed runs answered. Out: a headline, a sentence a rung, and
one on the two recipes at its ends. Every word is computed from the gains.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import Float64

from lit_roberta.comparison.judging.claims import SMALLEST_DIFFERENCE, Arm, Judgement
from lit_roberta.comparison.judging.designs import Design
from lit_roberta.comparison.judging.gains import Effect, RungGain, rung_gains
from lit_roberta.comparison.judging.judging import judge
from lit_roberta.comparison.judging.probe_judging import Answers, judge_probes
from lit_roberta.comparison.judging.verdict import Verdict, pair_sentences
from lit_roberta.comparison.judging.wording import intervals, joined, nats


def judge_ladder(
    design: Design,
    arms: Sequence[Arm],
    unigram: Float64[np.ndarray, " documents"],
    answers: Sequence[Answers] = (),
) -> tuple[Judgement, list[RungGain]]:
    """Judge the pairs that a ladder asks for, and give what each rung brings.

    Args:
        design: A ladder.
        arms: Those with finished runs.
        unigram: Cross-entropy of each held-out document under the training text's word
            frequencies, in nats, summed over the predicted tokens.
        answers: Of the arms that were probed.

    Returns:
        The judgements, and a gain for every rung of the design.
    """
    names = {arm.name for arm in arms}
    own = {arm.name: arm.same_as or arm.name for arm in arms}
    asked = [pair for pair in design.pairs() or [] if names >= {*pair}]
    judgement = judge(arms, unigram, asked=asked)
    probed = [(own[one], own[other]) for one, other in asked if own[one] != own[other]]
    probes = judge_probes(answers, asked=list(dict.fromkeys(probed)))
    return judgement, rung_gains(design.rungs, arms, judgement.pairs, probes)


def reach_ladder_verdict(
    design: Design,
    arms: Sequence[Arm],
    unigram: Float64[np.ndarray, " documents"],
    answers: Sequence[Answers] = (),
) -> Verdict:
    """Judge a ladder and say what came of it; the arguments are those of `judge_ladder`."""
    judgement, gains = judge_ladder(design, arms, unigram, answers)
    ends = [pair for pair in judgement.pairs if (pair.first, pair.second) == design.ends()]
    between = pair_sentences({arm.name: arm for arm in arms}, replace(judgement, pairs=ends))
    return Verdict(
        kind="ladder",
        winner=None,
        headline=_headline(design, gains),
        sentences=[*gain_sentences(gains), *between],
        pairs=judgement.pairs,
        floors=judgement.floors,
    )


def gain_sentences(gains: Sequence[RungGain]) -> list[str]:
    """Say what each rung brings: those of the walk, then those alone that are no rung of it."""
    walked = {(gain.rung.before, gain.rung.arm) for gain in gains if not gain.rung.alone}
    return [
        _sentence(gain)
        for gain in gains
        if not gain.rung.alone or (gain.rung.before, gain.rung.arm) not in walked
    ]


# ---- the headline


def _headline(design: Design, gains: Sequence[RungGain]) -> str:
    ends = design.ends()
    assert ends is not None, "only a ladder has this verdict"
    walked = [gain for gain in gains if not gain.rung.alone]
    if any(gain.effect == "too-few" for gain in walked):
        return "Too few runs or held-out documents for a verdict: these are figures only."
    way = f"From {ends[0]} to {ends[1]}"
    found = [
        f"{joined([gain.rung.switch for gain in of])} {words[len(of) > 1]}"
        for effect, words in _HEADLINES.items()
        if (of := [gain for gain in walked if gain.effect == effect])
    ]
    return f"{way}: {'; '.join(found)}."


_HEADLINES: dict[Effect, tuple[str, str]] = {
    "helps": ("helps", "help"),
    "hurts": ("hurts", "hurt"),
    "no-difference": ("makes no difference that matters", "make no difference that matters"),
    "same-run": ("changes nothing at this budget", "change nothing at this budget"),
    "cannot-tell": ("cannot be told from chance", "cannot be told from chance"),
    "not-for-loss": ("is not for loss to judge", "are not for loss to judge"),
    "not-learned-context": ("stands on too little training", "stand on too little training"),
    "failed": ("was not run to its end", "were not run to their end"),
}
"""In the order in which they are said; of one switch, and of several."""


# ---- a sentence for each rung


def _sentence(gain: RungGain) -> str:
    where = f"alone on {gain.rung.before}" if gain.rung.alone else f"after {gain.rung.before}"
    name = f"{gain.rung.switch[0].upper()}{gain.rung.switch[1:]} ({where})"
    note = f" {gain.rung.note[0].upper()}{gain.rung.note[1:]}" if gain.rung.note else ""
    return f"{name} {_found(gain)}{note}"


def _found(gain: RungGain) -> str:
    figures = _figures(gain)
    if gain.effect in ("helps", "hurts"):
        if gain.probes is not None and gain.probes.better is not None and not _by_loss(gain):
            return f"{gain.effect}, by the probes: {_points(gain)}. By loss, {figures}."
        return f"{gain.effect}: {figures}."
    return {
        "no-difference": f"makes no difference that matters, which would be "
        f"{SMALLEST_DIFFERENCE} nats: {figures}.",
        "cannot-tell": f"cannot be told from chance: {figures}.{_needed(gain)}",
        "not-for-loss": f"changes what the loss measures or suits one format, so loss cannot "
        f"judge it: {figures}.{_undecided(gain)}",
        "not-learned-context": f"stands on an arm that has not learned context: {figures}.",
        "same-run": "changes nothing at this budget: both are the same run.",
        "too-few": f"has too few runs or documents for a verdict: {figures}.",
        "failed": "was not run to its end.",
    }[gain.effect]


def _by_loss(gain: RungGain) -> bool:
    judgement = gain.judgement
    return gain.rung.judge == "loss" and judgement is not None and not judgement.unjudged


def _figures(gain: RungGain) -> str:
    parts = [
        f"{nats(each.estimate, sign=True)} on {each.format}"
        f"{intervals(each.over_runs, each.over_documents)}"
        for each in gain.gains
    ]
    return f"a gain of {joined(parts)}" if parts else ""


def _points(gain: RungGain) -> str:
    assert gain.probes is not None, "only what was probed has points"
    return f"{-100 * gain.probes.gain.estimate:+.1f} points of minimal pairs"


def _undecided(gain: RungGain) -> str:
    if gain.probes is None:
        return " --probes and --finetune can."
    return f" The probes do not tell, either: {_points(gain)}."


def _needed(gain: RungGain) -> str:
    counts = [each.runs_needed for each in gain.gains]
    known = [count for count in counts if count is not None]
    if not known or len(known) < len(counts):
        return " So small a gain would take more runs than anyone will make."
    return f" To show a gain of this size, about {max(known)} runs of each would be needed."
