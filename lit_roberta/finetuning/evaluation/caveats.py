"""What a reader of an evaluation has to know of its scores."""

from __future__ import annotations

from collections.abc import Sequence

from lit_roberta.counted import counted
from lit_roberta.finetuning.evaluation.results import Cell
from lit_roberta.finetuning.evaluation.significance import LEVEL, Difference


def caveats(cells: Sequence[Cell], differences: Sequence[Difference]) -> list[str]:
    """Say what a reader has to know of the scores."""
    said = []
    for cell in cells:
        if seeds := cell.chosen.collapsed:
            which, runs = ", ".join(map(str, seeds)), counted(len(cell.chosen.runs), "run")
            said.append(
                f"{cell.model} on {cell.task}: {len(seeds)} of {runs} (seed {which}) learned "
                "nothing: no better than what is said without reading. "
                "Try another learning rate, or more epochs."
            )
    if any(cell.is_optimistic for cell in cells):
        said.append(
            "Scores of a validation part by which learning rate and batch size were chosen, too, "
            "are optimistic: on text that had no part in the choice they would be lower."
        )
    if any(cell.part == "validation" for cell in cells):
        said.append(
            "Scores of a validation part are those of each run's best epoch, chosen by that part."
        )
    if any(difference.p_value is not None for difference in differences):
        said.append(
            "A model is called better where chance over runs, over examples, and over both would "
            f"show such a difference in less than {LEVEL:.0%} of cases, corrected for the number "
            "of tasks and pairs (Holm)."
        )
    return said
