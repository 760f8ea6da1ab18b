"""The settings of a tokenizer, and what each kind does where they leave it open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lit_roberta.errors import must

TokenizerKind = Literal["word", "wordpiece", "bytelevel-bpe"]

SPECIAL_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""Ids 0 to 4 of every tokenizer that is trained here."""

DEFAULT_VOCAB_SIZE = 8192
"""Of `wordpiece` and `bytelevel-bpe`: about what a few megabytes of text can fill."""

_BYTES = 256
_MOST_ENTRIES = 2**24
"""The library sets memory aside for each entry asked for, and aborts where it gets none."""
_MOST_TIMES = 2**31 - 1


@dataclass(frozen=True, kw_only=True)
class TokenizerConfig:
    """How a tokenizer is trained, or where a ready one lies."""

    kind: TokenizerKind = "word"
    """word: split on white space; wordpiece: BERT's pieces; bytelevel-bpe: RoBERTa's, which
    spell any text without unknowns."""
    vocab_size: int | None = None
    """Entries, the five special tokens included. None: for word, every word seen min_frequency
    times; for the others 8,192."""
    lowercase: bool | None = None
    """None: yes for word and wordpiece, no for bytelevel-bpe, as in the papers' vocabularies."""
    strip_accents: bool = False
    """Whether accents are taken off letters; it does not depend on lowercase."""
    normalization: Literal["NFC", "NFKC", "none"] = "NFC"
    """Unicode normalization, so that one word has one spelling. Taking accents off ends in NFC."""
    split_punctuation: bool = True
    """Whether each punctuation mark is a word; false only for word and wordpiece."""
    split_cjk: bool | None = None
    """Whether each Chinese character is a word. None: for wordpiece only (BERT's rule)."""
    min_frequency: int = 2
    """How often a word, or a pair that is merged, must be seen. From 2 on, [UNK] is trained."""
    path: str | None = None
    """A tokenizer.json, or a folder with one, with vocab.txt or with vocab.json and merges.txt.
    It is used as it is, with its own ids, and the settings above do not count."""
    extend: int = 0
    """Words to add to a ready tokenizer: the most frequent ones of the training part that it cuts
    into pieces."""

    def __post_init__(self) -> None:
        smallest = len(SPECIAL_TOKENS) + (_BYTES if self.kind == "bytelevel-bpe" else 1)
        if self.vocab_size is not None and self.vocab_size < smallest:
            what = "256 bytes" if self.kind == "bytelevel-bpe" else "one token"
            remedy = f"It holds the {len(SPECIAL_TOKENS)} special tokens and {what} at the least."
            raise must(
                "data.tokenizer.vocab_size", f"be {smallest} or more", self.vocab_size, remedy
            )
        for name, most in (("vocab_size", _MOST_ENTRIES), ("min_frequency", _MOST_TIMES)):
            value = getattr(self, name)
            if value is not None and value > most:
                remedy = "No text fills more."
                raise must(f"data.tokenizer.{name}", f"be at most {most:,}", value, remedy)
        if not 0 <= self.extend <= _MOST_ENTRIES:
            rule = f"lie from 0 to {_MOST_ENTRIES:,}"
            raise must("data.tokenizer.extend", rule, self.extend, "Some hundred words will do.")
        if self.min_frequency < 1:
            remedy = "With 1, everything seen counts."
            raise must("data.tokenizer.min_frequency", "be 1 or more", self.min_frequency, remedy)
        if self.kind == "bytelevel-bpe" and not self.split_punctuation:
            remedy = "Its merges never cross from letters to punctuation."
            raise must(
                "data.tokenizer.split_punctuation", "be true for bytelevel-bpe", False, remedy
            )

    @property
    def lowercases(self) -> bool:
        """Whether text is lower-cased, the kind's own choice where that is left open."""
        return self.kind != "bytelevel-bpe" if self.lowercase is None else self.lowercase

    @property
    def splits_cjk(self) -> bool:
        """Whether Chinese characters are words, the kind's own choice where that is left open."""
        return self.kind == "wordpiece" if self.split_cjk is None else self.split_cjk


def notice_small(size: int, config: TokenizerConfig) -> list[str]:
    """Say where a vocabulary is smaller than was asked for.

    Args:
        size: Entries that it has.
        config: What was asked for.
    """
    asked = config.vocab_size
    if asked is None and config.kind != "word":
        asked = DEFAULT_VOCAB_SIZE
    if asked is None or size == asked:
        return []
    return [
        f"the vocabulary has {size:,} entries where {asked:,} were asked for: the text holds no "
        f"more that is seen {config.min_frequency} times"
    ]
