"""Entities in tags, and how many of them are right, by the rules of CoNLL's shared tasks.

In: a tag for each word. Out: spans of words, and scores. It knows no tokens, and labels by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from lit_roberta.errors import must

OUTSIDE = "O"
"""The tag of a word that is part of no entity."""

ENTITY_METRICS = ("f1", "precision", "recall", "accuracy")

_TAG = re.compile(r"([BIESLUM])-(.+)|([BIES])", re.DOTALL)
_BEGINS = "BSU"
"""What a tag begins with where an entity starts, whatever stands before: begin, single, unit."""
_ENDS = "ELSU"
"""And where one ends, whatever follows: end, last, single, unit."""


class EntitySpan(NamedTuple):
    """An entity."""

    type: str
    """Empty where tags name none: B, I and O alone."""
    start: int
    """Words before it."""
    stop: int
    """Words up to its end."""


def is_entity_tag(tag: str) -> bool:
    """Tell whether a tag is that of a word in an entity.

    Example:
        >>> [is_entity_tag(tag) for tag in ("B-person", "I", "O", "NOUN", "-LRB-")]
        [True, True, False, False, False]
    """
    return _TAG.fullmatch(tag) is not None


def entity_spans(tags: Sequence[str]) -> list[EntitySpan]:
    """Find the entities of a sentence.

    An entity goes on as long as the type is the same and nothing says that one begins or ends: so
    `I-` after `O`, or after another type, begins one; `B-` always does. That reads IOB1, IOB2 and
    what mixes them, and the schemes that mark ends and single words (IOBES, BILOU, BMES).

    Args:
        tags: Of each word. What is no entity's tag counts as O.

    Example:
        >>> entity_spans(["I-LOC", "I-LOC", "B-LOC", "O", "B-PER", "I-LOC"])  # doctest: +ELLIPSIS
        [EntitySpan(type='LOC', start=0, stop=2), EntitySpan(type='LOC', start=2, stop=3), ...

    Source: Tjong Kim Sang and Buchholz 2000, the evaluation of CoNLL's shared tasks.
    """
    spans: list[EntitySpan] = []
    before, has_ended = "", True
    for place, tag in enumerate(tags):
        found = _TAG.fullmatch(tag)
        if found is None:
            has_ended = True
            continue
        prefix, kind = found[1] or found[3], found[2] or ""
        if has_ended or prefix in _BEGINS or kind != before:
            spans.append(EntitySpan(kind, place, place + 1))
        else:
            spans[-1] = spans[-1]._replace(stop=place + 1)
        before, has_ended = kind, prefix in _ENDS
    return spans


def check_entity_metrics(metrics: Sequence[str], labels: Sequence[str]) -> None:
    """Refuse scores that there are not.

    Raises:
        UserError: Names the first, or one of entities where no label is an entity's.
    """
    for name in metrics:
        if name not in ENTITY_METRICS:
            known = ", ".join(ENTITY_METRICS)
            raise must("data.metrics", f"be of {known}", name, "Leave it out for f1.")
        if name != "accuracy" and not any(map(is_entity_tag, labels)):
            rule = "be accuracy where no tag is an entity's (B-..., I-...)"
            raise must("data.metrics", rule, name, "Leave it out.")


def entity_scores(
    true: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]], *, metrics: Sequence[str]
) -> dict[str, float]:
    """Judge the tags of sentences.

    An entity is right if its type and both of its ends are. Where there is none to find and none
    was found, all of them are right.

    Args:
        true: Of each sentence, its tags.
        predicted: As many, as long.
        metrics: Names of scores: over all entities together; accuracy is that of words.

    Example:
        >>> entity_scores([["B-LOC", "O", "B-PER"]], [["B-LOC", "O", "O"]], metrics=["f1"])
        {'f1': 0.666667}
    """
    num_true = num_predicted = num_right = num_words = num_right_words = 0
    for here, there in zip(true, predicted, strict=True):
        spans, found = set(entity_spans(here)), set(entity_spans(there))
        num_true, num_predicted = num_true + len(spans), num_predicted + len(found)
        num_right += len(spans & found)
        num_words += len(here)
        num_right_words += sum(one == other for one, other in zip(here, there, strict=True))
    scores = {
        "f1": _share(2 * num_right, num_true + num_predicted),
        "precision": _share(num_right, num_predicted, otherwise=not num_true),
        "recall": _share(num_right, num_true, otherwise=not num_predicted),
        "accuracy": _share(num_right_words, num_words),
    }
    return {name: round(scores[name], 6) for name in metrics}


def _share(part: int, whole: int, *, otherwise: bool = True) -> float:
    return part / whole if whole else float(otherwise)
