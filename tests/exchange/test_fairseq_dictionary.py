from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.data.tokens.tokenizer import Tokenizer
from lit_roberta.errors import UserError
from lit_roberta.exchange.fairseq_dictionary import read_tokenizer
from tests.exchange.fairseq_files import WORDS, write_dictionary

SHARED = Path(__file__).parents[2] / "../shared/data/vocab"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="no shared vocabularies here")

PIECES = ["a", "b", "c", "\u0120", "ab", "\u0120ab", "\u00c3", "\u00a9"]
MERGES = "#version: 0.2\na b\n\u0120 ab\n"
NUMBERS = ["4", "5", "0", "1", "3", "2", "7", "6"]


def read(folder: Path, *, size: int | None = None, **settings: object) -> Tokenizer:
    lines = (folder / "dict.txt").read_text(encoding="utf-8").splitlines()
    return read_tokenizer(folder, settings=settings, size=size or 4 + len(lines) + 1)


def write_gpt2(folder: Path, *, pieces: str = "encoder.json", merges: str = "vocab.bpe") -> None:
    write_dictionary(folder, NUMBERS)
    spelled = {piece: number for number, piece in enumerate(PIECES)}
    (folder / pieces).write_text(json.dumps(spelled), encoding="utf-8")
    (folder / merges).write_text(MERGES, encoding="utf-8")


def test_plain_words_are_split_at_spaces_and_keep_their_case(tmp_path: Path) -> None:
    write_dictionary(tmp_path)
    tokenizer = read(tmp_path)
    assert tokenizer.id_to_word == ["<s>", "<pad>", "</s>", "<unk>", *WORDS, "<mask>"]
    assert tokenizer.encode(" the\tcat  A,\u00a0C Cat") == [4, 5, 3, 10, 3]
    vocabulary = tokenizer.vocabulary
    assert (vocabulary.cls_id, vocabulary.pad_id, vocabulary.sep_id) == (0, 1, 2)
    assert (vocabulary.unk_id, vocabulary.mask_id) == (3, 11)
    assert vocabulary.special_ids == {0, 1, 2, 3, 11}
    assert tokenizer.decode([0, 4, 11, 2]) == "<s> the <mask> </s>"


def test_a_mark_of_the_byte_order_is_no_part_of_the_first_word(tmp_path: Path) -> None:
    write_dictionary(tmp_path)
    path = tmp_path / "dict.txt"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read(tmp_path).encode("the cat") == [4, 5]


def test_control_tokens_in_text_are_text(tmp_path: Path) -> None:
    write_dictionary(tmp_path)
    assert read(tmp_path).encode("the <mask> <s> </s> <pad> <unk>") == [4, 3, 3, 3, 3, 3]
    write_gpt2(tmp_path)
    tokenizer = read(tmp_path)
    assert tokenizer.vocabulary.special_ids.isdisjoint(tokenizer.encode("a <mask> </s> b"))


@pytest.mark.parametrize("names", [("encoder.json", "vocab.bpe"), ("vocab.json", "merges.txt")])
def test_numbers_are_gpt2s_pieces(tmp_path: Path, names: tuple[str, str]) -> None:
    write_gpt2(tmp_path, pieces=names[0], merges=names[1])
    tokenizer = read(tmp_path)
    spelled = [PIECES[int(number)] for number in NUMBERS]
    assert tokenizer.id_to_word == ["<s>", "<pad>", "</s>", "<unk>", *spelled, "<mask>"]
    assert tokenizer.encode("ab ab\u00e9") == [4, 5, 11, 10]
    assert tokenizer.decode(tokenizer.encode("ab ab\u00e9")) == "ab ab\u00e9"
    assert tokenizer.vocabulary.unk_id is None


@needs_shared
@pytest.mark.parametrize(
    "files",
    [("gpt2/encoder.json", "gpt2/vocab.bpe"), ("roberta/vocab.json", "roberta/merges.txt")],
)
def test_robertas_own_dictionary_gives_its_vocabulary(
    tmp_path: Path, files: tuple[str, str]
) -> None:
    for name in (*files, "roberta/dict.txt"):
        (tmp_path / Path(name).name).write_bytes((SHARED / name).read_bytes())
    tokenizer = read_tokenizer(tmp_path, settings={}, size=50265)
    assert tokenizer.word_to_id == json.loads((SHARED / "roberta/vocab.json").read_text())
    assert tokenizer.encode("Hello world") == [31414, 232]
    assert tokenizer.vocabulary == Tokenizer.from_path(str(SHARED / "roberta")).vocabulary


def test_a_word_may_be_repeated_where_its_line_says_so(tmp_path: Path) -> None:
    again = " #fairseq:overwrite\n"
    text = f"a 3\n<unk> 2{again}<s> 2{again}b c 1\na 0{again}<mask> 0\n"
    (tmp_path / "dict.txt").write_text(text, encoding="utf-8")
    tokenizer = read(tmp_path, size=10)
    words = ["", "<pad>", "</s>", "<unk>", "", "", "<s>", "b c", "a", "<mask>"]
    assert tokenizer.id_to_word == words
    assert tokenizer.vocabulary.unk_id == 3
    assert tokenizer.vocabulary.cls_id == 6
    assert tokenizer.encode("a x") == [8, 3]


def test_fillers_are_no_words_of_a_text(tmp_path: Path) -> None:
    write_gpt2(tmp_path)
    write_dictionary(tmp_path, [*NUMBERS, "madeupword0000", "madeupword0001"])
    assert read(tmp_path).id_to_word[12:] == ["madeupword0000", "madeupword0001", "<mask>"]


def write_ready(folder: Path, words: list[str]) -> None:
    ready = folder / "ready"
    ready.mkdir()
    write_dictionary(ready, words)
    read(ready).save(ready / "saved")
    (ready / "saved/tokenizer.json").rename(folder / "tokenizer.json")


def test_a_tokenizer_beside_the_dictionary_is_taken_if_it_numbers_alike(tmp_path: Path) -> None:
    write_dictionary(tmp_path, ["a@@", "b"])
    with pytest.raises(UserError, match="subword_nmt"):
        read(tmp_path)
    write_ready(tmp_path, ["a", "b"])
    with pytest.raises(UserError, match=r"tokenizer\.json must number .* 'a' for id 4, not 'a@@'"):
        read(tmp_path, bpe="subword_nmt")
    write_dictionary(tmp_path, ["a", "b"])
    assert read(tmp_path, bpe="sentencepiece").encode("b a") == [5, 4]
    write_dictionary(tmp_path, ["a", "b", "c"])
    with pytest.raises(UserError, match=r"tokenizer\.json must number"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("words", "settings", "told"),
    [
        (["\u2581the", "s"], {}, "sentencepiece pieces.* tokenizer.json"),
        (["the"], {"bpe": "fastbpe"}, "fastbpe pieces"),
        (["the"], {"bpe": ["x"]}, "pieces"),
        (["the"], {"tokenizer": "moses"}, "tokenizer must be None or space, got 'moses'"),
        (["4", "5"], {}, "encoder.json and vocab.bpe"),
        (["the", "the"], {}, "dict.txt must hold each word once, got 'the'. Line 2"),
        (["<pad>"], {}, "dict.txt must hold each word once, got '<pad>'"),
    ],
)
def test_what_can_not_be_split_into_its_words_is_refused(
    tmp_path: Path, words: list[str], settings: dict[str, Any], told: str
) -> None:
    write_dictionary(tmp_path, words)
    with pytest.raises(UserError, match=told) as caught:
        read(tmp_path, **settings)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [1, 11, 13])
def test_a_dictionary_of_another_size_is_refused(tmp_path: Path, size: int) -> None:
    write_dictionary(tmp_path)
    with pytest.raises(
        UserError, match=f"dict.txt must fit the model's vocabulary of {size}, got 12"
    ):
        read(tmp_path, size=size)


def test_a_model_without_its_dictionary_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"dict\.txt must lie beside the model"):
        read_tokenizer(tmp_path, settings={}, size=25)


@pytest.mark.parametrize("content", [b"", b"a", b"a b\n", b"a 1\n\nb 1\n", b"\xff 1\n", b" 1\n"])
def test_what_is_no_dictionary_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "dict.txt").write_bytes(content)
    with pytest.raises(UserError, match=r"dict\.txt must be") as caught:
        read_tokenizer(tmp_path, settings={}, size=25)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("encoder.json", "{"),
        ("encoder.json", "[]"),
        ("encoder.json", '{"a": "b"}'),
        ("encoder.json", '{"a": -1}'),
        ("encoder.json", "{}"),
        ("encoder.json", '{"<s>": 0, "<pad>": 1, "</s>": 2, "<unk>": 3}'),
        ("vocab.bpe", "a b c d"),
        ("vocab.bpe", "x y\n"),
    ],
)
def test_what_is_not_gpt2s_is_refused(tmp_path: Path, name: str, text: str) -> None:
    write_gpt2(tmp_path)
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"encoder\.json") as caught:
        read(tmp_path)
    assert "\n" not in str(caught.value)
