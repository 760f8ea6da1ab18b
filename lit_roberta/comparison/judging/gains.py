"""What each switch of a ladder brings: numbers for a waterfall, and what they allow to say.

In: rungs, the arms with their losses, and the judgements on the pairs that the rungs are. Out: a
gain a rung. Above zero the switch helps. Whatever is said of a rung stands on the judgement of its
pair; nothing is decided here anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from lit_roberta.comparison.judging.claims import Arm, Difference, PairJudgement
from lit_roberta.comparison.judging.designs import Rung
from lit_roberta.comparison.judging.judging import difference_of
from lit_roberta.comparison.judging.probe_judging import ProbeJudgement

Effect = Literal[
    "helps",
    "hurts",
    "no-difference",
    "cannot-tell",
    "not-for-loss",
    "not-learned-context",
    "same-run",
    "too-few",
    "failed",
]


@dataclass(frozen=True, kw_only=True)
class RungGain:
    """What a switch brings."""

    rung: Rung
    effect: Effect
    """What is said of it, by what judges it."""
    gains: list[Difference] = field(default_factory=list)
    """Loss without the switch minus loss with it, in the own format of either arm, which is what
    a claim needs. Nothing where an arm has no finished run."""
    elsewhere: list[Difference] = field(default_factory=list)
    """The same in the other compared formats, so that the rungs of a walk can be added up in one
    format."""
    judgement: PairJudgement | None = None
    """By loss: the first is the arm without the switch, the second the one with it."""
    probes: ProbeJudgement | None = None
    """By minimal pairs, the same way round. None: not both were probed."""

    def in_format(self, format: str) -> Difference | None:
        """Give the gain in a format; None where the arms were not scored in it."""
        found = [each for each in (*self.gains, *self.elsewhere) if each.format == format]
        return found[0] if found else None


def rung_gains(
    rungs: Sequence[Rung],
    arms: Sequence[Arm],
    pairs: Sequence[PairJudgement],
    probes: Sequence[ProbeJudgement] = (),
) -> list[RungGain]:
    """Give what each rung brings, in their order.

    Args:
        rungs: Of a ladder.
        arms: Those with finished runs.
        pairs: Judgements by loss on the pairs in question, corrected for how many they are.
        probes: Judgements by minimal pairs on the same.
    """
    by_name = {arm.name: arm for arm in arms}
    by_loss = {(pair.first, pair.second): pair for pair in pairs}
    own = {arm.name: arm.same_as or arm.name for arm in arms}
    by_probes = {(each.first, each.second): each for each in probes}
    gains = []
    for rung in rungs:
        judgement = by_loss.get((rung.before, rung.arm))
        if judgement is None:
            gains.append(RungGain(rung=rung, effect="failed"))
            continue
        probed = by_probes.get((own[rung.before], own[rung.arm]))
        gains.append(_gain(rung, by_name, judgement, probed))
    return gains


def _gain(
    rung: Rung,
    arms: Mapping[str, Arm],
    judgement: PairJudgement,
    probed: ProbeJudgement | None,
) -> RungGain:
    before, after = arms[rung.before], arms[rung.arm]
    shown = {difference.format for difference in judgement.differences}
    return RungGain(
        rung=rung,
        effect=_effect(rung, judgement, probed),
        gains=judgement.differences,
        elsewhere=[
            difference_of(before, after, format) for format in before.nats if format not in shown
        ],
        judgement=judgement,
        probes=probed,
    )


def _effect(rung: Rung, judgement: PairJudgement, probed: ProbeJudgement | None) -> Effect:
    """Say what a switch does, by what judges it."""
    if judgement.kind == "same-run" or judgement.kind == "too-few":
        return judgement.kind
    if rung.judge != "loss" or judgement.unjudged:
        if probed is None or probed.better is None:
            return "not-for-loss"
        return "helps" if probed.better == probed.second else "hurts"
    if judgement.better is not None:
        return "helps" if judgement.better == rung.arm else "hurts"
    if judgement.kind == "no-difference" or judgement.kind == "not-learned-context":
        return judgement.kind
    return "cannot-tell"
