from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.errors import UserError

BERT = [
    "[PAD]",
    "[unused0]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "the",
    "cat",
    "##s",
    "[",
    "]",
    "sep",
    "cafe",
]
ROBERTA = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "t",
    "h",
    "e",
    "th",
    "the",
    "\u0120",
    "\u0120the",
    "<",
    ">",
    "/",
    "s",
]
MERGES = "#version: 0.2\nt h\nth e\n\u0120 the\n"
SHARED = Path(__file__).parents[3] / "../shared/data/vocab"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="no shared vocabularies here")


def write_bert(folder: Path, *, words: list[str] | None = None, **settings: object) -> str:
    (folder / "vocab.txt").write_text("\n".join(words or BERT) + "\n", encoding="utf-8")
    if settings:
        (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return str(folder)


def write_roberta(folder: Path) -> str:
    vocabulary = {word: number for number, word in enumerate(ROBERTA)} | {"<mask>": 20}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), encoding="utf-8")
    (folder / "merges.txt").write_text(MERGES, encoding="utf-8")
    return str(folder)


def spell(tokenizer: Tokenizer, text: str) -> list[str]:
    return [tokenizer.id_to_word[number] for number in tokenizer.encode(text)]


def test_a_bert_vocabulary_keeps_its_ids(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_path(write_bert(tmp_path, do_lower_case=True))
    vocabulary = tokenizer.vocabulary
    assert tokenizer.id_to_word == BERT
    assert (vocabulary.pad_id, vocabulary.unk_id, vocabulary.cls_id) == (0, 2, 3)
    assert (vocabulary.sep_id, vocabulary.mask_id) == (4, 5)
    assert vocabulary.special_ids == frozenset({0, 2, 3, 4, 5})
    assert spell(tokenizer, "The CATS caf\u00e9 [SEP]") == [
        "the",
        "cat",
        "##s",
        "cafe",
        "[",
        "sep",
        "]",
    ]
    assert tokenizer.notices == []


def test_case_is_guessed_from_the_words_with_a_notice(tmp_path: Path) -> None:
    uncased = Tokenizer.from_path(write_bert(tmp_path))
    assert spell(uncased, "The") == ["the"]
    assert uncased.notices == [
        f"{tmp_path / 'vocab.txt'} says nothing of case; by its words it is uncased"
    ]
    cased = Tokenizer.from_path(write_bert(tmp_path, words=[*BERT, "The"]))
    assert spell(cased, "The THE") == ["The", "[UNK]"]
    assert "it is cased" in cased.notices[0]


def test_a_roberta_vocabulary_keeps_its_ids_and_its_holes(tmp_path: Path) -> None:
    tokenizer = Tokenizer.from_path(write_roberta(tmp_path))
    vocabulary = tokenizer.vocabulary
    assert (vocabulary.size, vocabulary.pad_id, vocabulary.unk_id) == (21, 1, None)
    assert (vocabulary.cls_id, vocabulary.sep_id, vocabulary.mask_id) == (0, 2, 20)
    assert vocabulary.special_ids == frozenset({0, 1, 2, 3, 15, 16, 17, 18, 19, 20})
    assert spell(tokenizer, "the the") == ["the", "\u0120the"]
    assert spell(tokenizer, "</s>") == ["<", "/", "s", ">"]


def test_a_tokenizer_file_is_taken_without_padding_and_cutting(tmp_path: Path) -> None:
    ours = Tokenizer.train(["the cat sat"] * 2, TokenizerConfig(kind="word"))
    state = json.loads(ours.to_json())["backend"]
    state["padding"] = {
        "strategy": {"Fixed": 8}, "direction": "Right", "pad_to_multiple_of": None,
        "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]",
    }  # fmt: skip
    state["truncation"] = {
        "direction": "Right", "max_length": 1, "strategy": "LongestFirst", "stride": 0,
    }  # fmt: skip
    for token in state["added_tokens"]:
        token["special"] = False  # some files say so
    (tmp_path / "tokenizer.json").write_text(json.dumps(state), encoding="utf-8")
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        tokenizer = Tokenizer.from_path(str(path))
        assert tokenizer.encode("the cat [MASK]") == ours.encode("the cat [MASK]")
        assert tokenizer.vocabulary == ours.vocabulary


def test_names_beside_the_vocabulary_beat_the_usual_ones(tmp_path: Path) -> None:
    words = ["<blank>", *BERT]
    path = write_bert(tmp_path, words=words, do_lower_case=True, mask_token={"content": "<blank>"})
    tokenizer = Tokenizer.from_path(path)
    assert tokenizer.vocabulary.mask_id == 0
    assert tokenizer.special_tokens.mask_token == "<blank>"


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (
            {},
            "data.tokenizer.path must hold tokenizer.json, vocab.txt, or vocab.json and "
            "merges.txt",
        ),
        ({"vocab.json": "{}"}, "must hold tokenizer.json"),
        ({"tokenizer.json": "{"}, "data.tokenizer.path must be a tokenizer"),
        ({"vocab.json": "{}", "merges.txt": "a b c d"}, "data.tokenizer.path must be a tokenizer"),
        ({"vocab.txt": "[PAD]\n[UNK]\na"}, "must have a cls_token, sep_token, mask_token, got"),
        ({"vocab.txt": "a", "tokenizer_config.json": "{"}, "data.tokenizer.path must be readable"),
    ],
)
def test_what_is_no_tokenizer_is_refused(
    tmp_path: Path, files: dict[str, str], words: str
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        Tokenizer.from_path(str(tmp_path))
    assert words in str(caught.value)


def test_a_path_takes_the_place_of_training(tmp_path: Path) -> None:
    path = write_bert(tmp_path, do_lower_case=True)
    assert Tokenizer.train([], TokenizerConfig(path=path)).id_to_word == BERT


@needs_shared
@pytest.mark.parametrize(
    ("name", "text", "ids"),
    [
        ("roberta", "Hello world", [31414, 232]),
        ("bert-base-uncased", "Hello world", [7592, 2088]),
        ("bert-base-uncased/minilm_tokenizer.json", "Hello world", [7592, 2088]),
    ],
)
def test_the_papers_own_vocabularies_give_their_ids(name: str, text: str, ids: list[int]) -> None:
    assert Tokenizer.from_path(str(SHARED / name)).encode(text) == ids


@needs_shared
@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.text() | st.sampled_from(["[SEP]", "[MASK]", "</s>", "<mask>", "<s>", " ", "the"])
    ).map("".join)
)
def test_text_never_becomes_a_control_token_of_a_ready_vocabulary(text: str) -> None:
    for name in ("roberta", "bert-base-uncased", "bert-base-uncased/minilm_tokenizer.json"):
        if name not in _loaded:
            _loaded[name] = Tokenizer.from_path(str(SHARED / name))
        tokenizer = _loaded[name]
        ids = tokenizer.encode(text)
        control = tokenizer.vocabulary.special_ids - {tokenizer.vocabulary.unk_id}
        assert control.isdisjoint(ids)
        if name == "roberta":
            assert tokenizer.decode(ids) == text


_loaded: dict[str, Tokenizer] = {}


@pytest.mark.parametrize("name", ["tokenizer_config.json", "special_tokens_map.json"])
@pytest.mark.parametrize("content", ["[1]", "3", "null", '"words"'])
def test_settings_that_are_no_object_are_refused(tmp_path: Path, name: str, content: str) -> None:
    path = write_bert(tmp_path)
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        Tokenizer.from_path(path)
    assert str(caught.value) == (
        f"data.tokenizer.path must hold a JSON object in {name}, got {path!r}. "
        f"It holds {content}: repair it or take it away."
    )


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, '{"do_lower_case": "yes"}'])
def test_settings_that_can_not_be_used_are_refused(tmp_path: Path, content: str) -> None:
    path = write_bert(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(content, encoding="utf-8")
    with pytest.raises(
        UserError, match=r"^data\.tokenizer\.path must be readable, got "
    ) as caught:
        Tokenizer.from_path(path)
    assert "\n" not in str(caught.value)


def test_a_path_that_is_too_long_is_refused() -> None:
    with pytest.raises(
        UserError, match=r"must be readable, got .* It fails with: File name too lo"
    ):
        Tokenizer.from_path("x" * 5000)


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"unk_token": "[NONE]"}, "have its unk_token in its vocabulary"),
        ({"vocab": {word: n for n, word in enumerate(BERT) if n != 2}}, "have its unk_token in"),
        ({"vocab": {word: n + 2**27 * (n > 4) for n, word in enumerate(BERT)}}, "words ids below"),
        ({"vocab": {word: min(n, 9) for n, word in enumerate(BERT)}}, "give each word an id of"),
        ({"vocab": {word: max(n, 3) for n, word in enumerate(BERT)}}, "give each word an id of"),
        ({"type": "Unigram", "vocab": [[word, -1.0] for word in BERT]}, "have its unk_token in"),
    ],
)
@pytest.mark.parametrize("kind", ["WordLevel", "WordPiece"])
def test_what_would_fail_on_some_text_is_refused(
    tmp_path: Path, kind: str, changes: dict[str, Any], rule: str
) -> None:
    whole = tmp_path / "whole"
    Tokenizer.from_path(write_bert(tmp_path, do_lower_case=True)).save(whole)
    state = json.loads((whole / "tokenizer.json").read_text(encoding="utf-8"))
    state["added_tokens"] = []
    model: dict[str, Any] = state["model"] | {"type": kind}
    (whole / "tokenizer.json").write_text(json.dumps(state | {"model": model}), encoding="utf-8")
    assert Tokenizer.from_path(str(whole)).encode("the xyz") == [6, 2]
    model |= changes
    (whole / "tokenizer.json").write_text(json.dumps(state | {"model": model}), encoding="utf-8")
    with pytest.raises(UserError, match=rule):
        Tokenizer.from_path(str(whole))


def test_a_wordpiece_vocabulary_may_call_what_is_unknown_otherwise(tmp_path: Path) -> None:
    words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "the"]
    tokenizer = Tokenizer.from_path(write_bert(tmp_path, words=words, do_lower_case=True))
    assert spell(tokenizer, "The cat") == ["the", "<unk>"]
