from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig, TokenizerKind
from lit_roberta.errors import UserError

TEXT = [
    "The fisherman mended the nets while the fishing boats lay still.",
    "Fishing is slow, and the mending of nets is slower!",
    "Still the boats were mended and the fishermen were not.",
] * 2

SCRIPT = """
from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
words = [f"w{number * 7919 % 1000} x{number * 104729 % 300}ing" for number in range(2000)]
for kind, size in (("word", 200), ("wordpiece", 400), ("bytelevel-bpe", 500)):
    print(Tokenizer.train(words, TokenizerConfig(kind=kind, vocab_size=size)).to_json())
"""


def words(sentences: list[str], **settings: Any) -> list[str]:
    """Train a word tokenizer and give its words, special ones aside."""
    config = TokenizerConfig(**{"kind": "word", "min_frequency": 1, **settings})
    return Tokenizer.train(sentences, config).id_to_word[5:]


def pieces(text: str, sentences: list[str], **settings: Any) -> list[str]:
    tokenizer = Tokenizer.train(sentences, TokenizerConfig(**settings))
    return [tokenizer.id_to_word[number] for number in tokenizer.encode(text)]


def test_training_is_the_same_in_every_process_and_with_any_number_of_threads() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env=os.environ | {"PYTHONHASHSEED": seed, "RAYON_NUM_THREADS": threads},
            capture_output=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "4"), ("3", "2"))
    ]
    assert len(outputs[0]) > 10_000
    assert outputs[0] == outputs[1] == outputs[2]


def test_words_come_by_frequency_and_equal_ones_by_code_points() -> None:
    assert words(["b a c", "c d", "c a b"]) == ["c", "a", "b", "d"]
    assert words(["b a c", "c d", "c a b"], vocab_size=7) == ["c", "a"]
    assert words(["b a c", "c d", "c a b"], min_frequency=2) == ["c", "a", "b"]


def test_punctuation_is_split_off_unless_it_is_not_wanted() -> None:
    assert words(["The village. The (old) village!"]) == [
        "the",
        "village",
        "!",
        "(",
        ")",
        ".",
        "old",
    ]
    assert words(["The village. The (old) village!"], split_punctuation=False) == [
        "the",
        "(old)",
        "village!",
        "village.",
    ]


def test_case_accents_and_normal_forms_are_settings_of_their_own() -> None:
    text = ["\u00c9t\u00e9 e\u0301te\u0301 \ufb01n fin"]  # composed, decomposed, a ligature
    assert words(text) == ["\u00e9t\u00e9", "fin", "\ufb01n"]
    assert words(text, lowercase=False) == ["fin", "\u00c9t\u00e9", "\u00e9t\u00e9", "\ufb01n"]
    assert words(text, strip_accents=True) == ["ete", "fin", "\ufb01n"]
    assert words(text, strip_accents=True, lowercase=False) == ["Ete", "ete", "fin", "\ufb01n"]
    assert words(text, normalization="NFKC") == ["fin", "\u00e9t\u00e9"]
    assert words(text, normalization="none") == [
        "e\u0301te\u0301",
        "fin",
        "\u00e9t\u00e9",
        "\ufb01n",
    ]
    # Korean syllables survive the detour through decomposed letters.
    assert words(["\ud55c\uad6d\uc5b4"], strip_accents=True) == ["\ud55c\uad6d\uc5b4"]


@pytest.mark.parametrize(
    "text",
    [
        "\u4eca\u5929\u5929\u6c14\u5f88\u597d\uff0c\u6211\u4eec\u53bb\u516c\u56ed\u3002",
        "\u0e27\u0e31\u0e19\u0e19\u0e35\u0e49\u0e2d\u0e32\u0e01\u0e32\u0e28 \u0e14\u0e35\u0e21",
        "\u79c1\u306f\u5b66\u751f\u3067\u3059\u3002",
        "ACGTTGCA" * 20,
    ],
)
def test_words_need_spaces_between_them(text: str) -> None:
    with pytest.raises(UserError) as caught:
        words([text])
    assert str(caught.value).startswith(
        "data.tokenizer.kind must fit the text, got 'word' for text without spaces between words ("
    )
    assert "Give wordpiece or bytelevel-bpe" in str(caught.value)


def test_chinese_words_are_characters_if_asked() -> None:
    text = ["\u4eca\u5929\u5929\u6c14 ok"]
    assert words(text, split_cjk=True) == ["\u5929", "ok", "\u4eca", "\u6c14"]


@pytest.mark.parametrize(
    "text",
    ["\ud55c\uad6d\uc5b4\ub97c \ubc30\uc6b0\ub2e4", "Donaudampfschifffahrtsgesellschaft ist"],
)
def test_scripts_with_spaces_are_not_refused(text: str) -> None:
    assert len(words([text])) == 2


def test_wordpiece_marks_what_continues_a_word() -> None:
    tokens = pieces("the fishing nets", TEXT, kind="wordpiece", vocab_size=60)
    assert "".join(tokens).replace("##", "") == "thefishingnets"
    assert tokens[0] == "the"
    assert any(token.startswith("##") for token in tokens)
    assert not tokens[-1].startswith("##") or tokens[-2] != "[UNK]"


def test_wordpiece_learns_whole_words_that_are_frequent() -> None:
    assert pieces("The nets, still.", TEXT, kind="wordpiece", vocab_size=150) == [
        "the",
        "nets",
        ",",
        "still",
        ".",
    ]


@pytest.mark.parametrize("size", [6, 20, 60, 80])
def test_wordpiece_has_the_size_that_was_asked_for(size: int) -> None:
    tokenizer = Tokenizer.train(TEXT, TokenizerConfig(kind="wordpiece", vocab_size=size))
    assert tokenizer.vocab_size == size
    assert max(tokenizer.encode(" ".join(TEXT))) < size
    assert tokenizer.notices == []


@pytest.mark.parametrize("size", [261, 262, 300])
def test_bytelevel_bpe_has_the_size_that_was_asked_for(size: int) -> None:
    tokenizer = Tokenizer.train(TEXT, TokenizerConfig(kind="bytelevel-bpe", vocab_size=size))
    assert tokenizer.vocab_size == size
    assert tokenizer.decode(tokenizer.encode("\u00fcber \u4eca\u5929")) == "\u00fcber \u4eca\u5929"


def test_a_word_that_reads_like_a_special_token_is_ordinary() -> None:
    text = ["say [MASK] and [MASK] and ##a or ##a"] * 3
    for kind in ("word", "wordpiece"):
        config = TokenizerConfig(
            kind=kind, vocab_size=30, lowercase=False, split_punctuation=False
        )
        tokenizer = Tokenizer.train(text, config)
        assert tokenizer.word_to_id["[MASK]"] == 4
        assert 4 not in tokenizer.encode("say [MASK]")


def test_rare_letters_are_unknown_and_not_part_of_the_vocabulary() -> None:
    sentences = ["an apple and an \u01c2 apple", "an apple and an apple"]
    assert pieces("an \u01c2", sentences, kind="wordpiece", vocab_size=30)[-1] == "[UNK]"


def test_chinese_is_split_for_wordpiece_and_not_for_bytelevel_bpe() -> None:
    text = ["\u4eca\u5929 \u4eca\u5929 \u4eca\u5929"]
    assert pieces("\u4eca\u5929", text, kind="wordpiece", vocab_size=10) == ["\u4eca", "\u5929"]
    assert len(pieces("\u4eca\u5929", text, kind="bytelevel-bpe", vocab_size=300)) == 1
    assert (
        len(pieces("\u4eca\u5929", text, kind="bytelevel-bpe", vocab_size=300, split_cjk=True))
        == 2
    )


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (
            {"vocab_size": 5},
            "data.tokenizer.vocab_size must be 6 or more, got 5. It holds the 5 special",
        ),
        ({"vocab_size": -1, "kind": "wordpiece"}, "must be 6 or more, got -1."),
        (
            {"vocab_size": 260, "kind": "bytelevel-bpe"},
            "must be 261 or more, got 260. It holds the 5 special tokens and 256 bytes at the",
        ),
        ({"min_frequency": 0}, "data.tokenizer.min_frequency must be 1 or more, got 0."),
        (
            {"kind": "bytelevel-bpe", "split_punctuation": False},
            "data.tokenizer.split_punctuation must be true for bytelevel-bpe, got False.",
        ),
    ],
)
def test_a_setting_that_can_not_work_is_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as caught:
        TokenizerConfig(**settings)
    assert words in str(caught.value)


def test_each_kind_has_its_own_defaults() -> None:
    kinds: list[TokenizerKind] = ["word", "wordpiece", "bytelevel-bpe"]
    configs = [TokenizerConfig(kind=kind) for kind in kinds]
    assert [config.lowercases for config in configs] == [True, True, False]
    assert [config.splits_cjk for config in configs] == [False, True, False]
