"""Ids around a mask are those that the text has around a word."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from tests.data.tokens import nasty

SHARED = Path(__file__).parents[3] / "../shared/data/vocab"
TEXT = [*nasty.TEXT, *["so love and tea, love or tea", "love", "tea"] * 50]
FIRST, SECOND = "love", "tea"
"""Two words that begin and end differently, and that are one token wherever they stand."""

SETTINGS = [config for config in nasty.SETTINGS if config.split_punctuation][::5]
_known: dict[object, Tokenizer] = {}


def train(config: TokenizerConfig) -> Tokenizer:
    if config not in _known:
        _known[config] = Tokenizer.train(TEXT, config)
    return _known[config]


def load(name: str, *, prefix_space: bool) -> Tokenizer:
    """Load a published vocabulary; with or without a space put before a text."""
    key = name, prefix_space
    if key not in _known:
        state = json.loads(Tokenizer.from_path(str(SHARED / name)).to_json())
        if state["backend"]["pre_tokenizer"]["type"] == "ByteLevel":
            state["backend"]["pre_tokenizer"]["add_prefix_space"] = prefix_space
        _known[key] = Tokenizer.from_json(json.dumps(state))
    return _known[key]


def num_equal(first: list[int], second: list[int]) -> int:
    """Count the ids that two lists begin with."""
    pairs = zip(first, second, strict=False)
    return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))


def masked_word(tokenizer: Tokenizer, before: str, behind: str) -> list[int]:
    """Encode the text with two words in turn; what does not change is what is not masked."""
    first, second = (tokenizer.encode(before + word + behind) for word in (FIRST, SECOND))
    start = num_equal(first, second)
    end = num_equal(first[start:][::-1], second[start:][::-1])
    assume(len(first) - start - end == 1)  # else it is part of a word here, not one of its own
    return [*first[:start], tokenizer.vocabulary.mask_id, *first[len(first) - end :]]


def parts_words(character: str) -> bool:
    """Tell whether no normalizer takes this off, and every kind of vocabulary cuts there."""
    plain = unicodedata.normalize("NFKD", character)
    return character == "\t" or (len(plain) == 1 and unicodedata.category(plain)[0] in "PZ")


def check(tokenizer: Tokenizer, before: str, behind: str) -> None:
    """Compare, where a word between the two parts is a word of its own."""
    expected = masked_word(tokenizer, before, behind)
    assert tokenizer.encode_around_masks([before, behind]) == expected


_parts = st.lists(st.sampled_from(nasty.PIECES) | nasty.characters, max_size=6).map("".join)
_borders = st.sampled_from([each for each in map(chr, range(0x3100)) if parts_words(each)])
befores = st.just("") | st.builds(
    str.__add__, _parts, _borders.filter(lambda mark: mark not in "'\u2019")
)
behinds = st.just("") | st.builds(str.__add__, _borders, _parts)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SETTINGS), befores, behinds)
def test_ids_around_a_mask_are_those_around_a_word(
    config: TokenizerConfig, before: str, behind: str
) -> None:
    check(train(config), before, behind)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published vocabularies are not here")
@settings(max_examples=50, deadline=None)
@given(st.sampled_from(["roberta", "bert-base-uncased"]), st.booleans(), befores, behinds)
def test_ids_around_a_mask_in_a_published_vocabulary(
    name: str, prefix_space: bool, before: str, behind: str
) -> None:
    check(load(name, prefix_space=prefix_space), before, behind)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the published vocabularies are not here")
@pytest.mark.parametrize("prefix_space", [False, True])
@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I _ you.", ["I", "_", "\u0120you", "."]),
        ("_ you.", ["_", "\u0120you", "."]),
        ("I_you", ["I", "_", "you"]),
        ("I  _  you", ["I", "\u0120", "_", "\u0120", "\u0120you"]),
        ("I \t_", ["I", "\u0120", "\u0109", "_"]),
        ("(_)", ["(", "_", ")"]),
        ("__ is _, _", ["_", "_", "\u0120is", "_", ",", "_"]),
        ("_'s [SEP]", ["_", "'s", "\u0120[", "SE", "P", "]"]),
        ("_", ["_"]),
    ],
)
def test_a_mask_takes_the_space_before_it_and_no_other(
    text: str, tokens: list[str], prefix_space: bool
) -> None:
    tokenizer = load("roberta", prefix_space=prefix_space)
    ids = tokenizer.encode_around_masks(text.split("_"))
    if prefix_space and text[0] != "_":
        tokens = ["\u0120" + tokens[0], *tokens[1:]]
    assert [tokenizer.id_to_word[number].replace("<mask>", "_") for number in ids] == tokens


@pytest.mark.parametrize(
    "config", [SETTINGS[0], SETTINGS[-1], replace(SETTINGS[-1], vocab_size=300)]
)
@pytest.mark.parametrize("typed", ["[SEP]", "[MASK]", "[CLS]", "</s>"])
def test_control_tokens_beside_a_mask_are_text(config: TokenizerConfig, typed: str) -> None:
    tokenizer = train(config)
    ids = tokenizer.encode_around_masks([f"a {typed} b ", f" {typed}"])
    control = tokenizer.vocabulary.special_ids - {tokenizer.vocabulary.unk_id}
    assert [number for number in ids if number in control] == [tokenizer.vocabulary.mask_id]
    assert ids[: len(tokenizer.encode(f"a {typed} b"))] == tokenizer.encode(f"a {typed} b")
