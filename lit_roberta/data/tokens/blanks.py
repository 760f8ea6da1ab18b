"""Text around blanks: it becomes the ids that it has around a word of the text.

In: the parts of a text between its blanks. Out: the ids of each part. A byte-level vocabulary
writes a space into the word behind it, so that the space before a blank belongs to what stood in
it, and the space behind one to the word behind it. A blank without a space is a word of its own
all the same, as a comma is.

Each part is encoded with a word in place of each blank beside it, and what that word became is
taken off again: what a tokenizer does at the beginning of a text, and to a run of white space, it
does then here, too, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import tokenizers

_LETTER, _MARK = "a", ","
"""What stands for a blank: a letter, or next to letters and digits a mark, so that the two are
words of their own."""


def encode_parts(backend: tokenizers.Tokenizer, parts: Sequence[str]) -> list[list[int]]:
    """Encode the parts of a text.

    Args:
        backend: Of the `tokenizers` library; text that reads like a control token is text to it.
        parts: One more than there are blanks; any may be empty.
    """
    last = len(parts) - 1
    return [
        _encode(backend, part, behind_blank=number > 0, before_blank=number < last)
        for number, part in enumerate(parts)
    ]


def _encode(
    backend: tokenizers.Tokenizer, part: str, *, behind_blank: bool, before_blank: bool
) -> list[int]:
    if not part:
        return []
    fronts = _stand_ins(part[0]) if behind_blank else ("",)
    backs = _stand_ins(part[-1]) if before_blank else ("",)
    for front, back in product(fronts, backs):
        whole = backend.encode(front + part + back, add_special_tokens=False)
        for by_word in (True, False):
            kept = _without(whole, front, part, back, by_word=by_word)
            if kept is not None:
                return list(whole.ids[kept])
    alone = part.removesuffix(" ") if before_blank else part
    return list(backend.encode(alone, add_special_tokens=False).ids)


def _stand_ins(neighbour: str) -> tuple[str, str]:
    """Give the stand-ins for a blank next to a character, the better one first."""
    return (_MARK, _LETTER) if neighbour.isalnum() else (_LETTER, _MARK)


def _without(
    whole: tokenizers.Encoding, front: str, part: str, back: str, *, by_word: bool
) -> slice | None:
    """Tell which tokens are the part's own.

    Args:
        whole: The part between its stand-ins.
        front: What stands before the part.
        part: The part.
        back: What stands behind it.
        by_word: Whether a stand-in must be a whole word, or may be tokens of one.

    Returns:
        None where a token, or a word, is of both.
    """
    offsets, units = whole.offsets, whole.word_ids if by_word else range(len(whole))
    end = len(front) + len(part)
    start, stop = 0, len(offsets)
    if front:
        inside = [unit for unit, (begin, _) in zip(units, offsets, strict=True) if begin < 1]
        while start < stop and units[start] in inside:
            start += 1
    if back:
        inside = [unit for unit, (_, till) in zip(units, offsets, strict=True) if till > end]
        while stop > start and units[stop - 1] in inside:
            stop -= 1
    before, behind = offsets[:start], offsets[stop:]
    end -= part[-1].isspace()  # that space may be the blank's own
    torn = any(till > len(front) for _, till in before) or any(begin < end for begin, _ in behind)
    return None if torn else slice(start, stop)
