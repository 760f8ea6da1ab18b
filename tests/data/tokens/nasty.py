"""Text that finds out whoever cuts it in the wrong place."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig

TEXT = [
    "The old ship's captain, the CAPTAIN of \u039f\u0394\u03a5\u03a3\u03a3\u0395\u03a5\u03a3!",
    "\u4e2d\u6587 \u5b57 and \u0130stanbul, caf\u00e9 cafe\u0301  \ufb01ne\tday",
    "a b c d [SEP] e <mask> f",
] * 3

_WHITE = [
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\u00a0",
    "\u2028",
    "\u2029",
    "\u3000",
    "\x0b",
    "\x1c",
    "\x85",
]
_WORDS = ["the", "Captain's", "ship", "a", "b", "1984", "don't", "CAF\u00c9", "\ufb01ne"]
_MARKS = [".", ",", "[SEP]", "<mask>", "[UNK]", "-", "\u2019", "\u00b4", "\u00a8", "\u00aa"]
_OTHER = [
    "\u0301",  # an accent, which NFC joins to the letter before it
    "\u0338",
    "\u03a3",  # a sigma, which has another lower case at the end of a word
    "\u0130",
    "\u0131",
    "\u4e2d",
    "\uac00",
    "\u1100\u1161",
    "\U0001f469\u200d\U0001f52c",
    "\u200b",
    "\ufeff",
    "\x00",
    "\x01",
    "\x7f",
]
PIECES = [*_WHITE, *_WORDS, *_MARKS, *_OTHER]
characters = st.characters(exclude_characters="\n", exclude_categories=["Cs"])
sentences = st.lists(
    st.lists(st.sampled_from(PIECES) | characters, max_size=12).map("".join),
    max_size=4,
)

SETTINGS = [
    TokenizerConfig(
        kind=kind,  # type: ignore[arg-type]
        normalization=normalization,  # type: ignore[arg-type]
        lowercase=lowercase,
        strip_accents=strip_accents,
        split_punctuation=split_punctuation,
        split_cjk=split_cjk,
        vocab_size=None if kind == "word" else 340,
        min_frequency=1,
    )
    for kind, normalization, lowercase, strip_accents, split_punctuation, split_cjk in product(
        ("word", "wordpiece", "bytelevel-bpe"),
        ("NFC", "NFKC", "none"),
        (False, True),
        (False, True),
        (True, False),
        (False, True),
    )
    if split_punctuation or kind != "bytelevel-bpe"
]
"""Every choice that decides how a text becomes words."""

_trained: dict[TokenizerConfig, Tokenizer] = {}


def train(config: TokenizerConfig) -> Tokenizer:
    """Train a tokenizer once."""
    if config not in _trained:
        _trained[config] = Tokenizer.train(TEXT, config)
    return _trained[config]
