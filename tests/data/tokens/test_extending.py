from __future__ import annotations

import random
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import decoders, models, normalizers, pre_tokenizers

from lit_roberta.data.tokens.config import TokenizerConfig, TokenizerKind
from lit_roberta.data.tokens.extending import extend, is_extension, pieces_of_words
from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError
from tests.data.tokens.nasty import TEXT as NASTY

WORDS = ("cat", "dog", "boat", "tree", "hill", "rain", "bread", "door", "catalogue", "dogma")
NEW = ("xylophone", "zyzzyva", "quixotry")
GENERAL = [
    f"The {one} saw a {other}, and the {one}s went to the {other}."
    for one in WORDS
    for other in WORDS
] + ["q u i c k z w v j x y p f m o", "aqauaiacakazawavajaxayapafamaoabadagahalanarasataeaaa"] * 2
OWN = [
    f"{NEW[number % 3]} and the {word}: a {NEW[0]}, {NEW[0]} {NEW[0]}, {NEW[0]}s; "
    f"un{NEW[0]} {NEW[1]}-{word} x_{NEW[1]}"
    for number, word in enumerate(WORDS * 4)
]
KINDS: tuple[TokenizerKind, ...] = ("word", "wordpiece", "bytelevel-bpe")


def base_of(kind: TokenizerKind) -> Tokenizer:
    size = {"word": 40, "wordpiece": 100, "bytelevel-bpe": 320}[kind]
    lowercase = True if kind == "bytelevel-bpe" else None
    config = TokenizerConfig(kind=kind, vocab_size=size, min_frequency=1, lowercase=lowercase)
    return Tokenizer.train(GENERAL, config)


def foreign() -> Tokenizer:
    """A WordPiece vocabulary as BERT's, which comes without our settings."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    pieces = [*letters, *(f"##{letter}" for letter in letters), *".,;:-_", *WORDS, "the", "and"]
    tokens = dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces])
    vocabulary = {token: number for number, token in enumerate(tokens)}
    backend = tokenizers.Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece("##", cleanup=True)
    return Tokenizer(
        backend, special_tokens=Tokenizer.train(GENERAL, TokenizerConfig()).special_tokens
    )


BASES: dict[str, Tokenizer] = {kind: base_of(kind) for kind in KINDS}
BASES["foreign"] = foreign()
EXTENDED = {name: extend(base, OWN, 5) for name, base in BASES.items()}
PIECES = {name: pieces_of_words(EXTENDED[name], base) for name, base in BASES.items()}


def text_of(tokenizer: Tokenizer, number: int) -> str:
    """Give a word as it stands in text, with the space in front that byte-level words have."""
    return tokenizer.decode([number])


@pytest.mark.parametrize("name", BASES)
def test_the_most_frequent_missing_words_get_ids_at_the_end(name: str) -> None:
    base, extended = BASES[name], EXTENDED[name]
    assert extended.vocab_size == extended.vocabulary.size == base.vocab_size + 5
    new = range(base.vocab_size, extended.vocab_size)
    assert text_of(extended, new[0]).strip() == NEW[0]
    assert NEW[1] in {text_of(extended, number).strip() for number in new}
    assert all(extended.vocabulary.maskable[number] for number in new)
    assert base.id_to_word == extended.id_to_word[: base.vocab_size]


@pytest.mark.parametrize("name", BASES)
def test_text_with_a_new_word_is_one_token_and_reads_the_same(name: str) -> None:
    base, extended = BASES[name], EXTENDED[name]
    for number in range(base.vocab_size, extended.vocab_size):
        word = text_of(extended, number)
        assert extended.encode(word) == [number]
        before = "the" if word[0] == " " else "a-" if name == "bytelevel-bpe" else "the "
        for text in (f"{before}{word}", f"{word}, a.", f"{word};"):
            assert number in extended.encode(text)
            if name != "word":  # which knew nothing of it before
                assert extended.decode(extended.encode(text)) == base.decode(base.encode(text))


def in_pieces(name: str, text: str) -> list[int]:
    """Encode with new words, and take them apart again."""
    pieces = PIECES[name]
    return [
        piece for number in EXTENDED[name].encode(text) for piece in pieces.get(number, [number])
    ]


@pytest.mark.parametrize("name", BASES)
def test_nothing_but_the_new_words_is_encoded_in_another_way(name: str) -> None:
    for text in (*GENERAL, *OWN, *NASTY, *(sentence.upper() for sentence in OWN)):
        assert in_pieces(name, text) == BASES[name].encode(text), text


@given(
    st.lists(
        st.sampled_from(
            [*NEW, *WORDS, " ", " ", "-", "_", "s", "1", "\u4e2d", "\u00e9", "[MASK]", "\u0301"]
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_nothing_else_changes_whatever_stands_around_a_new_word(parts: list[str]) -> None:
    text = "".join(parts)
    for name, base in BASES.items():
        assert in_pieces(name, text) == base.encode(text), name


@pytest.mark.parametrize("name", BASES)
def test_a_corpus_is_encoded_as_its_sentences(name: str) -> None:
    extended = EXTENDED[name]
    encoded = extended.encode_sentences([*OWN, *GENERAL])
    assert encoded.tokens.tolist() == [
        number for sentence in (*OWN, *GENERAL) for number in extended.encode(sentence)
    ]
    new = encoded.tokens >= BASES[name].vocab_size
    assert new.sum() >= len(OWN)
    assert encoded.word_starts[new].all()


@pytest.mark.parametrize("name", BASES)
def test_the_order_of_the_text_does_not_change_the_words(name: str) -> None:
    shuffled = random.Random(1).sample(OWN, len(OWN))
    assert extend(BASES[name], shuffled, 5).to_json() == EXTENDED[name].to_json()


@pytest.mark.parametrize("name", BASES)
def test_what_was_added_travels_and_is_told_from_another_tokenizer(name: str) -> None:
    base, extended = BASES[name], EXTENDED[name]
    again = Tokenizer.from_json(extended.to_json())
    assert again.to_json() == extended.to_json()
    assert is_extension(extended, base)
    assert is_extension(base, base)
    assert not is_extension(base, extended)
    others = [other for key, other in BASES.items() if key != name]
    assert not any(is_extension(extended, other) for other in others)
    twice = extend(extended, GENERAL, 2)
    assert is_extension(twice, extended)
    assert is_extension(twice, base)


@pytest.mark.parametrize("name", BASES)
def test_what_was_added_is_said(name: str) -> None:
    extended = EXTENDED[name]
    (line,) = [line for line in extended.notices if "added" in line]
    assert "5 words" in line
    assert f"{NEW[0]} (" in line


def test_a_text_without_missing_words_adds_none_and_says_so() -> None:
    extended = extend(BASES["foreign"], ["the cat and the dog", "the cat and the dog"], 5)
    assert extended.vocab_size == BASES["foreign"].vocab_size
    assert "no word was added" in extended.notices[-1]


def test_fewer_than_asked_for_are_said() -> None:
    extended = extend(BASES["foreign"], [f"{word} {word}" for word in NEW], 9)
    assert "3 of 9 words" in extended.notices[-1]


def test_the_librarys_own_file_encodes_and_reads_the_same(tmp_path: Path) -> None:
    for name, extended in EXTENDED.items():
        extended.save(tmp_path / name)
        again = Tokenizer.from_path(str(tmp_path / name))
        for text in (*OWN, *NASTY):
            assert again.encode(text) == extended.encode(text)
        assert again.vocabulary == extended.vocabulary


def test_a_tokenizer_that_can_not_tell_whole_words_is_refused() -> None:
    backend = tokenizers.Tokenizer(models.Unigram([("<unk>", 0.0), ("a", -1.0)], unk_id=0))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    tokenizer = Tokenizer(backend, special_tokens=BASES["word"].special_tokens)
    with pytest.raises(UserError, match=r"tokenizer.extend must .* got 'Unigram'"):
        extend(tokenizer, OWN, 5)
    glued = TokenizerConfig(kind="wordpiece", vocab_size=90, split_punctuation=False)
    with pytest.raises(UserError, match="at punctuation"):
        extend(Tokenizer.train(GENERAL, glued), OWN, 5)
