"""Text in chunks at its spaces, each of which is encoded or counted once, however often it stands.

Most words of a text are repetitions. Where what a tokenizer does to a word does not depend on the
words around it, a table of the words that were seen does most of its work.

A chunk begins at a space that follows something else, and holds it: byte-level vocabularies tell
" word" from "word", and the others drop the space. A run of spaces stays whole, because their rule
for white space looks at all of it.
"""

from __future__ import annotations

import json
import re
from typing import Any

import tokenizers

_SPACE = re.compile(r"(?<=\S) ")

_LOCAL_NORMALIZERS = frozenset(
    {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer"}
)
_LOCAL_SPLITS = frozenset({"BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation"})
_LOCAL_MODELS = frozenset({"WordLevel", "WordPiece", "BPE"})


def split_chunks(sentence: str) -> list[str]:
    r"""Cut a sentence into chunks; together they are the sentence.

    Example:
        >>> split_chunks("A cat,  a dog")
        ['A', ' cat,', '  a', ' dog']
    """
    return _marked(sentence).split("\n")


def chunks_of(text: str) -> list[str]:
    r"""Cut sentences into chunks, each sentence followed by a newline.

    Example:
        >>> chunks_of("A cat\nsat\n")
        ['A', ' cat', 'sat']
    """
    return _marked(text).split("\n")[:-1]


def _marked(text: str) -> str:
    """Put a newline before each chunk but the first; sentences hold none."""
    if "  " in text:
        return _SPACE.sub("\n ", text)
    return text.replace(" ", "\n ")


def works_by_chunk(backend: tokenizers.Tokenizer) -> bool:
    """Tell whether a tokenizer gives a sentence the pieces of its chunks, one after the other.

    True of all that are trained here, and of BERT's and RoBERTa's own. False where a rule may look
    beyond a space, or is not known.
    """
    state = json.loads(backend.to_str())
    return (
        all(kind["type"] in _LOCAL_NORMALIZERS for kind in _steps(state["normalizer"]))
        and all(map(_splits_locally, _steps(state["pre_tokenizer"])))
        and any(map(_splits_at_spaces, _steps(state["pre_tokenizer"])))
        and state["model"]["type"] in _LOCAL_MODELS
        and not state["model"].get("dropout")
        and all(token["special"] for token in state["added_tokens"])
    )


def _steps(part: dict[str, Any] | None) -> list[dict[str, Any]]:
    if part is None:
        return []
    if part["type"] != "Sequence":
        return [part]
    return part.get("normalizers") or part.get("pretokenizers") or []


def _splits_at_spaces(step: dict[str, Any]) -> bool:
    return step["type"] in _LOCAL_SPLITS - {"Punctuation"} or step["type"] == "ByteLevel"


def _splits_locally(step: dict[str, Any]) -> bool:
    if step["type"] == "ByteLevel":
        return not step["add_prefix_space"] and bool(step["use_regex"])
    if step["type"] == "Split":
        # A class of characters, as for Chinese: what is around one does not matter.
        pattern = step["pattern"].get("Regex", "")
        return (
            step["behavior"] == "Isolated" and re.fullmatch(r"\[[^\[\]]*\]", pattern) is not None
        )
    return step["type"] in _LOCAL_SPLITS
