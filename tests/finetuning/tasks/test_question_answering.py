from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from lit_roberta.errors import UserError
from lit_roberta.finetuning.answer_search import AnswerSearch, best_spans
from lit_roberta.finetuning.examples import Answer, QuestionExample
from lit_roberta.finetuning.items import Item, Layout, make_batch
from lit_roberta.finetuning.tasks.losses import PLAIN
from lit_roberta.finetuning.tasks.question_answering import QuestionAnswering
from lit_roberta.finetuning.windows import Window
from tests.inference.models import KINDS, train_tokenizer

TOKENIZERS = {kind: train_tokenizer(kind) for kind in KINDS}
CONTEXTS = {
    "So the old ship's captain said that it would rain, and so it rained.": ["captain", "rained"],
    "  Caf\u00e9 or  tea?\n\nThe   caf\u00e9\u2019s tea is (love):\n you  and\tI\n": [
        "caf\u00e9\u2019s tea",
        "tea?\n\nThe   caf\u00e9",
        "(love)",
        "you  and\tI",
    ],
    "\u96e8 and tea, \U0001f409 and \u8336": ["\u96e8", "\u8336", "\U0001f409 and \u8336"],
    " ".join(["rain and tea"] * 40 + ["the captain"] + ["ship"] * 40): ["captain", "the captain"],
}


def layout(kind: str, length: int = 60) -> Layout:
    tokenizer = TOKENIZERS[kind]
    return Layout(tokenizer=tokenizer, family="roberta", max_length=length, segments=False)


def questions() -> list[QuestionExample]:
    return [
        QuestionExample(f"{place}", "so what?", text, (Answer(answer, text.index(answer)),), "")
        for text, answers in CONTEXTS.items()
        for place, answer in enumerate(answers)
    ]


def without_answer(count: int = 3) -> list[QuestionExample]:
    text = next(iter(CONTEXTS))
    return [QuestionExample(str(n), "so why?", text, (), "") for n in range(count)]


def perfect_logits(items: Sequence[Item], *, none: float = 5.0) -> Tensor:
    """What a model says that knows everything: no answer in a window is `none` at [CLS]."""
    logits = torch.full((len(items), max(item.seq for item in items), 2), -9.0)
    for number, item in enumerate(items):
        start, end = item.labels.tolist()
        high = 9.0 if end else none
        logits[number, start, 0] = logits[number, end, 1] = high
    return logits


def judged(
    examples: Sequence[QuestionExample], kind: str, options: dict[str, Any] | None = None
) -> tuple[dict[str, float], list[Any]]:
    task = QuestionAnswering(options=options)
    items = task.items(examples, layout(kind))
    predictions = task.predictions(items, perfect_logits(items))
    return task.scores(examples, predictions), predictions


@pytest.mark.parametrize("kind", KINDS)
def test_who_knows_the_places_gives_the_very_words(kind: str) -> None:
    examples = questions()
    scores, predictions = judged(examples, kind, {"stride": 16})
    assert scores == {"f1": 1.0, "exact_match": 1.0}
    for example, prediction in zip(examples, predictions, strict=True):
        assert example.answers is not None
        assert (prediction.text, prediction.start) == example.answers[0]
        assert example.context[prediction.start : prediction.stop] == prediction.text
        assert prediction.probability > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_is_given_where_there_is_none(kind: str) -> None:
    examples = [*questions(), *without_answer()]
    found = QuestionAnswering.found_options(examples)
    scores, predictions = judged(examples, kind, found | {"stride": 16})
    assert scores["f1"] == scores["exact_match"] == scores["best_f1"] == 1.0
    assert [prediction.text for prediction in predictions[-3:]] == [""] * 3
    assert all(prediction.start is None for prediction in predictions[-3:])
    assert all(prediction.as_dict()["found"] for prediction in predictions)


def test_a_file_without_any_answer_is_judged_but_not_learned_from() -> None:
    scores, _ = judged(without_answer(), "word", {"unanswerable": True})
    assert scores["f1"] == scores["exact_match"] == scores["best_f1"] == 1.0
    task = QuestionAnswering(options={"unanswerable": True})
    naive = task.naive_prediction(questions())
    assert task.scores(without_answer(), [naive] * 3)["f1"] == 1.0
    assert naive.as_dict()["text"] == ""
    for examples in (without_answer(), [questions()[0]._replace(answers=None)]):
        with pytest.raises(UserError, match="hold questions with answers"):
            QuestionAnswering.found_options(examples)


def test_the_threshold_decides_and_nothing_does_where_each_question_has_an_answer() -> None:
    (example,) = questions()[:1]

    def text_at(none: float, **options: Any) -> str:
        task = QuestionAnswering(options=options)
        items = task.items([example], layout("word"))
        logits = perfect_logits(items)
        logits[:, 0] = none
        (prediction,) = task.predictions(items, logits)
        assert prediction.null_score == 2 * none
        return prediction.text

    assert text_at(30.0) == "captain"
    assert text_at(8.0, unanswerable=True) == "captain"
    assert text_at(10.0, unanswerable=True) == ""
    assert text_at(10.0, unanswerable=True, null_threshold=2.0) == "captain"
    assert text_at(8.0, unanswerable=True, null_threshold=-2.5) == ""


def test_one_window_that_is_sure_of_an_answer_is_enough() -> None:
    example = questions()[-1]
    task = QuestionAnswering(options={"unanswerable": True, "stride": 16})
    items = task.items([example], layout("word"))
    assert len(items) > 2
    (prediction,) = task.predictions(items, perfect_logits(items, none=20.0))
    assert prediction.text == "the captain"
    assert prediction.null_score == -18.0  # of the window that holds the answer


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_answer_in_two_windows_has_the_score_of_the_surer_one(order: tuple[int, int]) -> None:
    places = np.arange(2)
    window = Window("ab", 1, places, places + 1)
    logits = np.full((2, 4, 2), -50.0, np.float32)
    logits[:, 1] = np.array([[3.0], [1.0]])  # the same letter in both
    search = AnswerSearch(longest=1, shown=5, null_threshold=None)
    found = search.predict([window, window], logits[list(order)]).found
    assert [(each.text, each.score) for each in found] == [("a", 6.0), ("b", -100.0)]


def test_no_answer_has_a_share_only_where_it_may_be_given() -> None:
    places = np.arange(2)
    window = Window("ab", 1, places, places + 1)
    logits = np.zeros((1, 4, 2), np.float32)
    for threshold, share in ((None, 1 / 2), (9.0, 1 / 3)):
        search = AnswerSearch(longest=1, shown=5, null_threshold=threshold)
        found = search.predict([window], logits).found
        assert [each.probability for each in found] == pytest.approx([share] * 2)


def test_a_context_that_vanishes_in_tokens_has_no_answer() -> None:
    (item,) = QuestionAnswering().items(without_answer(1), layout("word"))
    none = np.empty(0, np.int64)
    item = item._replace(spans=item.spans._replace(starts=none, stops=none))
    for options in ({}, {"unanswerable": True}):
        (prediction,) = QuestionAnswering(options=options).predictions(
            [item], torch.zeros(1, item.seq, 2)
        )
        assert (prediction.text, prediction.found) == ("", ())


@given(st.integers(0, 9), st.integers(1, 5), st.integers(1, 30), st.integers(0, 2**31))
def test_the_search_finds_what_trying_all_spans_finds(
    size: int, longest: int, count: int, seed: int
) -> None:
    logits = np.random.default_rng(seed).normal(size=(size + 4, 2)).astype(np.float32)
    places = np.arange(size)
    window = Window("x" * size, 3, places, places + 1)
    scores, begins, ends = best_spans(window, logits, longest=longest, count=count)
    wanted = sorted(
        (logits[3 + begin, 0] + logits[3 + end, 1], begin, end)
        for begin in range(size)
        for end in range(begin, min(size, begin + longest))
    )[-count:]
    assert sorted(zip(scores, begins, ends, strict=True)) == wanted


def test_the_loss_is_that_of_both_ends_and_padding_is_none_of_it() -> None:
    task, own = QuestionAnswering(options={"stride": 16}), layout("bytelevel-bpe")
    items = task.items([*questions(), *without_answer()], own)
    generator = torch.Generator().manual_seed(0)
    rows = [torch.randn(item.seq, 2, generator=generator) for item in items]
    wanted = right = 0.0
    for item, row in zip(items, rows, strict=True):
        for end in range(2):
            wanted -= float(row[:, end].log_softmax(0)[item.labels[end]])
            right += float(row[:, end].argmax() == item.labels[end])
    batch = make_batch(items, pad_id=own.tokenizer.vocabulary.pad_id, segments=False)
    assert batch.attention_mask is not None
    padded = torch.full((*batch.input_ids.shape, 2), 99.0)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    padded.requires_grad_()
    loss = task.losses(task.without_padding(padded, batch.attention_mask), batch.labels, PLAIN)
    assert loss.loss.item() == pytest.approx(wanted, rel=1e-5)
    assert loss.num_correct.item() == right
    loss.loss.backward()  # type: ignore[no-untyped-call]
    assert padded.grad is not None
    assert not padded.grad[~batch.attention_mask].any()
    assert padded.grad.isfinite().all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strides": 3}, "data.options must be of stride, .*, got 'strides'"),
        ({"stride": -1}, "data.options.stride must be 0 or more"),
        ({"stride": 2.5}, "Left out, it is 128"),
        ({"max_answer_length": 0}, "must be 1 or more, got 0"),
        ({"max_question_length": "long"}, "must be a whole number"),
        ({"n_best": True}, "must be a whole number"),
        ({"unanswerable": "yes"}, "must be true or false"),
        ({"null_threshold": 1.0}, "be left out where every question has an answer"),
        ({"null_threshold": "1", "unanswerable": True}, "must be a number"),
    ],
)
def test_options_that_make_no_sense_are_one_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        QuestionAnswering(options=options)


def test_it_has_no_labels_of_its_own() -> None:
    with pytest.raises(UserError, match=r"data\.labels must be left out"):
        QuestionAnswering(["yes"])
    assert QuestionAnswering().exchange_task().num_outputs == 2


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (1, ["1 question has no answer.", "1 answer is in no window as a whole", "keeps it."]),
        (2, ["2 questions have no answer.", "2 answers are in no window as a", "keeps them."]),
    ],
)
def test_what_is_told_of_questions_is_told_of_one_as_of_many(count: int, said: list[str]) -> None:
    text = "rain and tea " * 20
    answer = Answer(text[:200], 0)
    lost = [QuestionExample(str(n), "so what?", text, (answer,), "") for n in range(count)]
    task = QuestionAnswering()
    told = " ".join(task.notes(task.items([*without_answer(count), *lost], layout("word", 24))))
    assert all(each in told for each in said)
    assert "windows of 1 question." in " ".join(
        task.notes(task.items(lost[:1], layout("word", 24)))
    )
