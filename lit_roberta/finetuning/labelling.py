"""Examples without a label in parts that need them: left out of learning and told, or refused.

In: examples of any task. Out: those with a label, and lines for the user.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import is_labelled

E = TypeVar("E")


def leave_out_unlabelled(train: Sequence[E], notes: list[str]) -> Sequence[E]:
    """Give what can be learned from; how much is left out is noted.

    Args:
        train: At least one.
        notes: Lines for the user.

    Raises:
        UserError: If none has a label.
    """
    labelled = [example for example in train if is_labelled(example)]
    if not labelled:
        remedy = "Name their column: --data.reading.label_column, or tags_column of words."
        raise must("data.train", "hold labels", "none", remedy)
    left_out = len(train) - len(labelled)
    if left_out:
        notes.append(
            f"{left_out:,} of {len(train):,} examples to learn from have no label: left out."
        )
    return labelled if left_out else train


def note_unlabelled(part: str, sets: Mapping[str, Sequence[object]]) -> list[str]:
    """Tell of examples that can't be judged beside others that can.

    Args:
        part: Its name.
        sets: By name.
    """
    told = []
    for name, examples in sets.items():
        missing = sum(not is_labelled(example) for example in examples)
        if 0 < missing < len(examples):
            where = f"{part} ({name})" if name else part
            told.append(
                f"{missing:,} of {len(examples):,} examples of the {where} part have no label: "
                "not judged."
            )
    return told


def require_labels(part: str, sets: Mapping[str, Sequence[object]], *, remedy: str) -> None:
    """See that each set of a part can be judged.

    Args:
        part: Its name.
        sets: By name; an empty one is none.
        remedy: What else to do.

    Raises:
        UserError: If no example of a set has a label.
    """
    for examples in sets.values():
        if examples and not any(map(is_labelled, examples)):
            raise must(f"data.{part}", "hold labels", "none", remedy)
