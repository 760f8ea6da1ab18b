from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.tokens import counting, merging
from lit_roberta.data.tokens.counting import count_words
from lit_roberta.data.tokens.merging import repeat
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig, TokenizerKind
from lit_roberta.data.tokens.training import _pipeline
from tests.data.tokens.nasty import SETTINGS, sentences


def count_one_by_one(texts: list[str], config: TokenizerConfig) -> Counter[str]:
    backend = _pipeline(config)
    words: Counter[str] = Counter()
    for text in texts:
        text = text.replace("\n", " ")
        normal = backend.normalizer.normalize_str(text) if backend.normalizer else text
        words.update(word for word, _ in backend.pre_tokenizer.pre_tokenize_str(normal))
    return words


@settings(max_examples=100, deadline=None)
@given(config=st.sampled_from(SETTINGS), texts=sentences)
def test_words_are_counted_as_sentence_by_sentence(
    config: TokenizerConfig, texts: list[str]
) -> None:
    texts = [*texts, "two\nlines"]
    assert count_words(texts, _pipeline(config), vocab_size=None) == count_one_by_one(
        texts, config
    )


@pytest.mark.parametrize("kind", ["word", "wordpiece", "bytelevel-bpe"])
def test_forgetting_the_rarest_leaves_the_vocabulary_as_it_is(
    kind: TokenizerKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = [f"the ship of old captain {number} {1000 + number}" for number in range(400)]
    config = TokenizerConfig(
        kind=kind, min_frequency=50, vocab_size=None if kind == "word" else 300
    )
    whole = Tokenizer.train(text, config).id_to_word
    monkeypatch.setattr(counting, "_BATCH", 10)
    monkeypatch.setattr(counting, "_MOST_CHUNKS", 40)
    monkeypatch.setattr(counting, "_CHUNKS_OF_AN_ENTRY", 0)
    assert len(count_words(text, _pipeline(config), vocab_size=None)) < 50
    bounded = Tokenizer.train(text, config).id_to_word
    # Letters of the rare words are rarer, too.
    kept = [word for word in whole if not any(map(str.isdigit, word))]
    assert [word for word in bounded if not any(map(str.isdigit, word))] == kept
    assert {"the", "captain"} <= {word.strip("\u0120") for word in kept}


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 300_000), max_size=4))
def test_words_are_written_as_often_as_they_are_counted(counts: dict[str, int]) -> None:
    assert Counter(word for text in repeat(counts) for word in text.split()) == counts


def test_of_too_many_words_each_is_shown_in_proportion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "_MOST_REPEATED", 100)
    counts = {"often": 9000, "half": 990, "once": 10}
    shown = Counter(word for text in repeat(counts) for word in text.split())
    assert shown == {"often": 90, "half": 10, "once": 1}


def test_a_process_of_its_own_learns_the_same_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    text = [f"the ship of old captain {number}" for number in range(40)]
    config = TokenizerConfig(kind="bytelevel-bpe", vocab_size=300)
    here = Tokenizer.train(text, config).to_json()
    monkeypatch.setattr(merging, "_MANY", 0)
    assert Tokenizer.train(text, config).to_json() == here
