"""A question and its text as rows: where the text is too long for one, windows of it overlap.

In: a question, a context and its answers. Out: items whose rows hold a part of the context each,
and what leads from their places back to its characters. It does not know what a model says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import category

import numpy as np
from jaxtyping import Int64

from lit_roberta.batch import IGNORE_INDEX
from lit_roberta.data.tokens.located import Located
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.finetuning.examples import Answer, QuestionExample
from lit_roberta.finetuning.items import Item, Layout

NO_ANSWER = 0
"""The place of a row that stands for no answer: that of [CLS]."""

_AT_ONCE = 256
"""Texts that are encoded at once: their tokens are Python objects for a moment."""


class Window(NamedTuple):
    """The context tokens of a row, and the characters that they stand for."""

    context: str
    """All of it."""
    first: int
    """The place of the first of these tokens in the row; the others follow it."""
    starts: Int64[np.ndarray, " tokens"]
    """Characters before each token, without the space that it may begin with. A token that is
    nothing but space starts where the text goes on."""
    stops: Int64[np.ndarray, " tokens"]
    """Characters up to its end; of nothing but space, up to where the text stopped."""
    answered: bool | None = None
    """Whether the context has an answer, be it in this window or not. None: unknown."""


class LocatedText(NamedTuple):
    """The tokens of a whole text."""

    ids: list[int]
    starts: Int64[np.ndarray, " tokens"]
    stops: Int64[np.ndarray, " tokens"]


@dataclass(frozen=True, kw_only=True)
class Windows:
    """How a context is cut into windows.

    Args:
        overlap: Tokens that a window shares with the one before it; half a window at the most,
            so that windows come to an end.
        longest_question: Tokens that a longer question is cut to; half a row at the most.
    """

    overlap: int
    longest_question: int

    def items(self, examples: Sequence[QuestionExample], layout: Layout) -> list[Item]:
        """Lay out questions with their contexts, the windows of one side by side."""
        stripped = [example.question.strip() for example in examples]
        questions = locate_all(stripped, layout.tokenizer)
        contexts = locate_all((example.context for example in examples), layout.tokenizer)
        items: list[Item] = []
        for number, (example, question) in enumerate(zip(examples, stripped, strict=True)):
            ids = questions[question].ids[: self.question_room(layout)]
            items += self._of_example(example, number, ids, contexts[example.context], layout)
        return items

    def question_room(self, layout: Layout) -> int:
        """Give the tokens that a question may have."""
        return min(self.longest_question, (layout.max_length - layout.num_control(pair=True)) // 2)

    def _of_example(
        self,
        example: QuestionExample,
        number: int,
        question: list[int],
        context: LocatedText,
        layout: Layout,
    ) -> list[Item]:
        control = layout.num_control(pair=True)
        first = len(question) + control - 1  # the last control token stands behind the context
        room = layout.max_length - control - len(question)
        answers = None
        if example.answers is not None:
            answers = [tokens_of_answer(answer, context) for answer in example.answers]
        answered = None if example.answers is None else bool(example.answers)
        items = []
        for begin in window_begins(len(context.ids), room=room, overlap=self.overlap):
            part = slice(begin, begin + room)
            window = Window(
                example.context, first, context.starts[part], context.stops[part], answered
            )
            labels = label_window(answers, begin, window)
            items.append(
                Item((layout.row(question, context.ids[part]),), labels, number, spans=window)
            )
        return items


def window_begins(num_tokens: int, *, room: int, overlap: int) -> range:
    """Say where windows begin: each token is in one, and so is each run of `overlap` + 1 tokens.

    Args:
        num_tokens: Of the text.
        room: Tokens of a window, 1 or more.
        overlap: Tokens that a window shares with the one before; half of `room` at the most.

    Example:
        >>> list(window_begins(10, room=4, overlap=1)), list(window_begins(4, room=4, overlap=1))
        ([0, 3, 6], [0])
    """
    step = room - min(overlap, room // 2)
    return range(0, max(num_tokens - room, 0) + step, step)


def label_window(
    answers: Sequence[range] | None, begin: int, window: Window
) -> Int64[np.ndarray, " ends"]:
    """Give the places of a row at which the answer starts and ends.

    Args:
        answers: Their tokens in the whole context; the first that the window holds is learned.
        begin: Tokens of the context before the window.
        window: Of the row.

    Returns:
        Both places NO_ANSWER where no answer is in it in whole, IGNORE_INDEX where none is known.
    """
    if answers is None:
        return np.full(2, IGNORE_INDEX)
    for tokens in answers:
        if tokens and begin <= tokens[0] and tokens[-1] < begin + len(window.starts):
            return np.array([tokens[0], tokens[-1]]) - begin + window.first
    return np.full(2, NO_ANSWER)


def tokens_of_answer(answer: Answer, context: LocatedText) -> range:
    """Find the tokens that an answer has a part in; none where the vocabulary drops all of it."""
    text = answer.text.strip()
    start = answer.start + len(answer.text) - len(answer.text.lstrip())
    begin = int(np.searchsorted(context.stops, start, side="right"))
    end = int(np.searchsorted(context.starts, start + len(text), side="left"))
    return range(begin, end)


def locate_all(texts: Iterable[str], tokenizer: Tokenizer) -> dict[str, LocatedText]:
    """Encode texts, each of equal ones once, with the characters of their tokens."""
    found: dict[str, LocatedText] = {}
    different = list(dict.fromkeys(texts))
    for begin in range(0, len(different), _AT_ONCE):
        some = different[begin : begin + _AT_ONCE]
        for text, located in zip(some, tokenizer.encode_located(some), strict=True):
            found[text] = _trim(text, located)
    return found


def _trim(text: str, located: Sequence[Located]) -> LocatedText:
    """Take the space off tokens: a byte-level vocabulary counts it in, an answer does not.

    And give their last letter whole, with its marks: so it is in an answer.
    """
    is_text = np.array([not letter.isspace() for letter in text], dtype=bool)
    places = np.arange(len(text) + 1)
    # from each place, where text is next; and up to each place, where it was last
    after = np.where(np.append(is_text, True), places, len(text))
    after = np.minimum.accumulate(after[::-1])[::-1]
    before = np.maximum.accumulate(np.where(np.append(True, is_text), places, 0))
    starts = np.array([token.start for token in located], dtype=np.int64)
    stops = np.array([token.stop for token in located], dtype=np.int64)
    behind = _behind_marks(text, starts, stops)
    starts, stops = after[starts], behind[before[stops]]
    # in the order of the text, which a search by halves relies on
    starts, stops = np.maximum.accumulate(starts), np.maximum.accumulate(stops)
    return LocatedText([token.token_id for token in located], starts, stops)


def _behind_marks(
    text: str, starts: Int64[np.ndarray, " tokens"], stops: Int64[np.ndarray, " tokens"]
) -> Int64[np.ndarray, " places"]:
    """Say of each place where the letter that ends there ends with what belongs to it.

    What normalization puts into a letter, or takes off it, is in no token's characters.
    """
    places = np.arange(len(text) + 1)
    if text.isascii():
        return places
    change = np.bincount(starts, minlength=len(text) + 1) - np.bincount(
        stops, minlength=len(text) + 1
    )
    is_part = np.array([_goes_on(letter) for letter in text], dtype=bool)
    is_loose = is_part & (np.cumsum(change)[:-1] == 0)
    found = np.where(np.append(is_loose, False), len(text), places)
    return np.minimum.accumulate(found[::-1])[::-1]


def _goes_on(letter: str) -> bool:
    """Tell what belongs to the letter before it: marks, vowels and ends of Korean syllables."""
    return (
        category(letter)[0] == "M"
        or "\u1160" <= letter <= "\u11ff"
        or "\ud7b0" <= letter <= "\ud7fb"
    )
