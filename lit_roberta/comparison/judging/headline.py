"""The headline: what holds over all recipes, in one or two sentences."""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.comparison.judging.claims import Arm, Judgement
from lit_roberta.comparison.judging.judging import FEWEST_DOCUMENTS, FEWEST_RUNS
from lit_roberta.comparison.judging.wording import joined


def write_headline(
    judgement: Judgement, arms: Sequence[Arm], *, failed: Sequence[str] = ()
) -> str:
    """Say what holds over all arms, and who had no part in it.

    Args:
        judgement: What was found.
        arms: The arms that it was found of.
        failed: Recipes without a finished run.
    """
    if not judgement.pairs:
        if failed:
            return f"No comparison: {_unfinished(failed)}"
        return "One recipe alone: there is nothing to compare it with."
    missing = [_unfinished(failed)] if failed else []
    return " ".join([*_findings(judgement, arms), *missing])


def _unfinished(names: Sequence[str]) -> str:
    """Say who can't be judged; whether its runs failed or were not begun stands with the runs."""
    return f"{joined(names)} {'has' if len(names) == 1 else 'have'} no finished run."


def _findings(judgement: Judgement, arms: Sequence[Arm]) -> list[str]:
    without = [floor.name for floor in judgement.floors if not floor.learned]
    if judgement.kind == "not-learned-context":
        return [unlearned(without), "So no winner is named."]
    if judgement.kind == "too-few":
        return [f"Too few {_too_few(arms)} for a verdict: these are figures only."]
    settled = judgement.kind == "same-run"
    left = [floor.name for floor in judgement.floors if floor.learned or settled]
    text = _overall(judgement, left)
    return [text] if len(left) == len(judgement.floors) else [text, unlearned(without)]


def _too_few(arms: Sequence[Arm]) -> str:
    """Say what there is too little of."""
    runs = any(len(arm.seeds) < FEWEST_RUNS for arm in arms)
    documents = any(arm.num_documents < FEWEST_DOCUMENTS for arm in arms)
    return joined(["runs"] * runs + ["held-out documents"] * documents)


def _overall(judgement: Judgement, names: Sequence[str]) -> str:
    """Say what holds over the arms that have learned context."""
    every = len(names) == len(judgement.floors)
    kinds = {pair.kind for pair in judgement.pairs} - {"same-run", "not-learned-context"}
    if judgement.kind == "winner":
        than = "is the better recipe" if len(names) == 2 else "is better than every other recipe"
        return f"{judgement.winner} {than} on this text."
    if judgement.kind == "cannot-tell" and len(kinds) > 1:
        return "No recipe is better than all the others."
    each = "Each recipe is" if every else f"Each of {joined(names)} is"
    between = "the recipes" if every else joined(names)
    which = "which recipe" if every else f"which of {joined(names)}"
    return {
        "each-wins-own-format": f"{each} better in the format that it was trained on; loss cannot "
        "decide between them.",
        "no-difference": f"There is no difference that matters between {between}.",
        "cannot-tell": f"Nobody can tell from these runs {which} is better.",
        "same-run": "The recipes are the same run: at this budget nothing about them differs.",
    }[judgement.kind]


def unlearned(names: Sequence[str]) -> str:
    """Say who has not learned context."""
    have = "has" if len(names) == 1 else "have"
    return f"{joined(names)} {have} not learned context."
