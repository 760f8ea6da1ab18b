from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.alignment import windows, words_of_tokens
from tests.inference.models import KINDS, train_tokenizer

TOKENIZERS = {kind: train_tokenizer(kind) for kind in KINDS}
WORDS = st.lists(
    st.one_of(
        st.sampled_from(
            ["rain", "tea", "captain", "\u200b", "\x01", "", "[SEP]", "old ship", "\xa0"]
        ),
        st.text(st.characters(codec="utf-8"), max_size=6),
    ),
    max_size=8,
)


@pytest.mark.parametrize("kind", KINDS)
@given(words=WORDS)
def test_each_word_begins_at_one_token_or_has_none(kind: str, words: list[str]) -> None:
    (tokens,) = TOKENIZERS[kind].encode_located([" ".join(words)])
    numbers, is_first = words_of_tokens(words, tokens)
    firsts = numbers[is_first].tolist()
    assert firsts == sorted(set(firsts))
    # The last character of a token is in its word, or is the space before it.
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    with_token = set()
    for token, number in zip(tokens, numbers.tolist(), strict=True):
        inside = starts[number] <= token.stop - 1
        assert token.stop - 1 < starts[number] + len(words[number])
        assert inside or token.stop - 1 == starts[number] - 1
        if inside:
            with_token.add(number)
    assert set(firsts) == with_token
    for number, word in enumerate(words):
        if word.strip("\u200b\x01").isascii() and word.isalpha():
            assert number in with_token


@given(st.lists(st.integers(1, 9), max_size=12), st.integers(1, 10))
def test_windows_hold_whole_words_and_are_as_full_as_they_can_be(
    lengths: list[int], room: int
) -> None:
    numbers = np.repeat(np.arange(len(lengths)), lengths)
    found = list(windows(numbers, room))
    assert found
    held = [numbers[window.start : window.stop].tolist() for window in found]
    assert all(len(part) <= room for part in held)
    for window, part in zip(found, held, strict=True):
        assert window.is_cut == (part != [] and len(part) < lengths[part[0]])
        whole = [number for number in set(part) if part.count(number) == lengths[number]]
        assert window.is_cut or len(whole) == len(set(part))
    kept = [number for part in held for number in part]
    counts = [kept.count(number) for number in range(len(lengths))]
    assert counts == [min(length, room) for length in lengths]
    for part, behind in itertools.pairwise(held):
        assert len(part) + lengths[behind[0]] > room
