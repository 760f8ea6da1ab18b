"""A ready tokenizer with the words of a text that it lacks.

In: a tokenizer, and text. Out: one that has a token for each of the most frequent words that the
first cuts into pieces, numbered from its end on. All other text is encoded as before.

How a word is added depends on how the tokenizer spells:

- WordPiece takes the longest piece that fits, so a word in its vocabulary would also become the
  beginning of longer words. New words are added tokens that match whole words alone.
- Byte-level BPE has one word with a space in front and another without. An added token would
  leave that space behind, or lose it; so new words are entries of the vocabulary, and
  `ignore_merges` takes a word that is one whole, before any merge.
- A vocabulary of words just gets longer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import tokenizers

from lit_roberta.data.tokens.backend import mark_of_words
from lit_roberta.data.tokens.counting import count_words
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must

_ENTRIES = ("WordLevel", "BPE")
"""Models whose vocabulary gets longer."""
_SHOWN = 5
"""Words that a notice gives as examples."""


def extend(tokenizer: Tokenizer, sentences: Iterable[str], num_words: int) -> Tokenizer:
    """Add the most frequent words of a text that a tokenizer cuts into pieces or does not know.

    A word counts from two times on, and has a letter. The same text always gives the same words.

    Args:
        tokenizer: Stays as it is.
        sentences: The training part of a corpus, and nothing else; read once.
        num_words: How many to add; fewer where the text has no more.

    Raises:
        UserError: If words can't be added to this kind of tokenizer.
    """
    state = json.loads(tokenizer.to_json())
    backend = _backend(state)
    _require_known_kind(state["backend"])
    counts = count_words(sentences, backend, vocab_size=tokenizer.vocab_size + num_words)
    missing = _missing(counts, backend, tokenizer)[:num_words]
    for number, word in enumerate(missing, start=tokenizer.vocab_size):
        _add(state["backend"], word, number)
    if state["config"] is not None:
        state["config"]["extend"] = state["config"].get("extend", 0) + len(missing)
    extended = Tokenizer.from_json(json.dumps(state))
    extended.notices = [*tokenizer.notices, _notice(extended, missing, counts, num_words)]
    return extended


def is_extension(tokenizer: Tokenizer, base: Tokenizer) -> bool:
    """Tell whether a tokenizer is another one with words behind its last, or the same."""
    size = base.vocab_size
    parts = [json.loads(each.to_json()) for each in (tokenizer, base)]
    shortened, whole = (_without_words(part["backend"], size) for part in parts)
    return shortened == whole and parts[0]["special_tokens"] == parts[1]["special_tokens"]


def pieces_of_words(tokenizer: Tokenizer, base: Tokenizer) -> dict[int, list[int]]:
    """Give the pieces that stood for each word that a tokenizer has more than another.

    Args:
        tokenizer: An extension.
        base: What it is an extension of.

    Returns:
        By the id of each word, its ids in `base`.
    """
    backend = _backend(json.loads(base.to_json()))
    words = tokenizer.id_to_word[base.vocab_size :]
    return {
        number: _pieces(backend, word) for number, word in enumerate(words, start=base.vocab_size)
    }


def _backend(state: Mapping[str, Any]) -> tokenizers.Tokenizer:
    return tokenizers.Tokenizer.from_str(json.dumps(state["backend"]))


def _require_known_kind(backend: Mapping[str, Any]) -> None:
    """Refuse a tokenizer in which a whole word can't be told from a part of one."""
    model = backend["model"]
    affixes = ("continuing_subword_prefix", "end_of_word_suffix")
    spells_plainly = model["type"] != "BPE" or not any(model.get(affix) for affix in affixes)
    ready = tokenizers.Tokenizer.from_str(json.dumps(backend))
    splits_words = mark_of_words(ready) is None
    if model["type"] not in ("WordPiece", *_ENTRIES) or not (spells_plainly and splits_words):
        rule = "have a tokenizer of WordPiece, byte-level BPE or whole words"
        raise must("data.tokenizer.extend", rule, model["type"], "Leave it out.")
    if model["type"] == "WordPiece":
        splits = ready.pre_tokenizer
        if len(splits.pre_tokenize_str("a-b")) == 1:
            rule = "have a tokenizer that splits words at punctuation"
            raise must("data.tokenizer.extend", rule, "one that does not", "Leave it out.")


def _missing(
    counts: Mapping[str, int], backend: tokenizers.Tokenizer, tokenizer: Tokenizer
) -> list[str]:
    """List the words that are cut into pieces or unknown, by frequency, then by code points."""
    known, unknown = tokenizer.word_to_id, tokenizer.vocabulary.unk_id
    plain = isinstance(backend.model, tokenizers.models.WordPiece)
    found = []
    for word in sorted(counts, key=lambda word: (-counts[word], word)):
        if counts[word] < 2:
            break
        if word in known or not any(map(str.isalpha, word)):
            continue
        if plain and re.fullmatch(r"[^\W_]+", word) is None:
            continue  # an added token would not be told apart from what is around it
        pieces = _pieces(backend, word)
        if len(pieces) > 1 or pieces == [unknown]:
            found.append(word)
    return found


def _pieces(backend: tokenizers.Tokenizer, word: str) -> list[int]:
    return [token.id for token in backend.model.tokenize(word)]


def _add(backend: dict[str, Any], word: str, number: int) -> None:
    model = backend["model"]
    if model["type"] in _ENTRIES:
        model["vocab"][word] = number
        if model["type"] == "BPE":
            model["ignore_merges"] = True
        return
    whole_words = {"single_word": True, "lstrip": False, "rstrip": False, "normalized": True}
    backend["added_tokens"].append(
        {"id": number, "content": word, "special": False, **whole_words}
    )


def _without_words(backend: dict[str, Any], size: int) -> dict[str, Any]:
    """Give a tokenizer's state without what lies behind its first entries."""
    model = dict(backend["model"])
    model.pop("ignore_merges", None)
    if isinstance(model["vocab"], dict):
        model["vocab"] = {word: number for word, number in model["vocab"].items() if number < size}
    added = [token for token in backend["added_tokens"] if token["id"] < size]
    return {**backend, "model": model, "added_tokens": added}


def _notice(
    extended: Tokenizer, words: Sequence[str], counts: Mapping[str, int], asked: int
) -> str:
    """Say what was added."""
    if not words:
        return "no word was added to the vocabulary: the tokenizer has all that are seen twice"
    shown = ", ".join(
        f"{extended.decode([extended.word_to_id[word]]).strip()} ({counts[word]:,} times)"
        for word in words[:_SHOWN]
    )
    number = f"{len(words):,}" if len(words) == asked else f"{len(words):,} of {asked:,}"
    more = ", ..." if len(words) > _SHOWN else ""
    return (
        f"added to the vocabulary: {number} words of the training part that were cut into pieces, "
        f"the most frequent first: {shown}{more}"
    )
