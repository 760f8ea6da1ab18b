"""Answers beside the right ones, as SQuAD judges them: exact match, and F1 over words.

All scores are shares from 0 to 1, as everywhere in this package; SQuAD's tables have percent.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from lit_roberta.errors import must

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


class JudgedAnswer(NamedTuple):
    """What was said of a question, and what is right."""

    text: str
    """Empty for no answer."""
    right: tuple[str, ...]
    """All that count as right; none where there is no answer."""
    best: str = ""
    """The best answer, whether or not it was given."""
    null_margin: float = 0.0
    """How far the score of no answer lies above that of the best answer."""


def normalized(text: str) -> str:
    """Take off what is not judged: case, ASCII's punctuation, English articles, spaces.

    Source: Rajpurkar et al. 2016, section 6.1, and SQuAD's scripts.

    Example:
        >>> normalized("The  Cat's (own) hat.")
        'cats own hat'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(text: str, right: str) -> float:
    """Tell whether two answers are the same but for what is not judged."""
    return float(normalized(text) == normalized(right))


def word_f1(text: str, right: str) -> float:
    """Compute the F1 of the words of an answer. No answer is right beside no answer only.

    Example:
        >>> word_f1("the old red ship", "red ship"), word_f1("", "tea"), word_f1("", "the")
        (0.8, 0.0, 1.0)
    """
    words, right_words = normalized(text).split(), normalized(right).split()
    if not words or not right_words:
        return float(words == right_words)
    shared = sum((Counter(words) & Counter(right_words)).values())
    return 2 * shared / (len(words) + len(right_words))


def answer_scores(answers: Sequence[JudgedAnswer], *, metrics: Sequence[str]) -> dict[str, float]:
    """Judge answers.

    Args:
        answers: At least one.
        metrics: Names of scores.

    Example:
        >>> answers = [JudgedAnswer("tea", ("tea", "a tea")), JudgedAnswer("old tea", ("tea",))]
        >>> answer_scores(answers, metrics=["f1", "exact_match"])
        {'f1': 0.833333, 'exact_match': 0.5}
    """
    return {name: round(_METRICS[name](answers), 6) for name in metrics}


def check_answer_metrics(metrics: Sequence[str]) -> None:
    """Refuse scores that there are not, and one to decide by that is none.

    Raises:
        UserError: Names the first.
    """
    if list(metrics[:1]) == [_THRESHOLD]:
        remedy = "A threshold is neither good nor bad."
        raise must("data.metrics", "begin with a score", _THRESHOLD, remedy)
    for name in metrics:
        if name not in _METRICS:
            known = ", ".join(_METRICS)
            raise must("data.metrics", f"be of {known}", name, "Leave it out for f1.")


def best_threshold(answers: Sequence[JudgedAnswer]) -> tuple[float, float]:
    """Find how far no answer has to lie above the best answer to be given.

    Args:
        answers: At least one.

    Returns:
        The highest F1 that a threshold gives, and the lowest such threshold; 0 where none is
        better than never to answer.

    Source: SQuAD 2.0's script, which adds one question after the other, by margin.
    """
    score = best = float(sum(not answer.right for answer in answers))
    threshold = 0.0
    for answer in sorted(answers, key=lambda each: each.null_margin):
        if answer.right:
            score += _best_of(word_f1, answer.best, answer)
        elif answer.best:
            score -= 1
        if score > best:
            best, threshold = score, answer.null_margin
    return best / len(answers), threshold


def _best_of(score: Callable[[str, str], float], text: str, answer: JudgedAnswer) -> float:
    """Take the right answer nearest to a text; no answer is right beside no answer only.

    What is nothing once it is normalized, such as "A", is no right answer beside others, and alone
    counts as none, though its question is one that has an answer: so has it SQuAD 2.0's script.
    """
    right_ones = [right for right in answer.right if normalized(right)] or [""]
    return max(score(text, right) for right in right_ones)


def _mean(score: Callable[[str, str], float], answers: Sequence[JudgedAnswer]) -> float:
    return fmean(_best_of(score, each.text, each) for each in answers) if answers else 0.0


def _with_answer(answers: Sequence[JudgedAnswer]) -> list[JudgedAnswer]:
    return [answer for answer in answers if answer.right]


def _without_answer(answers: Sequence[JudgedAnswer]) -> list[JudgedAnswer]:
    return [answer for answer in answers if not answer.right]


_THRESHOLD = "best_f1_threshold"
_METRICS: Mapping[str, Callable[[Sequence[JudgedAnswer]], float]] = {
    "f1": lambda answers: _mean(word_f1, answers),
    "exact_match": lambda answers: _mean(exact_match, answers),
    "best_f1": lambda answers: best_threshold(answers)[0],
    _THRESHOLD: lambda answers: best_threshold(answers)[1],
    "has_answer_f1": lambda answers: _mean(word_f1, _with_answer(answers)),
    "no_answer_f1": lambda answers: _mean(word_f1, _without_answer(answers)),
}
