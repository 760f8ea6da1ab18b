"""`AutoTokenizer` gives the ids that training had: for words, pairs, long text and masks."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig, TokenizerKind
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.exchange.tokenizer_files import write_tokenizer
from tests.data.tokens.nasty import SETTINGS, sentences, train
from tests.data.tokens.test_loading import write_bert, write_roberta
from tests.exchange.models import SENTENCES, tiny_pretrained, tiny_tokenizer

transformers = pytest.importorskip("transformers", reason="the export's reader is not installed")

KINDS: tuple[TokenizerKind, ...] = ("word", "wordpiece", "bytelevel-bpe")
MAX_LENGTH = 12


def exported(
    tokenizer: Tokenizer, family: Family, *, second_segment: int = 0, keep_joining: bool = False
) -> Any:
    with TemporaryDirectory() as folder:
        write_tokenizer(
            tokenizer,
            Path(folder),
            family=family,
            max_length=MAX_LENGTH,
            second_segment=second_segment,
            keep_joining=keep_joining,
        )
        return transformers.AutoTokenizer.from_pretrained(folder)


@cache
def exported_settings(number: int) -> Any:
    return exported(train(SETTINGS[number]), "roberta")


@pytest.mark.parametrize("number", range(0, len(SETTINGS), 13))
@settings(deadline=None, max_examples=30)
@given(texts=sentences)
def test_any_text_has_the_ids_of_training(number: int, texts: list[str]) -> None:
    ours, theirs = train(SETTINGS[number]), exported_settings(number)
    names = [ours.id_to_word[each] for each in ours.vocabulary.special_ids]
    for text in texts:
        if not any(name in text for name in names):  # theirs finds control tokens in text
            assert theirs(text)["input_ids"] == [2, *ours.encode(text), 3]


@pytest.mark.parametrize("number", range(0, len(SETTINGS), 13))
@settings(deadline=None, max_examples=30)
@given(texts=sentences)
def test_any_ids_are_read_as_our_own_does(number: int, texts: list[str]) -> None:
    ours, theirs = train(SETTINGS[number]), exported_settings(number)
    for text in texts:
        ids = ours.encode(text)
        assert theirs.decode(ids) == ours.decode(ids)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_is_joined_as_its_family_does(kind: TokenizerKind) -> None:
    tokenizer = tiny_tokenizer(kind)
    first, second = tokenizer.encode("I like you."), tokenizer.encode("We walk.")
    bert = exported(tokenizer, "bert", second_segment=1)("I like you.", "We walk.")
    assert bert["input_ids"] == [2, *first, 3, *second, 3]
    assert bert["token_type_ids"] == [0] * (len(first) + 2) + [1] * (len(second) + 1)
    roberta = exported(tokenizer, "roberta")("I like you.", "We walk.")
    assert roberta["input_ids"] == [2, *first, 3, 3, *second, 3]
    # A second segment would be an index error in a table of one row.
    assert not any(roberta.get("token_type_ids", [0]))


@pytest.mark.parametrize("family", FAMILIES)
def test_text_is_cut_at_the_length_of_the_model(family: Family) -> None:
    tokenizer = exported(tiny_tokenizer(), family, second_segment=1)
    assert tokenizer.model_max_length == MAX_LENGTH
    long = "we like the dog " * 20
    for texts in ((long,), (long, long)):
        ids = tokenizer(*texts, truncation=True)["input_ids"]
        assert len(ids) == MAX_LENGTH
        assert ids[-1] == 3


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_padded_on_the_right_by_the_padding(kind: TokenizerKind, family: Family) -> None:
    tokenizer = exported(tiny_tokenizer(kind), family, second_segment=1)
    rows = tokenizer(["I like you.", "I"], padding=True)
    assert rows["input_ids"][1][-1] == tokenizer.pad_token_id == 0
    assert rows["attention_mask"][1][-1] == 0
    roles = {"pad": 0, "unk": 1, "cls": 2, "sep": 3, "mask": 4}
    assert {role: getattr(tokenizer, f"{role}_token_id") for role in roles} == roles
    assert sorted(tokenizer.all_special_ids) == [0, 1, 2, 3, 4]
    assert len(tokenizer) == tiny_tokenizer(kind).vocab_size


# ---- masks: each text, and what of it is masked

MASKED = (
    ("I like you.", "I [MASK] you.", ["like"]),
    ("We like you.", "[MASK] like you.", ["We"]),
    ("I like you.", "I like [MASK].", ["you"]),
    ("We like the dog.", "We [MASK] the [MASK].", ["like", "dog"]),
    ("I  like you.", "I  [MASK] you.", ["like"]),
)


@pytest.mark.parametrize(("text", "masked", "words"), MASKED)
@pytest.mark.parametrize("kind", KINDS)
def test_a_mask_in_text_is_the_mask_of_training(
    kind: TokenizerKind, text: str, masked: str, words: list[str]
) -> None:
    tokenizer = tiny_tokenizer(kind)
    if kind == "bytelevel-bpe" and "  " in text:
        text = text.replace("  ", " ")  # the mask takes the white space before it
    pieces = [tokenizer.id_to_word[each] for each in tokenizer.encode(text)]
    plain = [piece.removeprefix("\u0120") for piece in pieces]
    for word in words if kind == "bytelevel-bpe" else map(str.lower, words):
        pieces[plain.index(word)] = "[MASK]"
    wanted = [2, *map(tokenizer.word_to_id.__getitem__, pieces), 3]
    assert exported(tokenizer, "roberta")(masked)["input_ids"] == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_a_mask_inside_of_a_word_takes_nothing_from_it(kind: TokenizerKind) -> None:
    tokenizer = tiny_tokenizer(kind)
    wanted = [2, *tokenizer.encode("I"), 4, *tokenizer.encode("you"), 3]
    assert exported(tokenizer, "roberta")("I[MASK]you")["input_ids"] == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_the_pipeline_gives_a_sentence_with_the_right_spaces(
    kind: TokenizerKind, tmp_path: Path
) -> None:
    export(tiny_pretrained("RobertaForMaskedLM", kind=kind), tmp_path / "out")
    fill = transformers.pipeline("fill-mask", str(tmp_path / "out"))
    like = "\u0120like" if kind == "bytelevel-bpe" else "like"
    sentence = fill("We [MASK] the dog.", targets=[like])[0]["sequence"]
    assert sentence == ("We like the dog." if kind == "bytelevel-bpe" else "we like the dog.")


# ---- tokenizers of others


@pytest.mark.parametrize("family", FAMILIES)
def test_a_vocabulary_of_others_keeps_its_ids(tmp_path: Path, family: Family) -> None:
    for write, mask in ((write_bert, "[MASK]"), (write_roberta, "<mask>")):
        folder = tmp_path / write.__name__
        folder.mkdir()
        tokenizer = Tokenizer.from_path(write(folder))
        vocabulary = tokenizer.vocabulary
        theirs = exported(tokenizer, family)
        body = tokenizer.encode("the the")
        wanted = [vocabulary.cls_id, *body, vocabulary.sep_id]
        assert theirs("the the")["input_ids"] == wanted
        assert theirs.mask_token_id == vocabulary.mask_id
        masked = theirs(f"the {mask}")["input_ids"]
        assert masked == [*wanted[: 1 + len(body) // 2], vocabulary.mask_id, vocabulary.sep_id]
        assert len(theirs) <= tokenizer.vocab_size


def test_a_way_of_its_own_to_join_pairs_is_kept(tmp_path: Path) -> None:
    theirs = exported(tiny_tokenizer(), "bert", second_segment=1)
    theirs.save_pretrained(tmp_path)
    back = Tokenizer.from_path(str(tmp_path))
    again = exported(back, "roberta", keep_joining=True)
    assert again("I", "you")["input_ids"] == theirs("I", "you")["input_ids"]


def test_a_model_that_was_trained_here_joins_pairs_as_its_training_did(tmp_path: Path) -> None:
    exported(tiny_tokenizer(), "roberta").save_pretrained(tmp_path)
    back = Tokenizer.from_path(str(tmp_path))
    again = exported(back, "bert", second_segment=1)("I", "you")
    assert again["input_ids"] == [2, *back.encode("I"), 3, *back.encode("you"), 3]
    assert again["token_type_ids"] == [0, 0, 0, 1, 1]


def test_there_and_back_is_the_same_tokenizer(tmp_path: Path) -> None:
    for kind in KINDS:
        ours = Tokenizer.train(SENTENCES, TokenizerConfig(kind=kind, vocab_size=320))
        write_tokenizer(
            ours,
            _made(tmp_path / kind),
            family="bert",
            max_length=9,
            second_segment=1,
            keep_joining=False,
        )
        back = Tokenizer.from_path(str(tmp_path / kind))
        assert back.id_to_word == ours.id_to_word
        assert back.vocabulary == ours.vocabulary
        assert back.encode("We like [MASK] x.") == ours.encode("We like [MASK] x.")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder
