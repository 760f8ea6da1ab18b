from __future__ import annotations

import copy
import os
import pickle
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader, TensorDataset

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig, TokenizerKind
from lit_roberta.errors import UserError

SENTENCES = [
    "The old lighthouse keeper climbed the stairs.",
    "The keeper lit the lamp, and the old lamp burned all night.",
    "Nobody saw the ship; nobody heard the bell.",
    "The bell of the ship was old, and the stairs were steep.",
    "A caf\u00e9 is open all night: the caf\u00e9 of the old keeper.",
] * 3
KINDS: list[TokenizerKind] = ["word", "wordpiece", "bytelevel-bpe"]
CONFIGS = [
    TokenizerConfig(kind="word"),
    TokenizerConfig(kind="word", split_punctuation=False, lowercase=False, min_frequency=1),
    TokenizerConfig(kind="wordpiece", vocab_size=90),
    TokenizerConfig(kind="wordpiece", vocab_size=90, split_punctuation=False, lowercase=False),
    TokenizerConfig(kind="bytelevel-bpe", vocab_size=300),
    TokenizerConfig(kind="bytelevel-bpe", vocab_size=300, normalization="none"),
]
CONTROL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "<s>", "</s>", "<pad>", "<mask>", "<unk>"]

trained: dict[int, Tokenizer] = {}


def train(number: int) -> Tokenizer:
    """Train a tokenizer once, on text that is full of control tokens as well."""
    if number not in trained:
        noise = [f"a {name} b{name}c {name}" for name in CONTROL] * 3
        trained[number] = Tokenizer.train([*SENTENCES, *noise], CONFIGS[number])
    return trained[number]


every_config = pytest.mark.parametrize("number", range(len(CONFIGS)))
text_with_control = st.lists(st.text() | st.sampled_from([*CONTROL, " ", *SENTENCES])).map("".join)


@every_config
def test_the_special_tokens_have_the_first_ids(number: int) -> None:
    tokenizer = train(number)
    assert tokenizer.id_to_word[:5] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = tokenizer.vocabulary
    assert (vocabulary.pad_id, vocabulary.cls_id, vocabulary.sep_id, vocabulary.mask_id) == (
        0,
        2,
        3,
        4,
    )
    assert vocabulary.unk_id == (None if CONFIGS[number].kind == "bytelevel-bpe" else 1)
    assert vocabulary.special_ids == frozenset(range(5))


@every_config
def test_words_and_ids_are_inverse(number: int) -> None:
    tokenizer = train(number)
    assert tokenizer.vocab_size == tokenizer.vocabulary.size == len(tokenizer.id_to_word)
    assert tokenizer.word_to_id == {word: n for n, word in enumerate(tokenizer.id_to_word)}


@every_config
@settings(max_examples=60, deadline=None)
@given(text=text_with_control)
def test_text_never_becomes_a_control_token(number: int, text: str) -> None:
    tokenizer = train(number)
    control = tokenizer.vocabulary.special_ids - {tokenizer.vocabulary.unk_id}
    assert control.isdisjoint(tokenizer.encode(text))


@settings(max_examples=200, deadline=None)
@given(text=text_with_control)
def test_bytelevel_bpe_gives_every_text_back(text: str) -> None:
    tokenizer = train(5)
    assert tokenizer.decode(tokenizer.encode(text)) == text


@every_config
@settings(max_examples=30, deadline=None)
@given(text=text_with_control)
def test_a_tokenizer_travels_as_json(number: int, text: str) -> None:
    tokenizer = train(number)
    for other in (Tokenizer.from_json(tokenizer.to_json()), pickle.loads(pickle.dumps(tokenizer))):
        assert other.encode(text) == tokenizer.encode(text)
        assert other.decode(other.encode(text)) == tokenizer.decode(tokenizer.encode(text))
        assert other.vocabulary == tokenizer.vocabulary
        assert other.id_to_word == tokenizer.id_to_word
        assert other.to_json() == tokenizer.to_json()
    assert copy.deepcopy(tokenizer).encode("[SEP]") == tokenizer.encode("[SEP]")


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "the old ship; nobody heard the bell."),
        (1, "The old lighthouse keeper climbed the stairs."),
        (2, "the old lamp burned all night."),
        (4, "The old caf\u00e9, burned."),
    ],
)
def test_decoding_gives_readable_text(number: int, text: str) -> None:
    tokenizer = train(number)
    assert tokenizer.decode(tokenizer.encode(text)) == text


def test_decoding_shows_special_tokens_and_refuses_strange_ids() -> None:
    tokenizer = train(0)
    assert (
        tokenizer.decode([2, *tokenizer.encode("old bell"), 4, 3]) == "[CLS] old bell [MASK] [SEP]"
    )
    with pytest.raises(ValueError, match="ids must lie below"):
        tokenizer.decode([tokenizer.vocab_size])
    with pytest.raises(ValueError, match="ids must lie below"):
        tokenizer.decode([-1])


@every_config
def test_a_corpus_is_its_sentences(number: int) -> None:
    tokenizer = train(number)
    documents = [SENTENCES[:3], ["", "  "], [], ["\u200b", SENTENCES[4]], [""]]
    corpus = tokenizer.encode_corpus(documents)
    encoded = [
        [ids for sentence in document if (ids := tokenizer.encode(sentence))]
        for document in documents
    ]
    kept = [document for document in encoded if document]
    flat = [ids for document in kept for ids in document]
    assert corpus.tokens.tolist() == [token for ids in flat for token in ids]
    assert np.diff(corpus.sentence_offsets).tolist() == list(map(len, flat))
    assert np.diff(corpus.document_offsets).tolist() == list(map(len, kept))
    assert corpus.tokens.dtype == np.uint16
    assert corpus.word_starts[corpus.sentence_offsets[:-1]].all()


def test_a_corpus_without_text_is_empty() -> None:
    assert train(0).encode_corpus([]).num_tokens == 0
    assert train(0).encode_corpus([[""]]).num_documents == 0


@pytest.mark.parametrize("number", [2, 4])
def test_words_start_where_the_tokenizer_says(number: int) -> None:
    corpus = train(number).encode_corpus([["The lighthouse keepers, nobody."]])
    pieces = [train(number).id_to_word[token] for token in corpus.tokens]
    starts = np.flatnonzero(corpus.word_starts).tolist()
    words = [
        "".join(pieces[start:stop])
        for start, stop in zip(starts, [*starts[1:], len(pieces)], strict=True)
    ]
    assert len(pieces) > len(words)
    if number == 2:
        assert [word.replace("##", "") for word in words] == [
            "the", "lighthouse", "keepers", ",", "nobody", ".",
        ]  # fmt: skip
    else:
        assert words == ["The", "\u0120lighthouse", "\u0120keepers", ",", "\u0120nobody", "."]


def test_many_sentences_are_encoded_as_one_by_one() -> None:
    tokenizer = train(4)
    sentences = [f"{SENTENCES[number % 5]} {number}" for number in range(9000)]
    corpus = tokenizer.encode_corpus([sentences])
    for number in (0, 4095, 4096, 8191, 8192, 8999):
        start, stop = corpus.sentence_offsets[number : number + 2]
        assert corpus.tokens[start:stop].tolist() == tokenizer.encode(sentences[number])


@pytest.mark.slow
def test_a_vocabulary_above_65536_needs_wider_tokens() -> None:
    words = [f"w{number}" for number in range(65_600)]
    tokenizer = Tokenizer.train([" ".join(words)], TokenizerConfig(kind="word", min_frequency=1))
    corpus = tokenizer.encode_corpus([[" ".join(words)]])
    assert corpus.tokens.dtype == np.int32
    assert corpus.tokens.max() == tokenizer.vocab_size - 1 == 65_604


def test_a_size_that_the_text_can_not_fill_is_said() -> None:
    for kind in KINDS:
        tokenizer = Tokenizer.train(SENTENCES, TokenizerConfig(kind=kind, vocab_size=5000))
        assert tokenizer.vocab_size < 5000
        assert tokenizer.notices == [
            f"the vocabulary has {tokenizer.vocab_size:,} entries where 5,000 were asked for: the "
            "text holds no more that is seen 2 times"
        ]
        assert Tokenizer.from_json(tokenizer.to_json()).notices == tokenizer.notices
    assert Tokenizer.train(SENTENCES, TokenizerConfig(kind="word")).notices == []


@pytest.mark.parametrize("sentences", [[], [""], ["every word is here once"]])
def test_text_without_a_word_to_learn_is_an_error(sentences: list[str]) -> None:
    with pytest.raises(
        UserError, match=r"data\.corpus must hold a word that is seen 2 times, got 'none'"
    ):
        Tokenizer.train(sentences, TokenizerConfig(kind="word"))


@pytest.fixture(params=[None, "true", "false"])
def parallelism(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKENIZERS_PARALLELISM", raising=False)
    if request.param is not None:
        monkeypatch.setenv("TOKENIZERS_PARALLELISM", request.param)


# From Python 3.12 on a fork beside threads warns; that it does no harm here is what is tested.
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.usefixtures("parallelism")
def test_loader_workers_start_after_the_tokenizer_has_used_its_threads() -> None:
    corpus = train(4).encode_corpus([SENTENCES * 100])
    tokens = torch.from_numpy(corpus.tokens.astype(np.int64))
    loader = DataLoader(
        TensorDataset(tokens),
        batch_size=len(tokens) // 4,
        num_workers=2,
        timeout=60,  # a worker that hangs is an error
        multiprocessing_context="fork",
    )
    assert sum(len(batch) for (batch,) in loader) == len(tokens)


def encode_in_child(path: str) -> None:
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123 (forked, as little as possible)
        file.write(str(len(train(4).encode(SENTENCES[0]))))


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.usefixtures("parallelism")
def test_a_forked_process_can_still_encode_a_sentence(tmp_path: os.PathLike[str]) -> None:
    train(4).encode_corpus([SENTENCES * 100])
    path = os.path.join(tmp_path, "out")  # noqa: PTH118
    process = get_context("fork").Process(target=encode_in_child, args=(path,))
    process.start()
    process.join(60)
    assert process.exitcode == 0


@pytest.mark.parametrize(("name", "most"), [("vocab_size", 2**24), ("min_frequency", 2**31 - 1)])
@pytest.mark.parametrize("value", [2**31, 2**63, 10**30])
def test_numbers_that_no_text_fills_are_refused(name: str, most: int, value: int) -> None:
    with pytest.raises(UserError) as caught:
        TokenizerConfig(**{name: value})  # type: ignore[arg-type]
    assert str(caught.value).startswith(
        f"data.tokenizer.{name} must be at most {most:,}, got {value}."
    )


def test_the_largest_numbers_are_taken() -> None:
    config = TokenizerConfig(kind="wordpiece", vocab_size=2**24)
    assert Tokenizer.train(SENTENCES, config).vocab_size < 1000


@pytest.mark.parametrize(
    ("given_", "got"),
    [(iter([["One.", "Two."]]), "list"), (iter([b"One."]), "bytes"), (iter(["One.", 3]), "int")],
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_sentence_is_a_clear_type_error(
    kind: TokenizerKind, given_: Any, got: str
) -> None:
    given_ = copy.copy(given_)
    with pytest.raises(TypeError) as caught:
        Tokenizer.train(given_, TokenizerConfig(kind=kind, min_frequency=1))
    assert f"sentences must be strings, got a {got}" in str(caught.value)
    assert "chain.from_iterable(documents)" in str(caught.value)


def test_a_text_is_not_taken_for_its_sentences() -> None:
    with pytest.raises(TypeError, match="sentences must be a list of strings, got one string"):
        Tokenizer.train("One sentence.", TokenizerConfig())
