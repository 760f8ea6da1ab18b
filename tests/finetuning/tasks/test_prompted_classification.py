"""A label as a word in a blank: rows, what is said before any update, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lit_roberta.errors import UserError
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import Family
from lit_roberta.exchange.pretrained import Pretrained
from lit_roberta.finetuning.asking import TaskInput, example_of
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.freezing import Freeze, freeze_weights
from lit_roberta.finetuning.items import Item, Layout
from lit_roberta.finetuning.predicting import FinetunedModel, predict
from lit_roberta.finetuning.starting import start_model
from lit_roberta.finetuning.tasks.prompted_classification import PromptedClassification
from lit_roberta.inference.cloze import make_prompt, read_words
from lit_roberta.inference.text_model import TextModel, load_model
from lit_roberta.probing.zero_shot import judge_zero_shot, log_probabilities
from tests.inference.models import KINDS, LENGTH, TEXTS, train_tokenizer, write_model

WORDS = {"yes": "rain", "no": "tea"}
TEMPLATES = ["{text} So it is {mask}.", "So {mask}: {text}", "{pair} or {text}: {mask}"]
HOSTILE = "[MASK] <mask> {mask} {text} [SEP]"
OPTIONS: dict[str, Any] = {"template": TEMPLATES[0], "words": WORDS}


def task_of(**changes: Any) -> PromptedClassification:
    return PromptedClassification(options=OPTIONS | changes)


def started(source: Path, task: PromptedClassification) -> FinetunedModel:
    """Start from a checkpoint, and make no update."""
    pretrained = load_pretrained(str(source))
    model, _, _ = start_model(pretrained, task, keep_head=False, head_dropout=None, seed=1)
    assert pretrained.tokenizer is not None
    return FinetunedModel(
        source=str(source),
        model=model.eval(),
        task=task,
        layout=Layout.of(pretrained, pretrained.tokenizer, max_length=LENGTH),
        bound="of a test",
        pairs=None,
    )


def shares_of(judge: TextModel, task: PromptedClassification, inputs: list[Any]) -> Any:
    """Say what a cloze says without training: the words' shares of what both have."""
    words = read_words(task.words, task.template, judge.tokenizer)
    texts = [each if isinstance(each, tuple) else (each, None) for each in inputs]
    prompts = [
        make_prompt(judge.tokenizer, task.template, *each, room=judge.room) for each in texts
    ]
    found = np.exp(log_probabilities(judge, prompts, words))
    return found / found.sum(axis=1, keepdims=True)


# ---- before any update


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("template", TEMPLATES)
def test_before_any_update_it_says_what_a_cloze_says_without_training(
    kind: str, template: str, tmp_path: Path
) -> None:
    family: Family = "roberta" if kind == "bytelevel-bpe" else "bert"
    source = write_model(tmp_path / "model.ckpt", kind=kind, family=family)
    task = task_of(template=template)
    inputs: list[TaskInput] = [*TEXTS, HOSTILE, "tea or rain " * 40]
    if "{pair}" in template:
        inputs = [(str(one), str(other)) for one, other in zip(inputs, inputs[::-1], strict=True)]
    judge = load_model(str(source), device="cpu")
    found = predict(started(source, task), inputs)
    wanted = shares_of(judge, task, inputs)
    shares = [[each.probabilities[label] for label in task.labels] for each in found]
    assert np.array(shares) == pytest.approx(wanted, rel=1e-4)
    assert np.ptp(wanted[:, 0]) > 1e-4  # it depends on the text

    examples = [
        example_of(task.kind, each, 1)._replace(label=said.label)
        for each, said in zip(inputs, found, strict=True)
    ]
    words = read_words(task.words, task.template, judge.tokenizer)
    scores = judge_zero_shot(judge, examples, template=task.template, words=words)
    assert scores.uncalibrated.right == len(examples)


# ---- rows


def rows(kind: str, texts: list[str], *, max_length: int = LENGTH) -> tuple[list[Item], Layout]:
    tokenizer = train_tokenizer(kind)
    layout = Layout(tokenizer=tokenizer, family="roberta", max_length=max_length, segments=False)
    examples = [TextExample(text, None, "no", f"line {n}") for n, text in enumerate(texts)]
    return task_of().items(examples, layout), layout


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("max_length", [16, LENGTH])
def test_a_row_has_one_mask_and_its_text_is_cut_but_not_its_template(
    kind: str, max_length: int
) -> None:
    texts = [*TEXTS, HOSTILE, "rain and tea, " * 40]
    items, layout = rows(kind, texts, max_length=max_length)
    vocabulary = layout.tokenizer.vocabulary
    _, back = task_of().template.around("")
    for text, item in zip(texts, items, strict=True):
        ids = item.rows[0].input_ids.tolist()
        assert len(ids) <= max_length
        assert ids.count(vocabulary.mask_id) == 1
        assert (ids[0], ids[-1]) == (vocabulary.cls_id, vocabulary.sep_id)
        decoded = layout.tokenizer.decode(ids[1:-1]).lower().replace(" ", "")
        assert decoded.endswith("soitis[mask]" + back)
        length = task_of().length(TextExample(text, None, None, ""), layout)
        assert item.is_cut == (length > max_length)
        assert item.is_cut or length == len(ids)
    assert items[-1].is_cut


def test_labels_are_those_of_words_in_their_order_or_in_that_of_labels() -> None:
    assert task_of().labels == ("yes", "no")
    assert task_of(words="yes=rain, no=tea").options == task_of().options
    turned = PromptedClassification(["no", "yes"], options=OPTIONS)
    assert turned.labels == ("no", "yes")
    assert turned.words == {"no": "tea", "yes": "rain"}
    assert task_of(words={1: "rain", 0: "tea"}).labels == ("1", "0")
    # as a checkpoint holds it
    again = PromptedClassification(turned.labels, options=turned.options)
    assert (again.labels, again.options) == (turned.labels, turned.options)


# ---- learning


@pytest.mark.parametrize("what", ["embeddings", "encoder", 1])
def test_what_is_frozen_stays_and_the_head_does_not(what: Freeze | int, tmp_path: Path) -> None:
    model = started(write_model(tmp_path / "model.ckpt"), task_of()).model
    freeze_weights(model, what)
    free = {name for name, weight in model.named_parameters() if weight.requires_grad}
    head = {name for name in model.state_dict() if name.startswith("masked_lm_head.")}
    assert head <= free
    assert not any(name.startswith("embeddings.") for name in free)
    assert (free == head) is (what == "encoder")


# ---- what is refused


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({"template": None}, "data.options.template must be a sentence with a blank, got None"),
        ({"template": 3}, "data.options.template must be a sentence with a blank"),
        ({"template": "{text} So."}, "data.options.template must have {mask} once"),
        ({"template": "{mask} {text} {mask}"}, "data.options.template must have {mask} once"),
        ({"template": "It is {mask}."}, "data.options.template must have {text} once"),
        ({"template": "{text} {mask} {x}"}, "must have {text}, {pair} and {mask} only, got 'x'"),
        ({"words": None}, "data.options.words must give a word for each label, got None"),
        ({"words": "yes"}, "data.options.words must be LABEL=WORD, with commas between"),
        ({"words": "yes=tea,yes=I"}, "data.options.words must have one word for each label"),
        ({"words": {True: "tea", "no": "I"}}, "data.options.words must be names in quotes"),
        ({"words": {"yes": True, "no": "I"}}, "data.options.words must be words, got True"),
        ({"words": {"yes": " ", "no": "I"}}, "data.options.words must be words, got ' '"),
        ({"verbalizer": "x"}, "data.options must be of template, words, got 'verbalizer'"),
    ],
)
def test_options_that_make_no_sense_are_one_line(changes: dict[str, Any], line: str) -> None:
    with pytest.raises(UserError) as caught:
        task_of(**changes)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "line"),
    [
        (["yes", "no", "may be"], "data.options.words must have a word for may be"),
        (["yes", "never"], "data.options.words must have a word for never"),
        (["yes"], "data.options.words must be of the labels yes, got 'no'"),
    ],
)
def test_labels_and_words_are_each_others(labels: list[str], line: str) -> None:
    with pytest.raises(UserError, match=line):
        PromptedClassification(labels, options=OPTIONS)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({"yes": "tea", "no": "zebra"}, "words must be words that the tokenizer knows, got 'ze"),
        ({"yes": "tea", "no": "Tea"}, "words must have one word for each label, got 'yes=tea,no"),
        ({"yes": "tea", "no": "old ship"}, "must be words of one token each, got 'old ship'. The"),
        ({"yes": "tea"}, "words must name two labels or more"),
    ],
)
def test_words_that_the_model_can_not_say_are_one_line(
    words: dict[str, str], line: str, tmp_path: Path
) -> None:
    source = write_model(tmp_path / "model.ckpt", kind="word")
    with pytest.raises(UserError, match=rf"data\.options\.{line}|{line}"):
        started(source, task_of(words=words))


def test_a_model_without_its_head_and_a_rate_for_it_are_refused(tmp_path: Path) -> None:
    pretrained: Pretrained = load_pretrained(str(write_model(tmp_path / "model.ckpt")))
    start: dict[str, Any] = {"keep_head": True, "head_dropout": None, "seed": 0}
    bare = {name: each for name, each in pretrained.weights.items() if "lm_head" not in name}
    with pytest.raises(
        UserError, match=r"model\.pretrained must have a masked-language-model head"
    ):
        start_model(replace(pretrained, weights=bare), task_of(), **start)
    with pytest.raises(UserError, match=r"model\.head_dropout must be left out for this task"):
        start_model(pretrained, task_of(), **start | {"head_dropout": 0.1})
    _, origin, told = start_model(pretrained, task_of(), **start)
    assert origin.task is None
    assert "Its masked-language-model head is kept, and says the labels." in told


@pytest.mark.parametrize(
    ("example", "changes", "line"),
    [
        ({"label": "never"}, {}, "the label at line 3 must be one of yes, no, got 'never'"),
        ({"pair": "tea"}, {}, "data.options.template must have {pair} where there is a second"),
        ({}, {"template": "{text} {pair} {mask}"}, "--data.reading.pair_column names the second"),
        ({}, {"template": "so it is " * 6 + "{text} {mask}"}, "template must have at most 13 tok"),
    ],
)
def test_examples_that_do_not_fit_are_one_line(
    example: dict[str, Any], changes: dict[str, Any], line: str
) -> None:
    layout = Layout(
        tokenizer=train_tokenizer("word"), family="bert", max_length=16, segments=False
    )
    given = TextExample("I love tea", None, "no", "line 3")._replace(**example)
    with pytest.raises(UserError) as caught:
        task_of(**changes).items([given], layout)
    assert line in str(caught.value)


def test_a_template_and_words_that_weights_stand_on_stay() -> None:
    task = task_of()
    assert task.with_options({"words": "yes=rain,no=tea"}) is task
    for changes in ({"template": TEMPLATES[1]}, {"words": {"yes": "I", "no": "tea"}}):
        with pytest.raises(UserError, match="must be the checkpoint's"):
            task.with_options(changes)
