"""Which of several texts is right: its place, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import ChoiceExample


def choice_example(
    choices: Sequence[tuple[str, str | None]], label: int | None, place: str
) -> ChoiceExample:
    """Make an example.

    Args:
        choices: Texts, or pairs of them.
        label: The place of the right one, from 0. None: unlabelled.
        place: Where it stands.

    Raises:
        UserError: If there is nothing to choose, or the label is no place.
    """
    if len(choices) < 2:
        raise must(f"{place},", "have two choices or more", len(choices), "Repair the row.")
    if label is not None and not 0 <= label < len(choices):
        rule = f"lie from 0 to {len(choices) - 1}, the places of its choices"
        raise must(f"the label at {place}", rule, label, "The first choice is 0.")
    return ChoiceExample(tuple(choices), label, place)


def label_place(value: Any, column: str, place: str) -> int | None:
    """Read the place of the right choice; None for none.

    Raises:
        UserError: If it is no whole number.
    """
    if value is None or value == "":
        return None
    text = "" if isinstance(value, bool) else str(value).removesuffix(".0")
    try:
        return int(text)
    except ValueError:
        rule = "be the place of the right choice, from 0"
        raise must(f"{place}, column {column!r},", rule, value, "Repair the row.") from None
