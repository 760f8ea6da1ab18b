"""What a model says of an example, by kind of task; each can be written as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_DIGITS = 6


class LabelPrediction(NamedTuple):
    """One label of all."""

    label: str
    probabilities: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data, the most probable label first."""
        ranked = sorted(self.probabilities.items(), key=lambda each: -each[1])
        return {
            "label": self.label,
            "probabilities": {name: round(share, _DIGITS) for name, share in ranked},
        }


class NumberPrediction(NamedTuple):
    """A number."""

    value: float

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {"value": round(self.value, _DIGITS)}


class ChoicePrediction(NamedTuple):
    """One of several texts."""

    choice: int
    """Its place, from 0."""
    probabilities: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        shares = [round(share, _DIGITS) for share in self.probabilities]
        return {"choice": self.choice, "probabilities": shares}


class Entity(NamedTuple):
    """Words in a row that are one thing."""

    type: str
    text: str
    start: int
    """Characters of the text before it."""
    stop: int
    """Characters of the text up to its end."""
    start_word: int
    stop_word: int
    score: float
    """Mean probability of its words' tags."""

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {**self._asdict(), "score": round(self.score, _DIGITS)}


class TagsPrediction(NamedTuple):
    """A tag for each word of a sentence."""

    tags: tuple[str, ...]
    """Where they are fewer than the words, the last one goes on."""
    entities: tuple[Entity, ...] = ()
    """Their places are those in the words with a space between any two."""

    def in_text(self, text: str, starts: Sequence[int], words: Sequence[str]) -> TagsPrediction:
        """Give the entities the places that they have in the text that words were found in.

        Args:
            text: The text.
            starts: Of each word, the characters of the text before it.
            words: The words.
        """
        moved = []
        for each in self.entities:
            last = each.stop_word - 1
            start, stop = starts[each.start_word], starts[last] + len(words[last])
            moved.append(each._replace(text=text[start:stop], start=start, stop=stop))
        return self._replace(entities=tuple(moved))

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        entities = [entity.as_dict() for entity in self.entities]
        return {"tags": list(self.tags), "entities": entities}


class FoundAnswer(NamedTuple):
    """A part of a context that may be the answer."""

    text: str
    start: int
    """Characters of the context before it."""
    stop: int
    score: float
    """Its two logits, added up."""
    probability: float
    """Among all answers that were looked at, that there is none included where that may be."""

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        rounded = {name: round(getattr(self, name), _DIGITS) for name in ("score", "probability")}
        return {"text": self.text, "start": self.start, "stop": self.stop} | rounded


class AnswerPrediction(NamedTuple):
    """An answer, or that there is none."""

    text: str
    """As it stands in the context. Empty for no answer."""
    start: int | None
    """Characters of the context before it. None for no answer."""
    stop: int | None
    probability: float
    null_score: float = 0.0
    """The logits of no answer, added up: the lowest of all windows."""
    found: tuple[FoundAnswer, ...] = ()
    """The best answers, the best first, whether or not one of them is given."""

    @property
    def null_margin(self) -> float:
        """How far the score of no answer lies above that of the best answer."""
        return self.null_score - self.found[0].score if self.found else math.inf

    def as_dict(self) -> dict[str, Any]:
        """Give it as plain data."""
        return {
            "text": self.text,
            "start": self.start,
            "stop": self.stop,
            "probability": round(self.probability, _DIGITS),
            "null_score": round(self.null_score, _DIGITS),
            "found": [answer.as_dict() for answer in self.found],
        }
