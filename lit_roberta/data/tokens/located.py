"""Tokens and the characters of the text that they stand for; control tokens said in ordinary ones.

In: what the library made of a text. Out: ids with places. Nothing here knows a vocabulary's kind.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import tokenizers


class Located(NamedTuple):
    """A token of a text."""

    token_id: int
    start: int
    """Characters of the text before what it stands for."""
    stop: int
    """Characters of the text up to its end. A byte-level vocabulary counts the space before a
    word in, and may have several tokens for one character."""


def locate(
    encoding: tokenizers.Encoding, in_ordinary: Callable[[int], list[int]]
) -> list[Located]:
    """Give the tokens of an encoding with their places.

    Args:
        encoding: Of one text.
        in_ordinary: Gives the ordinary tokens for an id: itself, but for control tokens.
    """
    pairs = zip(encoding.ids, encoding.offsets, strict=True)
    return [
        Located(piece, start, stop)
        for number, (start, stop) in pairs
        for piece in in_ordinary(number)
    ]


def in_ordinary_tokens(
    name: str, backend: tokenizers.Tokenizer, *, unk_id: int | None
) -> list[int]:
    """Say a control token's name in ordinary tokens: as unknown, else character by character.

    Args:
        name: As it stands in a text, where it is text like any other.
        backend: Encodes a character.
        unk_id: Of the unknown token; None for a vocabulary that knows everything.
    """
    if unk_id is not None:
        return [unk_id]
    encodings = backend.encode_batch(list(name), add_special_tokens=False)
    return [number for encoding in encodings for number in encoding.ids]
