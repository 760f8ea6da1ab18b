"""The verdict in plain words, each of them computed from the judgement's numbers.

In: arms and the floor. Out: a headline, a sentence a pair, and the numbers that they stand on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from lit_roberta.comparison.judging.claims import (
    SMALLEST_DIFFERENCE,
    Arm,
    Floor,
    Judgement,
    Kind,
    PairJudgement,
)
from lit_roberta.comparison.judging.headline import unlearned, write_headline
from lit_roberta.comparison.judging.judging import FEWEST_DOCUMENTS, FEWEST_RUNS, judge
from lit_roberta.comparison.judging.pair_words import (
    doubt,
    figures,
    runs_that_would_tell,
    seed_by_seed,
    size_of,
)
from lit_roberta.comparison.judging.wording import intervals, joined, nats


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What the comparison found."""

    kind: Kind
    winner: str | None
    headline: str
    sentences: list[str]
    """One a pair, in the order of the arms; a reason that pairs share is said once."""
    pairs: list[PairJudgement]
    floors: list[Floor]


def reach_verdict(
    arms: Sequence[Arm],
    unigram: Float64[np.ndarray, " documents"],
    *,
    failed: Sequence[str] = (),
    asked: Sequence[tuple[str, str]] | None = None,
) -> Verdict:
    """Judge the arms and say what came of it.

    Args:
        arms: At least one.
        unigram: Cross-entropy of each held-out document under the training text's word
            frequencies, in nats, summed over the predicted tokens.
        failed: Recipes without a finished run, to be named.
        asked: The pairs in question, by name; None for all.

    Returns:
        The verdict.
    """
    judgement = judge(arms, unigram, asked=asked)
    by_name = {arm.name: arm for arm in arms}
    return Verdict(
        kind=judgement.kind,
        winner=judgement.winner,
        headline=write_headline(judgement, arms, failed=failed),
        sentences=pair_sentences(by_name, judgement),
        pairs=judgement.pairs,
        floors=judgement.floors,
    )


# ---- a sentence for each kind of judgement on a pair

_Words = Callable[[PairJudgement, Mapping[str, Arm], Judgement], str]


def _winner(pair: PairJudgement, arms: Mapping[str, Arm], judgement: Judgement) -> str:
    loser = pair.second if pair.better == pair.first else pair.first
    sign = -1 if pair.better == pair.first else 1
    sizes = [size_of(difference, sign) for difference in pair.differences]
    smallest = min(abs(difference.estimate) for difference in pair.differences)
    where = "in both formats: " if len(sizes) > 1 else ""
    return (
        f"{pair.better} is better than {loser}, {where}{joined(sizes)}. "
        f"That is a perplexity {1 - np.exp(-smallest):.0%} lower"
        f"{' where the difference is smallest' if len(sizes) > 1 else ''}."
    )


def _each(pair: PairJudgement, arms: Mapping[str, Arm], judgement: Judgement) -> str:
    parts = []
    for difference in pair.differences:
        first = difference.estimate < 0
        name = pair.first if first else pair.second
        parts.append(f"{name} {size_of(difference, -1 if first else 1)}")
    return (
        f"{pair.first} and {pair.second} are each better in the format that they were trained on: "
        f"{joined(parts)}. Loss cannot decide between them; a task can."
    )


def _no_difference(pair: PairJudgement, arms: Mapping[str, Arm], judgement: Judgement) -> str:
    return (
        f"{pair.first} and {pair.second} show no difference that matters: every interval stays "
        f"within {SMALLEST_DIFFERENCE} nats per {pair.differences[0].unit}, about "
        f"{np.expm1(SMALLEST_DIFFERENCE):.0%} of perplexity ({figures(pair)})."
    )


def _cannot_tell(pair: PairJudgement, arms: Mapping[str, Arm], judgement: Judgement) -> str:
    if pair.unjudged:
        return (
            f"{pair.first} and {pair.second} differ in {joined(pair.unjudged)}. That changes what "
            "the loss measures, so loss cannot judge it; a task can."
        )
    return (
        f"Nobody can tell whether {pair.first} or {pair.second} is better ({figures(pair)}). "
        f"{doubt(pair, len(judgement.pairs))}{seed_by_seed(pair, arms)}"
    )


def _not_learned(names: Sequence[str], judgement: Judgement) -> str:
    floors = {floor.name: floor for floor in judgement.floors}
    parts = []
    for name in names:
        margin = floors[name].estimate
        side = "above" if margin >= 0 else "below"
        evidence = intervals(floors[name].over_runs, floors[name].over_documents)
        parts.append(
            f"{name} ends {nats(abs(margin))} nats {side} the loss of word frequencies "
            f"alone{evidence}"
        )
    rivals = [
        f"{pair.first} and {pair.second}"
        for pair in judgement.pairs
        if pair.kind == "not-learned-context" and pair.not_learned == list(names)
    ]
    return (
        f"{unlearned(names)} In its own format, {joined(parts)}. So no winner is named between "
        f"{', nor between '.join(rivals)}."
    )


def _same_run(pair: PairJudgement, arms: Mapping[str, Arm], judgement: Judgement) -> str:
    return (
        f"{pair.first} and {pair.second} are the same run: with so few passes no mask is seen "
        "twice, so the number of masking copies does not matter. It was done once."
    )


def _too_few(pair: PairJudgement, arms: Mapping[str, Arm], judgement: Judgement) -> str:
    runs, _ = _size_of(pair, arms)
    return f"{figures(pair)}." if runs == 1 else f"{figures(pair)}. {runs_that_would_tell(pair)}"


def _why_too_few(size: tuple[int, int], arms: Mapping[str, Arm], judgement: Judgement) -> str:
    """Say what keeps pairs from a verdict; which pairs, where it does not hold for all."""
    runs, documents = size
    few = [pair for pair in judgement.pairs if pair.kind == "too-few"]
    alike = [pair for pair in few if _size_of(pair, arms) == size]
    names = "; ".join(f"{pair.first} and {pair.second}" for pair in alike)
    whose = "" if len(few) == len(judgement.pairs) == len(alike) else f"{names}: "
    unknown = " One run says nothing about how much runs differ." if runs == 1 else ""
    return (
        f"{whose}{runs} run{'s' * (runs != 1)} each and {documents} held-out "
        f"document{'s' * (documents != 1)}; a verdict needs {FEWEST_RUNS} and "
        f"{FEWEST_DOCUMENTS}.{unknown}"
    )


def _size_of(pair: PairJudgement, arms: Mapping[str, Arm]) -> tuple[int, int]:
    """Give the runs of the arm with fewer of them, and the held-out documents."""
    runs = min(len(arms[name].seeds) for name in (pair.first, pair.second))
    return runs, arms[pair.first].num_documents


_SENTENCES: dict[Kind, _Words] = {
    "winner": _winner,
    "each-wins-own-format": _each,
    "no-difference": _no_difference,
    "cannot-tell": _cannot_tell,
    "same-run": _same_run,
    "too-few": _too_few,
}


_LONGER = "Train longer (--budget.amount), or choose rates with --tune-lr 3."


def pair_sentences(arms: Mapping[str, Arm], judgement: Judgement) -> list[str]:
    """Write a sentence for each pair; what keeps several pairs from a winner is said once."""
    sentences: dict[object, str] = {}
    for pair in judgement.pairs:
        if pair.kind == "not-learned-context":
            reason = tuple(pair.not_learned)
            sentences.setdefault(reason, _not_learned(pair.not_learned, judgement))
            continue
        if pair.kind == "too-few":
            size = _size_of(pair, arms)
            sentences.setdefault(size, _why_too_few(size, arms, judgement))
        sentences[pair.first, pair.second] = _SENTENCES[pair.kind](pair, arms, judgement)
    learned = any(floor.learned for floor in judgement.floors)
    if judgement.kind == "not-learned-context" and not learned:
        sentences["next step"] = _LONGER
    return list(sentences.values())
