"""Text with masks, and text with words put into them.

The tokenizer's own mask token is a mask wherever it stands. `[MASK]` and `<mask>` are masks, too,
in a text that does not have the tokenizer's own: people know them from other models. Where it has,
they are what they always are in text, which is characters. All other control tokens are text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must

COMMON_MASKS = ("[MASK]", "<mask>")

_CONTEXT = 4
"""Tokens before a word that are read to tell how it is written there."""


class MaskedText(NamedTuple):
    """A text with masks."""

    parts: list[str]
    """What stands between the masks: one more than there are masks; any may be empty."""
    masks: list[str]
    """How each mask was written."""

    @classmethod
    def read(cls, text: str, tokenizer: Tokenizer) -> MaskedText:
        """Find the masks of a text.

        Raises:
            UserError: If there is none.
        """
        own = tokenizer.special_tokens.mask_token
        spellings = (own,) if own in text else COMMON_MASKS
        pieces = re.split(f"({'|'.join(map(re.escape, spellings))})", text)
        if len(pieces) == 1:
            remedy = f"Write {own} where a word is to be guessed."
            raise must("the text", "have a mask", text[:60], remedy)
        return cls(pieces[::2], pieces[1::2])


class Sentence:
    """A text with masks, as ids and as text to put words into.

    Args:
        text: The text.
        tokenizer: The model's.

    Raises:
        UserError: If the text has no mask.
    """

    def __init__(self, text: str, tokenizer: Tokenizer) -> None:
        self.text = text
        self.masked = MaskedText.read(text, tokenizer)
        self.ids = tokenizer.encode_around_masks(self.masked.parts)
        mask_id = tokenizer.vocabulary.mask_id
        self.places = [place for place, token in enumerate(self.ids) if token == mask_id]
        """Where the masks stand among the ids."""
        self._tokenizer = tokenizer
        # Whether a token holds the space before it, and whatever space there is, is a token.
        self._keeps_spaces = "  " in tokenizer.decode(tokenizer.encode("a  a"))

    def filled(self, words: Sequence[int | None]) -> str:
        """Write the text with a token in place of each mask.

        In a byte-level vocabulary the token says if there is a space before it. Elsewhere the
        user's spaces stay, but a token that is part of a word joins it, a closing mark stands
        close, and words do not run together.

        Args:
            words: A token for each mask; None where the mask stays.
        """
        parts, masks = self.masked
        ids, text = list(self.ids), ""
        for number, word in enumerate(words):
            text = self._behind(text, parts[number])
            if word is None:
                text += masks[number]
                continue
            piece = self.written(ids, number, word)
            if self._keeps_spaces:
                # The space before a mask is its own, and the token says if there is one.
                text = text.removesuffix(" ") if parts[number].endswith(" ") else text
                text += piece if text or parts[number] else piece.removeprefix(" ")
            elif piece.startswith(" ") or not self.places[number]:
                text = self._behind(text, piece.removeprefix(" "))
            else:
                text = text.rstrip(" ") + piece
            ids[self.places[number]] = word
        return self._behind(text, parts[-1])

    def written(self, ids: Sequence[int], number: int, word: int) -> str:
        """Write a token as it stands behind the ids before a mask, with the space before it."""
        place = self.places[number]
        before = ids[max(0, place - _CONTEXT) : place]
        whole = self._tokenizer.decode([*before, word])
        start = self._tokenizer.decode(before)
        return whole[len(start) :] if whole.startswith(start) else self._tokenizer.decode([word])

    def _behind(self, text: str, more: str) -> str:
        """Put a text behind another, words apart; byte-level tokens say that for themselves."""
        runs_together = not self._keeps_spaces and _is_spaced(text[-1:]) and _is_spaced(more[:1])
        return f"{text} {more}" if runs_together else text + more


def _is_spaced(character: str) -> bool:
    """Tell whether words that end or begin with a character have spaces between them."""
    return character.isalnum() and unicodedata.east_asian_width(character) not in ("W", "F")
