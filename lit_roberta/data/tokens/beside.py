"""What lies beside the vocabulary of a ready tokenizer, and changes what it does.

In: a folder. Out: settings, and words that were added to the vocabulary later. What asks for
another kind of tokenizer than the vocabulary's is refused by name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Tokenizer

from lit_roberta.errors import must

Settings = Mapping[str, Any]

_FILES = ("special_tokens_map.json", "tokenizer_config.json")
"""A later one is right where two say something else."""
_ADDED = "added_tokens.json"
_SENTENCEPIECE = ("sentencepiece.bpe.model", "spiece.model", "tokenizer.model")
_ANY_KIND = {"", "PreTrained", "TokenizersBackend"}
_KINDS: Mapping[str, set[str]] = {
    "vocab.txt": {
        "Bert",
        "ConvBert",
        "DPRContextEncoder",
        "DPRQuestionEncoder",
        "DPRReader",
        "DistilBert",
        "Electra",
        "LayoutLM",
        "Lxmert",
        "MPNet",
        "MobileBert",
        "Splinter",
        "SqueezeBert",
    },
    "vocab.json": {
        "Bart",
        "Blenderbot",
        "Deberta",
        "GPT2",
        "LED",
        "Longformer",
        "Mvp",
        "Roberta",
    },
}
"""Whose tokenizers read such a vocabulary as BERT's, or RoBERTa's, does."""
_FLAGS = ("single_word", "lstrip", "rstrip", "normalized", "special")
_ONLY: Settings = {
    "do_basic_tokenize": True,
    "do_subword_tokenize": True,
    "never_split": None,
    "subword_tokenizer_type": "wordpiece",
    "word_tokenizer_type": "basic",
}
"""What a setting must be, if it is there."""


def read_settings(folder: Path, path: str) -> dict[str, Any]:
    """Read what lies beside a vocabulary: names of control tokens, lower-casing, added words.

    Raises:
        UserError: If a file holds something else than an object.
    """
    settings: dict[str, Any] = {}
    for name in _FILES:
        settings |= _read_object(folder / name, path)
    settings[_ADDED] = _read_object(folder / _ADDED, path)
    return settings


def refuse_other_kinds(vocabulary: Path, settings: Settings) -> None:
    """Refuse what makes another tokenizer of a vocabulary than its name says.

    Args:
        vocabulary: A `vocab.txt` or a `vocab.json`.
        settings: What lies beside it.

    Raises:
        UserError: Names the setting.
    """
    remedy = f"{vocabulary.name} does not say what that does: take its tokenizer.json."
    name = settings.get("tokenizer_class") or ""
    known = _KINDS[vocabulary.name] | _ANY_KIND
    if not isinstance(name, str) or _stem(name) not in known:
        rule = f"be one that reads {vocabulary.name}"
        raise must("tokenizer_class", f"{rule} alone", name, remedy)
    for setting, wanted in _ONLY.items():
        value = settings.get(setting)
        if value not in (wanted, None, []):
            raise must(setting, f"be {wanted!r} for {vocabulary.name}", value, remedy)
    if (vocabulary.parent / "bpe.codes").is_file():
        rule = "have no bpe.codes beside it"
        raise must(vocabulary.name, rule, str(vocabulary.parent), remedy)


def refuse_sentencepiece(folder: Path) -> None:
    """Refuse a folder that has no other vocabulary than sentencepiece's.

    Raises:
        UserError: Says how to make a file that can be read.
    """
    for name in _SENTENCEPIECE:
        if (folder / name).is_file():
            remedy = (
                "Make it from sentencepiece's file, where transformers is installed: "
                "AutoTokenizer.from_pretrained(folder).save_pretrained(folder)."
            )
            raise must("data.tokenizer.path", "hold tokenizer.json", str(folder / name), remedy)


def is_of_bert(settings: Settings) -> bool:
    """Tell whether transformers takes the settings for right where tokenizer.json differs."""
    name = settings.get("tokenizer_class")
    return isinstance(name, str) and _stem(name) in _KINDS["vocab.txt"]


def add_tokens(backend: Tokenizer, settings: Settings, path: str) -> None:
    """Add the words that were added to a vocabulary after it was made.

    Args:
        backend: The tokenizer, which is changed.
        settings: What lies beside the vocabulary.
        path: What the user called it.

    Raises:
        UserError: If one would have another id than the model has for it.
    """
    known = {token.content for token in backend.get_added_tokens_decoder().values()}
    for number, token in sorted(_added(settings, path).items()):
        if token.content not in known:
            add = backend.add_special_tokens if token.special else backend.add_tokens
            add([token])
        if backend.token_to_id(token.content) != number:
            rule = f"give the added word {token.content!r} the id {number}"
            got = backend.token_to_id(token.content)
            raise must("data.tokenizer.path", rule, got, f"A word before it is missing: {path}.")


def _added(settings: Settings, path: str) -> dict[int, AddedToken]:
    """Read the added words, as older and newer versions write them."""
    special = _special_names(settings)
    found: dict[int, AddedToken] = {}
    for content, number in settings[_ADDED].items():
        if not isinstance(number, int):
            raise must(_ADDED, f"give {content!r} an id", number, f"Repair it: {path}.")
        is_special = content in special
        found[number] = AddedToken(content, special=is_special, normalized=not is_special)
    listed = settings.get("added_tokens_decoder") or {}
    if not isinstance(listed, dict):
        raise must("added_tokens_decoder", "be an object", listed, f"Repair it: {path}.")
    for key, entry in listed.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
            rule = "hold words with their ids"
            raise must("added_tokens_decoder", rule, {key: entry}, f"Repair it: {path}.")
        flags = {flag: bool(entry[flag]) for flag in _FLAGS if flag in entry}
        found[int(key)] = AddedToken(entry["content"], **flags)
    return found


def _special_names(settings: Settings) -> set[str]:
    names = settings.get("additional_special_tokens") or []
    roles = [value for key, value in settings.items() if key.endswith("_token")]
    every = [*(names if isinstance(names, list) else []), *roles]
    return {str(name.get("content")) if isinstance(name, dict) else str(name) for name in every}


def _stem(name: str) -> str:
    return name.removesuffix("Fast").removesuffix("Tokenizer")


def _read_object(place: Path, path: str) -> dict[str, Any]:
    if not place.is_file():
        return {}
    found = json.loads(place.read_text(encoding="utf-8"))
    if not isinstance(found, dict):
        rule = f"hold a JSON object in {place.name}"
        remedy = f"It holds {json.dumps(found)[:40]}: repair it or take it away."
        raise must("data.tokenizer.path", rule, path, remedy)
    return found
