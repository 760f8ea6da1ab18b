from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.data.tokens.tokenizer import Tokenizer, TokenizerConfig
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.tokenizer_files import write_tokenizer
from lit_roberta.finetuning.examples import Answer, QuestionExample
from lit_roberta.finetuning.items import Layout
from lit_roberta.finetuning.windows import NO_ANSWER, Windows, window_begins
from tests.inference.models import KINDS, TEXTS, train_tokenizer

WORDS = ["rain", "tea", "ship", "captain", "caf\u00e9", "(love)", "old", "and", "so,", "you."]
TOKENIZERS = {kind: train_tokenizer(kind) for kind in KINDS}


def layout(kind: str, length: int = 128, family: Family = "bert") -> Layout:
    segments = family == "bert"
    tokenizer = TOKENIZERS[kind]
    return Layout(tokenizer=tokenizer, family=family, max_length=length, segments=segments)


def about(context: str, *answers: str) -> QuestionExample:
    """A question whose answers stand where they are first found."""
    placed = tuple(Answer(text, context.index(text)) for text in answers)
    return QuestionExample("q", "so what is it?", context, placed, "a test")


@given(st.integers(0, 300), st.integers(1, 60), st.integers(0, 200))
def test_each_token_is_in_a_window_and_so_is_each_run_of_the_overlap_and_one_more(
    num_tokens: int, room: int, overlap: int
) -> None:
    begins = list(window_begins(num_tokens, room=room, overlap=overlap))
    shared = min(overlap, room // 2)
    for start in range(num_tokens - shared):
        assert any(begin <= start and start + shared < begin + room for begin in begins)
    covered = {token for begin in begins for token in range(begin, begin + room)}
    assert set(range(num_tokens)) <= covered
    assert begins[0] == 0
    # none is for nothing
    assert all(begin + shared < num_tokens for begin in begins[1:])


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stride", [16, 64, 127])
def test_the_windows_of_a_long_context_hold_all_of_it_and_each_answer(
    kind: str, stride: int, family: Family
) -> None:
    words = [WORDS[number % len(WORDS)] + str(number) for number in range(1000)]
    context = " ".join(words)
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    own = layout(kind, family=family)
    whole = own.tokenizer.encode(context)
    answers = [Answer(words[at], int(starts[at])) for at in range(0, 1000, 37)]
    examples = [
        QuestionExample(str(number), "so what is it?", context, (answer,), "a test")
        for number, answer in enumerate(answers)
    ]
    items = Windows(overlap=stride, longest_question=64).items(examples, own)
    question = own.tokenizer.encode("so what is it?")
    room = 128 - own.num_control(pair=True) - len(question)
    begins = window_begins(len(whole), room=room, overlap=stride)
    for number, answer in enumerate(answers):
        windows = [item for item in items if item.example == number]
        assert all(item.seq <= 128 for item in windows)
        ids: dict[int, int] = {}
        for begin, item in zip(begins, windows, strict=True):
            span, row = item.spans, item.rows[0].input_ids
            part = row[span.first : span.first + len(span.starts)].tolist()
            ids |= {begin + n: token for n, token in enumerate(part)}
            assert row[span.first - 1] == own.tokenizer.vocabulary.sep_id
            assert row[span.first + len(span.starts)] == own.tokenizer.vocabulary.sep_id
        assert [ids[place] for place in sorted(ids)] == whole
        found = {_answer(item) for item in windows if (item.labels != NO_ANSWER).any()}
        assert found == {answer.text}


def _answer(item: Any) -> str:
    begin, end = item.labels - item.spans.first
    text: str = item.spans.context[item.spans.starts[begin] : item.spans.stops[end]]
    return text


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", ["old ship", "caf\u00e9", "captain's", "tea  and\ttea"])
def test_answers_are_their_tokens_without_the_space_before_them(kind: str, answer: str) -> None:
    context = "\n the old ship's  old ship\n\ncaptain's caf\u00e9, tea  and\ttea \n"
    (item,) = Windows(overlap=8, longest_question=8).items(
        [about(context, answer)], layout(kind, length=120)
    )
    assert _answer(item) == answer


ODD = [
    *(
        "e\u0301te\u0301",
        "a\u0308\u0323",
        "\u0915\u094d\u0937\u093f",
        "x\ufe0f",
        "\u1112\u1161\u11ab",
    ),
    *(
        "\u0130stanbul",
        "\u0130",
        "\ufb01ne",
        "\u1e9e",
        "\u212b",
        "\u2126",
        "\u00bd",
        "\u2026tea",
        "\u00adtea",
    ),
    *(
        "\U0001f469\u200d\U0001f469\u200d\U0001f467",
        "\U0001f1e9\U0001f1ea",
        "\u200btea",
        "\u201ctea\u201d",
    ),
]
"""Words whose letters are more or fewer, or others, once they are normalized or in lower case."""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("normalization", ["none", "NFC", "NFKC"])
@pytest.mark.parametrize("lowercase", [True, False])
@pytest.mark.parametrize("strip_accents", [True, False])
def test_answers_are_whole_words_whatever_normalization_makes_of_them(
    kind: Any, normalization: Any, lowercase: bool, strip_accents: bool
) -> None:
    config = TokenizerConfig(
        kind=kind,
        vocab_size=None if kind == "word" else 330,
        min_frequency=1,
        normalization=normalization,
        lowercase=lowercase,
        strip_accents=strip_accents,
    )
    tokenizer = Tokenizer.train([*TEXTS, " ".join(ODD)] * 2, config)
    own = Layout(tokenizer=tokenizer, family="bert", max_length=200, segments=True)
    for between in (" ", "  ", "\u00a0", "\n"):
        context = between.join(["tea", *ODD, "rain"])
        items = Windows(overlap=8, longest_question=8).items(
            [about(context, f"{between}{word}{between}") for word in ODD], own
        )
        assert [_answer(item) for item in items] == ODD


def test_a_window_without_the_whole_answer_is_learned_as_none() -> None:
    context = " ".join(["rain"] * 30 + ["old", "ship", "captain"] + ["tea"] * 30)
    example = about(context, "old ship captain")
    items = Windows(overlap=4, longest_question=8).items([example], layout("word", length=20))
    assert len(items) > 3
    for item in items:
        held = item.spans.context[item.spans.starts[0] : item.spans.stops[-1]]
        assert (item.labels != NO_ANSWER).any() == ("old ship captain" in held)
    none = example._replace(answers=())
    unknown = example._replace(answers=None)
    windows = Windows(overlap=4, longest_question=8)
    assert not any(item.labels.any() for item in windows.items([none], layout("word", 20)))
    assert all((item.labels == -100).all() for item in windows.items([unknown], layout("word")))


def test_a_long_question_leaves_room_for_the_context() -> None:
    example = about("the old ship", "ship")._replace(question="so what " * 99)
    own = layout("word", length=20)
    items = Windows(overlap=128, longest_question=64).items([example], own)
    assert all(item.seq <= 20 for item in items)
    assert items[0].spans.first == 2 + own.max_length // 2 - 2


@pytest.mark.parametrize("family", ["bert", "roberta"])
@pytest.mark.parametrize("kind", ["wordpiece", "bytelevel-bpe"])
def test_windows_are_those_of_transformers(tmp_path: Path, kind: str, family: Family) -> None:
    transformers = pytest.importorskip("transformers", reason="its tokenizers are the peer")
    own = layout(kind, length=40, family=family)
    context = " ".join(WORDS * 9)
    items = Windows(overlap=7, longest_question=30).items([about(context, "ship")], own)
    write_tokenizer(own.tokenizer, tmp_path, family=family, max_length=40, second_segment=1)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)(
        "so what is it?",
        context,
        truncation="only_second",
        max_length=40,
        stride=7,
        return_overflowing_tokens=True,
    )
    assert [item.rows[0].input_ids.tolist() for item in items] == theirs["input_ids"]
