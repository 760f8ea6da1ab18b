"""Predictions as lines, for a person and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import Any

from lit_roberta.finetuning.judging.entities import OUTSIDE, is_entity_tag
from lit_roberta.finetuning.predictions import (
    AnswerPrediction,
    ChoicePrediction,
    LabelPrediction,
    NumberPrediction,
    TagsPrediction,
)
from lit_roberta.finetuning.reading.words import split_words


def as_row(asked: Mapping[str, Any], found: Any) -> dict[str, Any]:
    """Give a prediction with what it is about, as plain data; beside tags stand their words."""
    words = {"words": _words(asked)} if isinstance(found, TagsPrediction) else {}
    return {**asked, **words, **found.as_dict()}


def readable(asked: Mapping[str, Any], found: Any) -> str:
    """Write a prediction below what it is about.

    Args:
        asked: What was asked, by name.
        found: What the model says of it.

    Example:
        >>> print(readable({"text": "Good."}, LabelPrediction("yes", {"no": 0.125, "yes": 0.875})))
        Good.
         87.500%  yes
         12.500%  no
    """
    texts = [text for name, text in asked.items() if isinstance(text, str) and name != "id"]
    head = "  |  ".join(texts)
    if isinstance(found, NumberPrediction):
        return f"{found.value:10.4f}  {head}"
    return "\n".join([*[head] * bool(texts), *_lines(asked, found)])


def _lines(asked: Mapping[str, Any], found: Any) -> Iterator[str]:
    if isinstance(found, LabelPrediction):
        ranked = sorted(found.probabilities.items(), key=lambda each: -each[1])
        yield from (f"{share:8.3%}  {label}" for label, share in ranked)
    elif isinstance(found, ChoicePrediction):
        for share, texts in zip(found.probabilities, asked["choices"], strict=True):
            yield f"{share:8.3%}  {'  |  '.join(texts)}"
    elif isinstance(found, TagsPrediction):
        for entity in found.entities:
            place = f"({entity.start}-{entity.stop})"
            yield f"{entity.score:8.3%}  {entity.type}  {entity.text}  {place}"
        if any(tag != OUTSIDE and not is_entity_tag(tag) for tag in found.tags):
            tagged = zip_longest(_words(asked), found.tags, fillvalue=found.tags[-1])
            yield "  " + " ".join(map("/".join, tagged))
    else:
        yield from _answers(found)


def _words(asked: Mapping[str, Any]) -> list[str]:
    words: list[str] | None = asked.get("words")
    return [word.text for word in split_words(asked["text"])] if words is None else words


def _answers(found: AnswerPrediction) -> Iterator[str]:
    if found.start is None:
        yield f"{found.probability:8.3%}  (no answer)"
    for answer in found.found:
        yield f"{answer.probability:8.3%}  {answer.text}  ({answer.start}-{answer.stop})"
