"""What a fine-tuned model is asked about, as examples without labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lit_roberta.finetuning.examples import (
    ChoiceExample,
    QuestionExample,
    TextExample,
    WordsExample,
)
from lit_roberta.finetuning.reading.right_choice import choice_example
from lit_roberta.finetuning.reading.words import split_words
from lit_roberta.model.task_heads import TaskKind

TaskInput = str | tuple[str, str] | tuple[str, Sequence[str]] | Sequence[str]
"""A text; two; a question and its context; a text and what may follow it; or, to be tagged, the
words of a sentence."""

_FORMS: dict[TaskKind, str] = {
    "sequence-classification": "a text or a pair of texts",
    "token-classification": "a text or a list of words",
    "question-answering": "a question and its context",
    "multiple-choice": "a text and a list of choices",
}


def example_of(kind: TaskKind, given: Any, number: int) -> Any:
    """Make an example of what is given.

    Args:
        kind: Of the task.
        given: A `TaskInput`, or an example as it is.
        number: Its place, from 1, for messages.

    Raises:
        TypeError: If it is of another form than the kind's.
        UserError: If there is nothing to choose.
    """
    if isinstance(given, ChoiceExample | QuestionExample | TextExample | WordsExample):
        return given
    place = f"input {number}"
    parts = list(given) if isinstance(given, list | tuple) else [given]
    are_texts = all(isinstance(part, str) for part in parts)
    if kind == "sequence-classification" and are_texts and len(parts) in (1, 2):
        pair = parts[1] if len(parts) > 1 else None
        return TextExample(text=parts[0], pair=pair, label=None, place=place)
    if kind == "token-classification" and are_texts:
        is_text = isinstance(given, str)
        words = [word.text for word in split_words(given)] if is_text else parts
        return WordsExample(tuple(words), None, place)
    if kind == "question-answering" and are_texts and len(parts) == 2:
        return QuestionExample(str(number), parts[0], parts[1], None, place)
    if kind == "multiple-choice" and len(parts) == 2 and not isinstance(parts[1], str):
        return choice_example([(parts[0], choice) for choice in parts[1]], None, place)
    raise TypeError(f"{place} must be {_FORMS[kind]}, got {given!r}.")


def rows_of(example: Any) -> Iterator[tuple[str, str | None]]:
    """Give the texts of each row of an example; a context, which is cut into windows, is none."""
    if isinstance(example, ChoiceExample):
        yield from example.choices
    elif isinstance(example, WordsExample):
        yield " ".join(example.words), None
    elif isinstance(example, QuestionExample):
        yield example.question, None
    else:
        yield example.text, example.pair


def texts_of(example: Any) -> list[str]:
    """Give all texts of an example."""
    if isinstance(example, QuestionExample):
        return [example.question, example.context]
    return [text for row in rows_of(example) for text in row if text is not None]
