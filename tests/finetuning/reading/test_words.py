from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.finetuning.reading.words import split_words


@given(st.text())
def test_words_stand_where_they_say_and_nothing_visible_is_lost(text: str) -> None:
    words = split_words(text)
    end = 0
    for word in words:
        assert not text[end : word.start].strip()
        end = word.start + len(word.text)
        assert text[word.start : end] == word.text
        assert word.text == word.text.strip() != ""
    assert not text[end:].strip()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's 3.5, isn't it?", ["It's", "3.5", ",", "isn't", "it", "?"]),
        ("(a well-known @name_1 #tag)", ["(", "a", "well-known", "@name_1", "#tag", ")"]),
        ("end. Next--one", ["end", ".", "Next", "-", "-", "one"]),
        (
            "\u0939\u093f\u0928\u094d\u0926\u0940 \U0001f600!",
            ["\u0939\u093f\u0928\u094d\u0926\u0940", "\U0001f600", "!"],
        ),
        ("", []),
    ],
)
def test_the_rule(text: str, words: list[str]) -> None:
    assert [word.text for word in split_words(text)] == words
