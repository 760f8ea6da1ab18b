"""What a fine-tuned model is asked about: texts and pairs, as examples without labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lit_roberta.errors import must
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.model.task_heads import TaskKind

TaskInput = str | tuple[str, str]
"""A text; or two."""


def example_of(kind: TaskKind, given: Any, number: int) -> Any:
    """Make an example of what is given.

    Args:
        kind: Of the task.
        given: A `TaskInput`.
        number: Its place, from 1, for messages.

    Raises:
        TypeError: If it is no text, and no pair of texts.
    """
    texts = texts_of(given)
    if not 1 <= len(texts) <= 2 or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"input {number} must be a text or a pair of texts, got {given!r}.")
    if kind != "sequence-classification":
        raise must("the task", "be one of texts", kind, "Nothing else is predicted.")
    text, pair = [*texts, None][:2]
    return TextExample(text=str(text), pair=pair, label=None, place=f"input {number}")


def texts_of(given: Any) -> Sequence[str]:
    """Give the texts of an input."""
    return [given] if isinstance(given, str) else list(given)
