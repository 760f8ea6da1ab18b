from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError
from tests.data.tokens.foreign import (
    AWKWARD,
    CONTROL,
    NAMES,
    TEXT,
    write_settings,
    write_unigram,
)
from tests.data.tokens.nasty import sentences

SHARED = Path(__file__).parents[3] / "../shared/data/vocab"

BERT_CONFIGS: dict[str, dict[str, Any]] = {
    "uncased": {"do_lower_case": True},
    "cased": {"do_lower_case": False},
    "uncased with accents": {"do_lower_case": True, "strip_accents": False},
    "cased without accents": {"do_lower_case": False, "strip_accents": True},
    "Chinese in words": {"do_lower_case": True, "tokenize_chinese_chars": False},
}
KINDS = [*BERT_CONFIGS, "whole file", "roberta", "roberta with a space", "unigram", "unsplit"]
_made: dict[str, tuple[Tokenizer, str]] = {}


def make(kind: str, factory: pytest.TempPathFactory) -> tuple[Tokenizer, str]:
    """Write a folder once, and load it."""
    if kind not in _made:
        if "uni" not in kind and kind != "unsplit" and not SHARED.is_dir():
            pytest.skip("no shared vocabularies here")
        path = write(kind, factory.mktemp("tokenizer"))
        _made[kind] = (Tokenizer.from_path(path), path)
    return _made[kind]


def write(kind: str, folder: Path) -> str:
    if kind in ("unigram", "unsplit"):
        return write_unigram(folder, splits=kind == "unigram")
    if kind.startswith("roberta"):
        copy("roberta/vocab.json", folder / "vocab.json")
        copy("roberta/merges.txt", folder / "merges.txt")
        space = {"add_prefix_space": True} if "space" in kind else {}
        return write_settings(
            folder, tokenizer_config={"tokenizer_class": "RobertaTokenizer"} | space
        )
    if kind == "whole file":
        copy("bert-base-uncased/minilm_tokenizer.json", folder / "tokenizer.json")
        return write_settings(folder, tokenizer_config={"tokenizer_class": "BertTokenizer"})
    copy("bert-base-uncased/vocab.txt", folder / "vocab.txt")
    config = {"tokenizer_class": "BertTokenizer"} | BERT_CONFIGS[kind]
    return write_settings(folder, tokenizer_config=config)


def copy(name: str, place: Path) -> None:
    place.write_bytes((SHARED / name).read_bytes())


every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_ids_are_those_of_transformers(
    kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    transformers = pytest.importorskip("transformers", reason="the peer is not installed")
    ours, path = make(kind, tmp_path_factory)
    theirs = transformers.AutoTokenizer.from_pretrained(path)
    for text in [*AWKWARD, *TEXT[:3]]:
        assert ours.encode(text) == theirs(text, add_special_tokens=False)["input_ids"], text
    vocabulary = ours.vocabulary
    assert vocabulary.size == len(theirs)
    assert (vocabulary.pad_id, vocabulary.cls_id) == (theirs.pad_token_id, theirs.cls_token_id)
    assert (vocabulary.sep_id, vocabulary.mask_id) == (theirs.sep_token_id, theirs.mask_token_id)
    assert vocabulary.unk_id in (None, theirs.unk_token_id)
    assert set(theirs.all_special_ids) <= vocabulary.special_ids


@every_kind
def test_control_tokens_in_text_are_text(
    kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer, _ = make(kind, tmp_path_factory)
    control = tokenizer.vocabulary.special_ids - {tokenizer.vocabulary.unk_id}
    for name in CONTROL:
        for text in (name, f"the {name} old", f"the{name}old", f"{name}{name}"):
            assert control.isdisjoint(tokenizer.encode(text)), text


@pytest.mark.parametrize("kind", ["uncased", "roberta with a space", "unigram", "unsplit"])
def test_it_travels_as_json_and_as_files(
    kind: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer, _ = make(kind, tmp_path_factory)
    travelled = Tokenizer.from_json(tokenizer.to_json())
    tokenizer.save(tmp_path / "saved")
    for other in (travelled, Tokenizer.from_path(str(tmp_path / "saved"))):
        assert other.to_json() == tokenizer.to_json()
        assert other.vocabulary == tokenizer.vocabulary
        assert other.id_to_word == tokenizer.id_to_word
        for text in [*AWKWARD, *CONTROL]:
            assert other.encode(text) == tokenizer.encode(text)


@every_kind
def test_a_batch_gives_what_single_sentences_give(
    kind: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer, _ = make(kind, tmp_path_factory)

    @settings(max_examples=25, deadline=None)
    @given(texts=sentences)
    def check(texts: list[str]) -> None:
        encoded = tokenizer.encode_sentences(texts)
        alone = [tokenizer.encode(text) for text in texts]
        assert encoded.tokens.tolist() == [number for ids in alone for number in ids]
        assert encoded.lengths.tolist() == list(map(len, alone))

    check()


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("uncased", "Unbelievable cats' [SEP] caf\u00e9", "unbelievable cats ' [ sep ] cafe"),
        ("cased", "unaffable \u4e2d\u6587", "unaffable \u4e2d \u6587"),
        ("roberta", "Unbelievable don't  stop", "Unbelievable \u0120don 't \u0120 \u0120stop"),
        ("roberta with a space", "unhappily so", "\u0120unhappily \u0120so"),
        ("unigram", "The old  ship's lamp", "\u2581The \u2581old \u2581ship's \u2581lamp"),
        ("unsplit", "They say ships", "\u2581They \u2581say \u2581ships"),
    ],
)
def test_words_start_where_words_start(
    kind: str, text: str, words: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    tokenizer, _ = make(kind, tmp_path_factory)
    encoded = tokenizer.encode_sentences([text])
    spelled: list[str] = []
    for number, starts in zip(encoded.tokens.tolist(), encoded.word_starts.tolist(), strict=True):
        piece = tokenizer.id_to_word[number]
        if starts:
            spelled.append(piece)
        else:
            spelled[-1] += piece.removeprefix("##")
    assert spelled == words.split(" ")


def test_gpt2s_own_pieces_are_those_of_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers", reason="the peer is not installed")
    if not SHARED.is_dir():
        pytest.skip("no shared vocabularies here")
    copy("gpt2/encoder.json", tmp_path / "vocab.json")
    copy("gpt2/vocab.bpe", tmp_path / "merges.txt")
    path = write_settings(tmp_path, tokenizer_config={"tokenizer_class": "GPT2Tokenizer"})
    with pytest.raises(UserError, match="must have a pad_token, cls_token, sep_token, mask_token"):
        Tokenizer.from_path(path)
    theirs = transformers.AutoTokenizer.from_pretrained(path)
    added = {role: name for role, name in NAMES.items() if role[:3] not in ("bos", "eos")}
    numbers = {str(50257 + n): {"content": name} for n, name in enumerate(added.values())}
    settings = {**added, "tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": numbers}
    ours = Tokenizer.from_path(write_settings(tmp_path, tokenizer_config=settings))
    for text in AWKWARD:
        assert ours.encode(text) == theirs(text)["input_ids"], text
        assert ours.decode(ours.encode(text)) == text
    assert ours.vocabulary.mask_id == 50261
