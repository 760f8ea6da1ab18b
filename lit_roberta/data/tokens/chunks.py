"""Text in chunks at its spaces, each of which is encoded or counted once, however often it stands.

Most words of a text are repetitions. Where what a tokenizer does to a word does not depend on the
words around it, a table of the words that were seen does most of its work.

A chunk begins at a space that follows no other white space, and holds it: byte-level vocabularies
tell " word" from "word", and the others drop the space. A run of white space stays whole, because
their rule for it looks at all of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

import tokenizers

_BEGIN = re.compile(r"(?<=\S) ")
_IN_A_RUN = re.compile(r" (?<=\s\s)")
"""A space behind other white space."""

_LOCAL_NORMALIZERS = frozenset(
    {"NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents", "BertNormalizer"}
)
_DELETING_NORMALIZERS = frozenset({"StripAccents", "BertNormalizer"})
"""What can leave nothing of a word, so that the white space around it becomes one run."""
_LOCAL_SPLITS = frozenset({"BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation"})
_LOCAL_MODELS = frozenset({"WordLevel", "WordPiece", "BPE"})


def split_chunks(sentences: Sequence[str]) -> tuple[list[str], list[int]]:
    r"""Cut sentences into chunks; those of a sentence together are the sentence.

    Args:
        sentences: None holds a newline.

    Returns:
        All chunks in order, and how many each sentence has.

    Example:
        >>> split_chunks(["A cat,  a dog", "sat"])
        (['A', ' cat,', '  a', ' dog', 'sat'], [4, 1])
    """
    text = "".join([sentence + "\n" for sentence in sentences])
    if _IN_A_RUN.search(text):
        counts = [1 + len(_BEGIN.findall(sentence)) for sentence in sentences]
        marked = _BEGIN.sub("\n ", text)
    else:
        counts = [1 + sentence.count(" ") for sentence in sentences]
        marked = text.replace(" ", "\n ")
    return marked.split("\n")[:-1], counts


def works_by_chunk(backend: tokenizers.Tokenizer) -> bool:
    """Tell whether a tokenizer gives a sentence the pieces of its chunks, one after the other.

    True of all that are trained here, and of BERT's and RoBERTa's own. False where a rule may look
    beyond a space, or is not known.
    """
    state = json.loads(backend.to_str())
    normalizers = {step["type"] for step in steps_of(state["normalizer"])}
    splits = steps_of(state["pre_tokenizer"])
    keeps_white_space = any(step["type"] == "ByteLevel" for step in splits)
    return (
        normalizers <= _LOCAL_NORMALIZERS
        and not (keeps_white_space and normalizers & _DELETING_NORMALIZERS)
        and all(map(_splits_locally, splits))
        and any(map(_splits_at_spaces, splits))
        and state["model"]["type"] in _LOCAL_MODELS
        and not state["model"].get("dropout")
        and all(map(_is_matched_locally, state["added_tokens"]))
    )


def _is_matched_locally(token: dict[str, Any]) -> bool:
    """Tell whether an added token, if text can hold it, looks only at the letters around it."""
    strips = token["lstrip"] or token["rstrip"]
    is_word = token["single_word"] and not strips and token["content"].isalnum()
    return bool(token["special"] or is_word)


def steps_of(part: dict[str, Any] | None) -> list[dict[str, Any]]:
    """List what a part of a tokenizer does, one after the other, as the library writes it."""
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
