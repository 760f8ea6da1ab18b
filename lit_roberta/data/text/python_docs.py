"""The documentation topics that ship inside every CPython: real English on every machine.

The text is plain-text output of reStructuredText. It differs between Python versions, so its
hash is recorded, and no figure is promised for it.
"""

from __future__ import annotations

import hashlib
import platform
import re

from lit_roberta.data.text.decoding import split_lines
from lit_roberta.errors import UserError

_BULLET = re.compile(r"^(?:[*+-]|\(?\w{1,2}[.)]|\[\d+\])\s+")
_PROSE_END = (".", "!", "?", ":", '."', ".)", '?"', ":)")
_CODE = re.compile(
    r"::=|>>>|^\s*(?:if|for|def|class|while|try|with|import|from|return)\b.*[:)]$", re.MULTILINE
)


def read_python_docs() -> tuple[list[str], str]:
    """Read the prose of the topics: no headings, code, grammar or tables, no paragraph twice.

    Returns:
        The text of each topic, paragraphs separated by blank lines; and a note: the Python
        version, the hash of the raw text, and how much of it was kept.

    Raises:
        UserError: If this Python was built without its documentation topics.
    """
    try:
        from pydoc_data.topics import topics  # half a megabyte, for those who ask
    except ImportError as error:
        raise UserError(
            "corpus must be there, got 'python-docs', which this Python was built without. "
            "Give another corpus."
        ) from error
    raw = "".join(f"{name}\n{topics[name]}\n" for name in sorted(topics))
    digest = hashlib.blake2b(raw.encode(), digest_size=8).hexdigest()
    seen: set[str] = set()
    texts = [text for name in sorted(topics) if (text := _prose(topics[name], seen))]
    kept = sum(map(len, texts))
    note = (
        f"python-docs of Python {platform.python_version()}, hash {digest}: "
        f"{kept / len(raw):.0%} of its text is prose said once, and was kept"
    )
    return texts, note


def _prose(text: str, seen: set[str]) -> str:
    """Keep the paragraphs that are sentences and that no earlier topic had."""
    paragraphs = []
    for block in re.split(r"\n\s*\n", "\n".join(split_lines(text))):
        paragraph = _BULLET.sub("", " ".join(block.split()))
        if _is_prose(block, paragraph) and paragraph not in seen:
            seen.add(paragraph)
            paragraphs.append(paragraph)
    return "\n\n".join(paragraphs)


def _is_prose(block: str, paragraph: str) -> bool:
    if not paragraph.endswith(_PROSE_END) or _CODE.search(block):
        return False
    letters = sum(character.isalpha() or character == " " for character in paragraph)
    return len(paragraph.split()) >= 4 and letters >= 0.8 * len(paragraph)
