"""How much text there is, in words, before any tokenizer has seen it."""

from __future__ import annotations

import re

# Scripts that put no spaces between words: Thai, Lao, Tibetan, Myanmar, Khmer, kana, Han.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)
"""One character of a script that is written without spaces."""


def count_words(text: str) -> int:
    """Count whitespace words; where a script has no spaces, each character counts as one.

    Example:
        >>> count_words("A man, a plan."), count_words("\u4f60\u597d\u3002")
        (4, 3)
    """
    words = len(text.split())
    return words if text.isascii() else words + len(UNSPACED.findall(text))
