"""What is done to a tokenizer of the library, whoever trained it, before text is given to it.

In: a tokenizer of the `tokenizers` library. Out: one that takes text for text, what packing and
masking have to know of it, and files that others read.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from itertools import accumulate, pairwise
from pathlib import Path

import tokenizers

from lit_roberta.data.tokens.chunks import steps_of
from lit_roberta.data.tokens.loading import SpecialTokens
from lit_roberta.data.tokens.vocabulary import Vocabulary

_SPLITS = {
    "BertPreTokenizer": "",
    "ByteLevel": "use_regex",
    "CharDelimiterSplit": "",
    "Metaspace": "split",
    "Split": "",
    "Whitespace": "",
    "WhitespaceSplit": "",
}
"""What splits a text into words, and the setting without which it does not."""


def hardened(backend: tokenizers.Tokenizer, special_tokens: SpecialTokens) -> tokenizers.Tokenizer:
    """Make control tokens unreachable from text, and leave padding and cutting to the formats."""
    state = json.loads(backend.to_str())
    for token in state["added_tokens"]:
        token["special"] |= token["content"] in asdict(special_tokens).values()
    backend = tokenizers.Tokenizer.from_str(json.dumps(state))
    backend.encode_special_tokens = True  # text that reads like a special token is encoded as text
    backend.no_padding()
    backend.no_truncation()
    return backend


def describe(
    backend: tokenizers.Tokenizer, special_tokens: SpecialTokens, id_to_word: Sequence[str]
) -> Vocabulary:
    """Tell size and special ids.

    Args:
        backend: The tokenizer.
        special_tokens: What its control tokens are called.
        id_to_word: How each id is spelled; "" where there is no such token.
    """
    vocabulary = backend.get_vocab()
    ids = {name: vocabulary[token] for name, token in _named(special_tokens).items()}
    added = backend.get_added_tokens_decoder()
    control = {*ids.values(), *(number for number, token in added.items() if token.special)}
    # An id that no token has must not be drawn as a random replacement either.
    control |= {number for number, word in enumerate(id_to_word) if not word}
    return Vocabulary(
        size=len(id_to_word),
        pad_id=ids["pad_token"],
        unk_id=ids.get("unk_token") if _has_unknowns(backend) else None,
        cls_id=ids["cls_token"],
        sep_id=ids["sep_token"],
        mask_id=ids["mask_token"],
        special_ids=frozenset(control),
    )


def mark_of_words(backend: tokenizers.Tokenizer) -> str | None:
    """Tell what pieces begin with where a word does, if sentences are not split before.

    Sentencepiece and some byte-level vocabularies cut whole sentences, to which the library gives
    one number, as if they were words.

    Args:
        backend: The tokenizer.

    Returns:
        None where the library numbers words itself.
    """
    splits = backend.pre_tokenizer
    steps = [] if splits is None else steps_of(json.loads(splits.__getstate__()))
    if any(step["type"] in _SPLITS and step.get(_SPLITS[step["type"]], True) for step in steps):
        return None
    is_bytelevel = any(step["type"] == "ByteLevel" for step in steps)
    return "\u0120" if is_bytelevel else "\u2581"


def number_words(encoding: tokenizers.Encoding, mark: str | None) -> list[int | None]:
    """Say which word each piece is of.

    Args:
        encoding: The pieces.
        mark: As `mark_of_words` gives it.
    """
    words: list[int | None] = encoding.word_ids
    if mark is None or not words:
        return words
    starts = [
        piece[:1] == mark or (last[-1:] == mark and last != mark)
        for last, piece in pairwise(encoding.tokens)
    ]
    return list(accumulate(starts, initial=0))


def save_for_others(
    backend: tokenizers.Tokenizer, special_tokens: SpecialTokens, folder: Path
) -> None:
    """Write what Hugging Face's `AutoTokenizer` reads into a new folder."""
    folder.mkdir(parents=True)
    backend.save(str(folder / "tokenizer.json"))
    settings = _named(special_tokens) | {"tokenizer_class": "PreTrainedTokenizerFast"}
    text = json.dumps(settings, indent=1, ensure_ascii=False)
    (folder / "tokenizer_config.json").write_text(text + "\n", encoding="utf-8")


def _named(special_tokens: SpecialTokens) -> dict[str, str]:
    return {name: token for name, token in asdict(special_tokens).items() if token}


def _has_unknowns(backend: tokenizers.Tokenizer) -> bool:
    """Tell whether text can be unknown; byte-level BPE may name that, and never use it."""
    model = backend.model
    return not isinstance(model, tokenizers.models.BPE) or model.unk_token is not None
