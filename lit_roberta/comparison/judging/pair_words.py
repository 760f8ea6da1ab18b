"""What is said of two arms besides which is better: figures, doubts, and what would help."""

from __future__ import annotations

from collections.abc import Mapping

from lit_roberta.comparison.judging.claims import Arm, Difference, PairJudgement
from lit_roberta.comparison.judging.wording import evidence_on, joined, nats

_MOST_SEEDS_TOLD = 5


def size_of(difference: Difference, sign: int) -> str:
    """Say how large a difference is, with its intervals; sign -1 turns it round."""
    return (
        f"by {nats(sign * difference.estimate)} nats per {difference.unit} on {difference.format}"
        f"{evidence_on(difference, sign)}"
    )


def figures(pair: PairJudgement) -> str:
    """Give the difference in each format, with its intervals."""
    parts = [
        f"{nats(difference.estimate, sign=True)} on {difference.format}{evidence_on(difference)}"
        for difference in pair.differences
    ]
    return f"{pair.first} minus {pair.second}: {'; '.join(parts)}"


def seed_by_seed(pair: PairJudgement, arms: Mapping[str, Arm]) -> str:
    """Give the differences of runs of one seed, where no interval is made of them.

    Such runs begin with the same weights. Where they saw other masks, what each pair of them
    shows is a fact that a reader may want, and no evidence of ours.
    """
    first, second = arms[pair.first], arms[pair.second]
    paired = any(difference.paired for difference in pair.differences)
    if paired or first.seeds != second.seeds or len(first.seeds) > _MOST_SEEDS_TOLD:
        return ""
    parts = []
    for difference in pair.differences:
        each = first.losses(difference.format) - second.losses(difference.format)
        parts.append(f"{joined([nats(one, sign=True) for one in each])} on {difference.format}")
    return f" Seed by seed it is {'; '.join(parts)}."


def doubt(pair: PairJudgement, pairs: int) -> str:
    """Say what stands in the way of a claim, and what would help."""
    intervals = [
        (difference.over_runs, difference.over_documents) for difference in pair.differences
    ]
    runs_agree = all(runs is not None and runs.excludes_zero for runs, _ in intervals)
    documents_agree = all(texts is not None and texts.excludes_zero for _, texts in intervals)
    if runs_agree and documents_agree:
        signs = {difference.estimate < 0 for difference in pair.differences}
        if len(signs) > 1:
            return "Each is better in the format that the other was trained on."
        return f"Each interval alone excludes zero, but not when corrected for {pairs} pairs."
    if runs_agree:
        return "The runs agree, the held-out documents do not: more held-out text would help."
    return runs_that_would_tell(pair)


def runs_that_would_tell(pair: PairJudgement) -> str:
    """Say about how many runs would show what was seen."""
    counts = [difference.runs_needed for difference in pair.differences]
    known = [count for count in counts if count is not None]
    if len(known) < len(counts):
        return "A difference as small as this one would take more runs than anyone will make."
    return f"To show a difference of this size, about {max(known)} runs of each would be needed."
