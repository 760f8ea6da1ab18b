"""Texts to rows of ids: what can't be encoded is refused, what is too long is cut and counted."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from lit_roberta.counted import counted
from lit_roberta.errors import UserError, must
from lit_roberta.inference.text_model import TextModel

logger = logging.getLogger(__name__)

OnTooLong = Literal["truncate", "error"]
"""What is done with a text that has more tokens than the model takes."""


def check_texts(texts: Sequence[str]) -> None:
    """Refuse what is no list of texts.

    Raises:
        TypeError: If one text is given in place of a list of them.
        UserError: If a text has half a surrogate pair in it, which is no character.
    """
    if isinstance(texts, str):
        raise TypeError("texts must be a list of texts, got one text.")
    for number, text in enumerate(texts, start=1):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            half = f"\\u{ord(text[error.start]):04x}"
            raise must(
                f"text {number}",
                "be text in UTF-8",
                half,
                "It stands for no character: repair it.",
            ) from error


class Lengths:
    """What was too long, to be said once.

    Args:
        room: The most tokens of a text.
        on_too_long: Whether a longer one is cut, or an error.
        bound: Whose bound that is, as the end of a sentence.

    Raises:
        UserError: If that is another word.
    """

    def __init__(
        self, room: int, on_too_long: OnTooLong, *, bound: str = "that the model takes"
    ) -> None:
        if on_too_long not in ("truncate", "error"):
            raise UserError(f"on_too_long must be truncate or error, got {on_too_long!r}.")
        self.room = room
        self._on_too_long = on_too_long
        self._bound = bound
        self.seen = 0
        self.cut = 0

    def fits(self, text: str, length: int) -> bool:
        """Count a text; tell whether all of it fits.

        Raises:
            UserError: If it does not, and is not to be cut.
        """
        self.seen += 1
        if length <= self.room:
            return True
        if self._on_too_long == "error":
            rule = f"have at most {self.room:,} tokens"
            remedy = f"It begins {text[:40]!r}. --on-too-long truncate cuts it."
            raise must(f"text {self.seen:,}", rule, length, remedy)
        self.cut += 1
        return False

    def report(self) -> None:
        """Say how many were cut, if any."""
        if self.cut:
            are, were = ("are", "were") if self.cut > 1 else ("is", "was")
            logger.info(
                "%s of %s %s longer than the %s tokens %s, and %s cut.",
                f"{self.cut:,}",
                counted(self.seen, "text"),
                are,
                f"{self.room:,}",
                self._bound,
                were,
            )


class Row(NamedTuple):
    """A text as the model reads it."""

    ids: list[int]
    """[CLS] and [SEP] included."""
    word_starts: list[bool]
    """Whether a word starts at each id; [CLS] and [SEP] are words."""


def rows_of(model: TextModel, texts: Sequence[str], lengths: Lengths) -> list[Row]:
    """Turn texts into rows of ids, cut to what the model has room for.

    Args:
        model: The model.
        texts: Any text; an empty one is a row of two.
        lengths: Counts what is cut.

    Raises:
        UserError: If one can't be encoded, or is too long and is not to be cut.
    """
    check_texts(texts)
    encoded = model.tokenizer.encode_sentences(texts)
    ends = np.cumsum(encoded.lengths)
    rows = []
    for text, end, length in zip(texts, ends.tolist(), encoded.lengths.tolist(), strict=True):
        kept = length if lengths.fits(text, length) else lengths.room
        own = slice(end - length, end - length + kept)
        starts = [True, *encoded.word_starts[own].tolist(), True]
        rows.append(Row(model.row(encoded.tokens[own].tolist()), starts))
    return rows
