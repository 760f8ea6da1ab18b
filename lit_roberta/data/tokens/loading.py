"""Ready tokenizers of the Hugging Face world, taken as they are.

In: a path. Out: the tokenizer with its own ids, and the names of its control tokens.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from lit_roberta.data.tokens.beside import (
    Settings,
    add_tokens,
    is_of_bert,
    read_settings,
    refuse_other_kinds,
    refuse_sentencepiece,
)
from lit_roberta.errors import UserError, must

_BERT_NAMES = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_ROBERTA_NAMES = {
    "pad_token": "<pad>",
    "unk_token": "<unk>",
    "cls_token": "<s>",
    "sep_token": "</s>",
    "mask_token": "<mask>",
}
_OF_BERT = {
    "do_lower_case": "lowercase",
    "strip_accents": "strip_accents",
    "tokenize_chinese_chars": "handle_chinese_chars",
}
"""Settings of BERT's normalizer, and what the library calls them."""


_MOST = 2**24
"""Ids, a hundred times as many as any tokenizer has."""


@dataclass(frozen=True, kw_only=True)
class SpecialTokens:
    """What a tokenizer calls its control tokens."""

    pad_token: str = "[PAD]"
    unk_token: str | None = "[UNK]"
    """None where there is none, since any text can be spelled."""
    cls_token: str = "[CLS]"
    sep_token: str = "[SEP]"
    mask_token: str = "[MASK]"


def load_tokenizer(path: str) -> tuple[Tokenizer, SpecialTokens, list[str]]:
    """Load a tokenizer from a file or a folder.

    Args:
        path: A `tokenizer.json` under any name, or a folder that holds one, or `vocab.txt`
            (WordPiece), or `vocab.json` and `merges.txt` (byte-level BPE).

    Returns:
        The tokenizer, the names of its control tokens, and what had to be guessed.

    Raises:
        UserError: If there is none, it can't be read, or it has no token for padding, beginning,
            end or masking.
    """
    place = Path(path)
    try:
        settings = read_settings(place if place.is_dir() else place.parent, path)
        backend, notices = _find_loader(place)(settings)
        add_tokens(backend, settings, path)
        _require_sound(backend, path)
    except UserError:
        raise
    except (OSError, ValueError, TypeError, RecursionError) as error:
        # TypeError: a setting beside the vocabulary is of another type than it should be.
        reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        raise must(
            "data.tokenizer.path", "be readable", path, f"It fails with: {reason}."
        ) from error
    except BaseException as error:
        # What the Rust side raises for a file that it can't parse, or stumbles over.
        if type(error) is not Exception and type(error).__name__ != "PanicException":
            raise
        raise must(
            "data.tokenizer.path", "be a tokenizer", path, f"It fails with: {error}."
        ) from error
    tokens = _special_tokens(backend, settings, path)
    return backend, tokens, notices + _notices(backend, tokens, settings)


def _require_sound(backend: Tokenizer, path: str) -> None:
    """Refuse what would fail later, on some text or other."""
    vocabulary = backend.get_vocab()
    if len(set(vocabulary.values())) < len(vocabulary):
        remedy = "Two of its words have the same: the file was changed by hand or damaged."
        raise must("data.tokenizer.path", "give each word an id of its own", path, remedy)
    highest = max(vocabulary.values(), default=0)
    if highest >= _MOST:
        remedy = "A list of all ids would fill the memory: the file is damaged."
        raise must("data.tokenizer.path", f"give its words ids below {_MOST:,}", highest, remedy)
    model = backend.model
    has_unknown = True
    if isinstance(model, models.Unigram):
        state = json.loads(model.__getstate__())
        has_unknown = state["unk_id"] is not None or bool(state.get("byte_fallback"))
    elif isinstance(model, models.WordLevel | models.WordPiece):
        has_unknown = model.token_to_id(model.unk_token) is not None
    if not has_unknown:
        remedy = "Without it no text can be encoded that holds an unknown word: add it."
        raise must("data.tokenizer.path", "have its unk_token in its vocabulary", path, remedy)
    backend.encode("a", "a")  # its way of joining texts may name a token that it does not have


def _find_loader(place: Path) -> Callable[[Settings], tuple[Tokenizer, list[str]]]:
    if place.is_file():
        return lambda settings: _load_whole(place, settings)
    if (place / "tokenizer.json").is_file():
        return lambda settings: _load_whole(place / "tokenizer.json", settings)
    if (place / "vocab.txt").is_file():
        return lambda settings: _load_wordpiece(place / "vocab.txt", settings)
    if (place / "vocab.json").is_file() and (place / "merges.txt").is_file():
        return lambda settings: _load_bytelevel_bpe(place, settings)
    refuse_sentencepiece(place)
    rule = "hold tokenizer.json, vocab.txt, or vocab.json and merges.txt"
    raise must("data.tokenizer.path", rule, str(place), "Give a Hugging Face tokenizer.")


def _load_whole(path: Path, settings: Settings) -> tuple[Tokenizer, list[str]]:
    """Load a tokenizer that says all of itself; where it is BERT's, settings beside it count."""
    backend = Tokenizer.from_file(str(path))
    normalizer = backend.normalizer
    notices = []
    if isinstance(normalizer, normalizers.BertNormalizer) and is_of_bert(settings):
        for name, attribute in _OF_BERT.items():
            value = settings.get(name)
            if value is not None and value != getattr(normalizer, attribute):
                setattr(normalizer, attribute, value)
                notices.append(f"{name} is {value}, as tokenizer_config.json has it, not {path}")
        backend.normalizer = normalizer
    return backend, notices


def _load_wordpiece(path: Path, settings: Settings) -> tuple[Tokenizer, list[str]]:
    refuse_other_kinds(path, settings)
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    vocabulary = {token.rstrip("\r"): number for number, token in enumerate(lines)}
    notices = []
    lowercase = settings.get("do_lower_case")
    if lowercase is None:
        lowercase = all(token == token.lower() for token in vocabulary if token[:1] != "[")
        notices = [f"{path} says nothing of case; by its words it is {'un' * lowercase}cased"]
    usual = "<unk>" if "<unk>" in vocabulary and "[UNK]" not in vocabulary else "[UNK]"
    unknown = _name(settings, "unk_token") or usual
    backend = Tokenizer(models.WordPiece(vocabulary, unk_token=unknown))
    backend.normalizer = normalizers.BertNormalizer(
        handle_chinese_chars=settings.get("tokenize_chinese_chars", True),
        strip_accents=settings.get("strip_accents"),  # None: where it lower-cases, as in BERT
        lowercase=lowercase,
    )
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece("##", cleanup=True)
    return backend, notices


def _load_bytelevel_bpe(folder: Path, settings: Settings) -> tuple[Tokenizer, list[str]]:
    refuse_other_kinds(folder / "vocab.json", settings)
    backend = Tokenizer(
        models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt"))
    )
    space = settings.get("add_prefix_space", False)
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=space)
    backend.decoder = decoders.ByteLevel()
    return backend, []


def _special_tokens(backend: Tokenizer, settings: Settings, path: str) -> SpecialTokens:
    """Find the control tokens, by the settings beside the vocabulary or by the usual names."""
    found: dict[str, Any] = {"unk_token": None}
    for role, bert in _BERT_NAMES.items():
        candidates = (_name(settings, role), bert, _ROBERTA_NAMES[role])
        known = [name for name in candidates if name and backend.token_to_id(name) is not None]
        if known:
            found[role] = known[0]
    missing = [role for role in _BERT_NAMES if role not in found and role != "unk_token"]
    if missing:
        rule = f"have a {', '.join(missing)}"
        remedy = (
            "A masked language model needs them; take a tokenizer of BERT's or RoBERTa's kind."
        )
        raise must("data.tokenizer.path", rule, path, remedy)
    _require_apart(found, path)
    return SpecialTokens(**found)


def _require_apart(found: Settings, path: str) -> None:
    """Refuse a padding or a mask that is something else, too: one would be taken for the other.

    A padding that stands for unknown words does no harm: places tell what is padding.
    """
    for role in ("mask_token", "pad_token"):
        kept_for_text = {role, "unk_token"} if role == "pad_token" else {role}
        others = [
            each
            for each, name in found.items()
            if name == found[role] and each not in kept_for_text
        ]
        if others:
            remedy = f"{found[role]} is the {others[0]}, too: repair its settings."
            raise must("data.tokenizer.path", f"have a {role} of its own", path, remedy)


def _notices(backend: Tokenizer, tokens: SpecialTokens, settings: Settings) -> list[str]:
    """Say which control tokens are none here, although the files name them."""
    chosen = set(asdict(tokens).values())
    added = backend.get_added_tokens_decoder().values()
    more = sorted(
        token.content for token in added if token.special and token.content not in chosen
    )
    notices = []
    if more:
        which = ", ".join(more[:5]) + (", ..." if len(more) > 5 else "")
        notices.append(f"{len(more)} more special tokens are never found in text: {which}")
    for role in _BERT_NAMES:
        name = _name(settings, role)
        if name and name != getattr(tokens, role):
            found = getattr(tokens, role)
            notices.append(f"the {role} is {found}: {name} is not in the vocabulary")
    return notices


def _name(settings: Settings, role: str) -> str | None:
    """Read a control token, which is written as a string or as an object with its content."""
    value = settings.get(role)
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None
