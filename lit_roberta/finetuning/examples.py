"""Examples of tasks, as people label them: text and names, before any tokenizer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

Place = str
"""Where an example stands, for messages: a file and its line or row."""


class TextExample(NamedTuple):
    """A text, or a pair of texts, with one label."""

    text: str
    pair: str | None
    label: str | float | None
    """Its name; for regression a number. None: unlabelled."""
    place: Place
    group: str | None = None
    """Of a task that judges some examples together: what they share, such as a question."""
    candidate: str | None = None
    """Of such a task: the answer that this one is about."""


class WordsExample(NamedTuple):
    """The words of a sentence, with a tag each."""

    words: tuple[str, ...]
    tags: tuple[str | int, ...] | None
    """Their names, or numbers where a file has those. None: unlabelled."""
    place: Place


class Answer(NamedTuple):
    """A part of a context that answers a question."""

    text: str
    start: int
    """Characters of the context before it."""


class QuestionExample(NamedTuple):
    """A question about a text, whose answer is a part of that text."""

    key: str
    """Its name in the file, under which its answer is written."""
    question: str
    context: str
    answers: tuple[Answer, ...] | None
    """All that count as right; none where the context has no answer. None: unlabelled."""
    place: Place


class ChoiceExample(NamedTuple):
    """Some texts or pairs of texts, of which one is right."""

    choices: tuple[tuple[str, str | None], ...]
    label: int | None
    """The place of the right one, from 0. None: unlabelled."""
    place: Place


def is_labelled(example: Any) -> bool:
    """Tell whether an example of any task says what is right."""
    if isinstance(example, WordsExample):
        return example.tags is not None
    if isinstance(example, QuestionExample):
        return example.answers is not None
    return bool(example.label is not None)


def are_pairs(examples: Sequence[Any]) -> bool | None:
    """Tell whether examples are pairs of texts.

    Args:
        examples: Of any task.

    Returns:
        None where only some are, or where none is a text or a pair.
    """
    kinds = {each.pair is not None if isinstance(each, TextExample) else None for each in examples}
    return kinds.pop() if len(kinds) == 1 else None
