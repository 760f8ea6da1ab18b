"""Text as Markdown shows it: what a person named with signs of Markdown's own stays as it is.

In: text. Out: the same with a backslash before what Markdown would take for markup. What means
nothing where it stands, such as the line in `batch_size`, is left alone, for whoever reads it in a
terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_MARKUP = re.compile(
    r"[\\`*~$<]"
    r"|&(?=#?\w+;)"  # an entity
    r"|(?<![^\W_])_|_(?![^\W_])"  # at the border of a word
    r"|\](?=[(\[:])"  # a link
)
_MARKUP_IN_BRACKETS = re.compile(rf"{_MARKUP.pattern}|[\[\]]")
_MARKED = re.compile(r"\*\*[\d.]+\*\*")
"""A number that a table of ours sets in bold."""


def plain(text: str) -> str:
    r"""Write text so that Markdown shows it as it is.

    Example:
        >>> print(plain("<b> at a*b_c_, [MASK] & [x](y)"))
        \<b> at a\*b_c\_, [MASK] & [x\](y)
    """
    return _MARKUP.sub(r"\\\g<0>", text)


def words_of_picture(text: str) -> str:
    """Write text so that it can stand between the brackets of a picture."""
    return _MARKUP_IN_BRACKETS.sub(r"\\\g<0>", text)


def row(cells: Iterable[object]) -> str:
    r"""Write a row of a table; nothing where there is no value.

    Example:
        >>> print(row(["a|b", None, "**4.00**"]))
        | a\|b |  | **4.00** |
    """
    return "| " + " | ".join(_cell("" if cell is None else str(cell)) for cell in cells) + " |"


def _cell(text: str) -> str:
    escaped = text if _MARKED.fullmatch(text) else plain(text)
    return escaped.replace("|", "\\|").replace("\n", " ")
