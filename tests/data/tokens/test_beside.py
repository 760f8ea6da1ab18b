from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError
from tests.data.tokens.foreign import NAMES, write_settings, write_unigram

WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "cat",
    "##s",
    "caf\u00e9",
    "cafe",
    "The",
    "[",
    "]",
    "e1",
]
NEXT = len(WORDS)
UNCASED = {"do_lower_case": True}
FLAGS = {"lstrip": False, "rstrip": False, "single_word": False, "normalized": False}


def write_bert(folder: Path, **files: Any) -> str:
    (folder / "vocab.txt").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    return write_settings(folder, **({"tokenizer_config": UNCASED} | files))


def spell(tokenizer: Tokenizer, text: str) -> list[str]:
    return [tokenizer.id_to_word[number] for number in tokenizer.encode(text)]


def decoder(*words: tuple[str, bool], first: int = NEXT) -> dict[str, Any]:
    """List added words as newer versions do."""
    entries = [FLAGS | {"content": word, "special": special} for word, special in words]
    return {str(number): entry for number, entry in enumerate(entries, start=first)}


OLD = {
    "added_tokens": {"newword": NEXT, "[E1]": NEXT + 1},
    "special_tokens_map": {
        "additional_special_tokens": ["[E1]"],
        "mask_token": FLAGS | {"content": "[MASK]"},
    },
}
NEW = {
    "tokenizer_config": UNCASED
    | {"added_tokens_decoder": decoder(("newword", False), ("[E1]", True))}
}


@pytest.mark.parametrize("files", [OLD, NEW], ids=["old", "new"])
def test_words_that_were_added_have_their_ids(tmp_path: Path, files: dict[str, Any]) -> None:
    tokenizer = Tokenizer.from_path(write_bert(tmp_path, **files))
    assert tokenizer.id_to_word == [*WORDS, "newword", "[E1]"]
    assert spell(tokenizer, "The newword cats [E1]") == [
        *("the", "newword", "cat", "##s", "[", "e1", "]")
    ]
    assert tokenizer.vocabulary.special_ids == {0, 1, 2, 3, 4, NEXT + 1}
    assert tokenizer.notices == ["1 more special tokens are never found in text: [E1]"]


@pytest.mark.parametrize("files", [OLD, NEW], ids=["old", "new"])
def test_words_that_were_added_have_the_ids_that_transformers_gives(
    tmp_path: Path, files: dict[str, Any]
) -> None:
    transformers = pytest.importorskip("transformers", reason="the peer is not installed")
    path = write_bert(tmp_path, **files, config={"model_type": "bert"})
    theirs = transformers.AutoTokenizer.from_pretrained(path)
    ours = Tokenizer.from_path(path)
    for text in ("The newword", "newword newword cats", "thenewword", "caf\u00e9"):
        assert ours.encode(text) == theirs(text, add_special_tokens=False)["input_ids"]


def test_a_word_that_is_added_to_a_whole_file_counts(tmp_path: Path) -> None:
    size = Tokenizer.from_path(write_unigram(tmp_path)).vocab_size
    settings = NAMES | {"added_tokens_decoder": decoder(("<e1>", False), first=size)}
    tokenizer = Tokenizer.from_path(write_settings(tmp_path, tokenizer_config=settings))
    assert tokenizer.word_to_id["<e1>"] == size
    assert size in tokenizer.encode("the <e1> old")
    encoded = tokenizer.encode_sentences(["the <e1> old", "<e1>"])
    alone = [*tokenizer.encode("the <e1> old"), *tokenizer.encode("<e1>")]
    assert encoded.tokens.tolist() == alone


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({"added_tokens": {"new": NEXT + 3}}, f"'new' the id {NEXT + 3}, got {NEXT}"),
        ({"added_tokens": {"the": NEXT}}, f"'the' the id {NEXT}, got 5"),
        ({"added_tokens": {"new": 5}}, "'new' the id 5"),
        ({"added_tokens": {"new": "5"}}, "give 'new' an id, got '5'"),
        ({"added_tokens": ["new"]}, "hold a JSON object in added_tokens.json"),
        ({"tokenizer_config": {"added_tokens_decoder": ["new"]}}, "added_tokens_decoder must be"),
        ({"tokenizer_config": {"added_tokens_decoder": {"14": "new"}}}, "hold words with their"),
        ({"tokenizer_config": {"added_tokens_decoder": {"14": {}}}}, "hold words with their ids"),
        ({"tokenizer_config": {"added_tokens_decoder": {"x": {"content": "a"}}}}, "be readable"),
    ],
)
def test_added_words_that_have_no_place_are_refused(
    tmp_path: Path, files: dict[str, Any], told: str
) -> None:
    with pytest.raises(UserError) as caught:
        Tokenizer.from_path(write_bert(tmp_path, **files))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tokenizer_class", "BertJapaneseTokenizer"),
        ("tokenizer_class", "PhobertTokenizer"),
        ("tokenizer_class", "EsmTokenizer"),
        ("tokenizer_class", 3),
        ("word_tokenizer_type", "mecab"),
        ("subword_tokenizer_type", "character"),
        ("do_basic_tokenize", False),
        ("never_split", ["the"]),
    ],
)
def test_another_kind_of_tokenizer_is_refused_by_name(
    tmp_path: Path, name: str, value: object
) -> None:
    with pytest.raises(UserError, match=f"^{name} must be .* got {re.escape(repr(value))}"):
        Tokenizer.from_path(write_bert(tmp_path, tokenizer_config=UNCASED | {name: value}))


def test_pieces_of_another_kind_of_bpe_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bpe.codes").write_text("t h 5\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"vocab\.txt must have no bpe\.codes beside it"):
        Tokenizer.from_path(write_bert(tmp_path))


@pytest.mark.parametrize("name", ["sentencepiece.bpe.model", "spiece.model", "tokenizer.model"])
def test_a_folder_of_sentencepiece_alone_says_what_to_make(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x0a\x05")
    with pytest.raises(UserError, match=r"must hold tokenizer\.json, got .*save_pretrained"):
        Tokenizer.from_path(str(tmp_path))


@pytest.mark.parametrize(
    ("settings", "spelled", "told"),
    [
        ({"do_lower_case": False}, "The caf\u00e9", ["do_lower_case is False"]),
        ({"strip_accents": False}, "the caf\u00e9", ["strip_accents is False"]),
        ({"do_lower_case": True}, "the cafe", []),
        ({}, "the cafe", []),
        ({"do_lower_case": False, "tokenizer_class": "PreTrainedTokenizerFast"}, "the cafe", []),
    ],
)
def test_settings_beside_a_whole_file_of_berts_count_as_in_transformers(
    tmp_path: Path, settings: dict[str, Any], spelled: str, told: list[str]
) -> None:
    whole = tmp_path / "whole"
    write_bert(tmp_path)
    Tokenizer.from_path(str(tmp_path)).save(whole)
    write_settings(whole, tokenizer_config={"tokenizer_class": "BertTokenizer"} | settings)
    tokenizer = Tokenizer.from_path(str(whole))
    assert spell(tokenizer, "The caf\u00e9") == spelled.split()
    assert [notice.split(",")[0] for notice in tokenizer.notices] == told


def test_a_control_token_that_no_vocabulary_has_is_told(tmp_path: Path) -> None:
    config = UNCASED | {"mask_token": "<blank>"}
    tokenizer = Tokenizer.from_path(write_bert(tmp_path, tokenizer_config=config))
    assert tokenizer.notices == ["the mask_token is [MASK]: <blank> is not in the vocabulary"]
