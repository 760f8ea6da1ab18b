"""The tokenizer of a fairseq model, from its dictionary and what lies beside it.

In: a folder. Out: a tokenizer whose ids are those of the model. fairseq keeps the words of a model
in `dict.txt`, and how text becomes words elsewhere: in GPT-2's files, in a sentencepiece model, or
nowhere, where words are split at spaces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import decoders, models, pre_tokenizers

from lit_roberta.data.tokens.loading import SpecialTokens
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import must

_CONTROL = ("<s>", "<pad>", "</s>", "<unk>")
"""Ids 0 to 3 of every dictionary."""
_MASK = "<mask>"
_NAMES = SpecialTokens(
    pad_token="<pad>", unk_token="<unk>", cls_token="<s>", sep_token="</s>", mask_token=_MASK
)
_BY_NUMBER = ("<pad>", "<unk>")
"""What fairseq finds by its number, whatever a dictionary repeats."""
_OVERWRITE = " #fairseq:overwrite"
_FILLER = re.compile(r"madeupword\d{4}")
"""What fills a dictionary up to a multiple of eight; no text has it."""

_NOT_USED = "NOTUSED"
"""What CamemBERT's tokenizer adds to words that text never becomes."""

_GPT2_FILES = (("encoder.json", "vocab.bpe"), ("vocab.json", "merges.txt"))
_SPACES_ONLY = (None, "", "space")
"""What says that words stand as they are in the text, between spaces."""


def read_tokenizer(folder: Path, *, settings: Mapping[str, Any], size: int) -> Tokenizer:
    """Build the tokenizer of a model.

    Args:
        folder: It holds `dict.txt`. Where that numbers GPT-2's pieces, `encoder.json` and
            `vocab.bpe` as well; where it holds pieces of another kind, their `tokenizer.json`.
        settings: Of fairseq's model, which may name the kind of pieces.
        size: Rows of the token embedding.

    Raises:
        UserError: If a file is missing, can't be read, or does not fit the model.
    """
    words = _read_words(folder / "dict.txt")
    if len(words) != size:
        remedy = (
            f"{folder / 'dict.txt'} makes {len(words)} with the special tokens: "
            "take the one that the model was trained with."
        )
        raise must("dict.txt", f"fit the model's vocabulary of {size}", len(words), remedy)
    plain = [word for word in words if word and word not in (*_CONTROL, _MASK)]
    plain = [word for word in plain if not _FILLER.fullmatch(word)]
    if plain and all(word.isascii() and word.isdigit() for word in plain):
        return _read_gpt2(folder, words)
    if (folder / "tokenizer.json").is_file():
        return _read_ready(folder / "tokenizer.json", words)
    _require_spaces(folder, plain, settings)
    numbers = {word: number for number, word in enumerate(words) if word}
    backend = tokenizers.Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return _with_names(backend)


def _read_words(path: Path) -> list[str]:
    """Read fairseq's dictionary: a word and its count a line, the control tokens unsaid.

    Returns:
        The word of each id; "" for an id that a later line took the word of.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").removesuffix("\n").split("\n")
    except FileNotFoundError as error:
        remedy = "Without it nobody knows which word an id is: copy it from the model's data."
        raise must("dict.txt", "lie beside the model", str(path.parent), remedy) from error
    except (OSError, UnicodeError) as error:
        raise must("dict.txt", "be readable", str(path), f"It fails with: {error}.") from error
    words = list(_CONTROL)
    places = {word: number for number, word in enumerate(words)}
    for number, line in enumerate(lines, start=1):
        word, may_repeat = _split(line, number, path)
        if word in places and not may_repeat:
            raise must("dict.txt", "hold each word once", word, f"Line {number} repeats it.")
        if word in _BY_NUMBER:
            words.append("")
            continue
        if word in places:
            words[places[word]] = ""
        places[word] = len(words)
        words.append(word)
    return words if _MASK in places else [*words, _MASK]


def _split(line: str, number: int, path: Path) -> tuple[str, bool]:
    """Read a line of a dictionary: a word, and whether it may be a repetition."""
    entry = line.rstrip()
    word, _, count = entry.removesuffix(_OVERWRITE).rpartition(" ")
    if not word or not count.lstrip("-").isdecimal():
        remedy = f"It must hold a word and its count, as in 'the 1061396': {str(path)!r}."
        raise must("dict.txt", f"be a dictionary in line {number}", line[:80], remedy)
    return word, entry.endswith(_OVERWRITE)


def _read_gpt2(folder: Path, words: Sequence[str]) -> Tokenizer:
    """Build GPT-2's byte-level BPE with the ids that the dictionary gives to its pieces."""
    for pieces, merges in _GPT2_FILES:
        if (folder / pieces).is_file() and (folder / merges).is_file():
            break
    else:
        remedy = "dict.txt numbers GPT-2's pieces, and these two files say what they are."
        raise must("the model", "have encoder.json and vocab.bpe beside it", str(folder), remedy)
    try:
        spelled, rules = models.BPE.read_file(str(folder / pieces), str(folder / merges))
        if any(spelled.get(word) != number for number, word in enumerate(_CONTROL)):
            spelled = _renumber(spelled, words)
        elif len(spelled) != len(words):
            remedy = f"dict.txt makes {len(words)} pieces of it."
            raise must(pieces, "be of the same model", len(spelled), remedy)
        backend = tokenizers.Tokenizer(models.BPE(spelled, rules))
    except ValueError:
        raise
    except Exception as error:
        remedy = f"It fails with: {' '.join(str(error).split())}."
        raise must(f"{pieces} and {merges}", "be GPT-2's", str(folder), remedy) from error
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return _with_names(backend)


def _renumber(spelled: Mapping[str, int], words: Sequence[str]) -> dict[str, int]:
    """Give GPT-2's pieces the ids that the model has for them."""
    pieces = {str(number): piece for piece, number in spelled.items()}
    return {pieces.get(word, word): number for number, word in enumerate(words) if word}


def _read_ready(path: Path, words: Sequence[str]) -> Tokenizer:
    """Take a tokenizer that lies beside the dictionary, if it numbers its words alike."""
    tokenizer = Tokenizer.from_path(str(path))
    named = tokenizer.id_to_word
    other = [
        f"It has {mine!r} for id {number}, not {his!r}."
        for number, (mine, his) in enumerate(zip(named, words, strict=False))
        if his and mine.removesuffix(_NOT_USED) != his
    ]
    if len(named) != len(words):
        other = [f"It has {len(named)} words, not {len(words)}."]
    if other:
        raise must("tokenizer.json", "number the words as dict.txt does", str(path), other[0])
    return tokenizer


def _require_spaces(folder: Path, words: Sequence[str], settings: Mapping[str, Any]) -> None:
    """Refuse pieces that text can't be split into without the model that made them."""
    kind = settings.get("bpe")
    if kind in _SPACES_ONLY and any(word.startswith("\u2581") for word in words):
        kind = "sentencepiece"
    if kind in _SPACES_ONLY and any(word.endswith("@@") for word in words):
        kind = "subword_nmt"
    if kind not in _SPACES_ONLY:
        remedy = "Put that tokenizer there as tokenizer.json, with the ids of dict.txt."
        raise must("the model", f"have the tokenizer of its {kind} pieces", str(folder), remedy)
    splitter = settings.get("tokenizer")
    if splitter not in _SPACES_ONLY:
        raise must(
            "tokenizer", "be None or space", splitter, "Put a tokenizer.json beside the model."
        )


def _with_names(backend: tokenizers.Tokenizer) -> Tokenizer:
    backend.add_special_tokens([*_CONTROL, _MASK])
    return Tokenizer(backend, special_tokens=_NAMES)
