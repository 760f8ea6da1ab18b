"""Clozes: scores of the plain loop, label words in their context, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.inference.cloze import Prompt, Template, make_prompt, read_words, split_words
from lit_roberta.inference.text_model import TextModel
from lit_roberta.probing.probe_cli import main
from lit_roberta.probing.zero_shot import judge_zero_shot, log_probabilities
from tests.inference.models import KINDS, tiny_model, write_model

TEMPLATES = [
    "{text} It was {mask}.",
    "{mask}: {text}",
    "So it is ({mask}) and {text}",
    "{text} {mask}",
]
WORDS = "good=tea,bad=captain"
LABEL_WORDS = split_words(WORDS)
EXAMPLES = [
    TextExample("I love you.", None, "good", "line 1"),
    TextExample("It rained.", None, "bad", "line 2"),
    TextExample("", None, "bad", "line 3"),
    TextExample("The old ship, the rain and {mask} or [MASK].", None, "good", "line 4"),
]


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> TextModel:
    return tiny_model(tmp_path, kind=request.param)


def prompt_of(
    model: TextModel, template: Template, example: TextExample | None, **more: Any
) -> Prompt:
    """Write a prompt with room for words of nine tokens."""
    texts = () if example is None else example[:2]
    return make_prompt(model.tokenizer, template, *texts, room=model.room - 8, **more)


def naive(model: TextModel, ids: list[int], place: int, tokens: list[int]) -> float:
    """Fill a word in from the left, a row at a time, and average its log-probabilities."""
    mask = model.tokenizer.vocabulary.mask_id
    found = []
    for done, token in enumerate(tokens):
        filled = [*tokens[:done], *[mask] * (len(tokens) - done)]
        row = model.row([*ids[:place], *filled, *ids[place + 1 :]])
        logits = model.bert(torch.tensor([row])).mlm_logits[0, 1 + place + done]
        found.append(float(logits.log_softmax(dim=-1)[token]))
    return float(np.mean(found))


@pytest.mark.parametrize("template", TEMPLATES)
def test_scores_are_those_of_the_plain_loop(model: TextModel, template: str) -> None:
    cloze = Template(template)
    words = read_words(LABEL_WORDS, cloze, model.tokenizer)
    prompts = [prompt_of(model, cloze, example) for example in EXAMPLES]
    found = log_probabilities(model, prompts, words)
    for prompt, row in zip(prompts, found, strict=True):
        expected = [naive(model, prompt.ids, prompt.place, word.tokens) for word in words]
        assert row == pytest.approx(expected, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_word_in_the_blank_is_the_word_of_the_sentence(model: TextModel, template: str) -> None:
    cloze = Template(template)
    for word in read_words(LABEL_WORDS, cloze, model.tokenizer):
        prompt = prompt_of(model, cloze, EXAMPLES[0])
        assert prompt.shots == 0
        filled = [*prompt.ids[: prompt.place], *word.tokens, *prompt.ids[prompt.place + 1 :]]
        assert filled == model.tokenizer.encode(cloze.answered(word.word, EXAMPLES[0].text))


def test_calibration_subtracts_what_a_word_has_without_the_text(model: TextModel) -> None:
    cloze = Template(TEMPLATES[0])
    words = read_words(LABEL_WORDS, cloze, model.tokenizer)
    scores = judge_zero_shot(model, EXAMPLES, template=cloze, words=words)
    rows = [prompt_of(model, cloze, each) for each in [*EXAMPLES, None]]
    found = np.array([[naive(model, *row[:2], word.tokens) for word in words] for row in rows])
    best = (found[:-1] - found[-1]).argmax(axis=1)
    # The third text is empty, so that nothing is left of it, and rounding decides.
    assert [scores.predictions[place] for place in (0, 1, 3)] == [
        words[best[place]].label for place in (0, 1, 3)
    ]
    right = [words[one].label == each.label for one, each in zip(best, EXAMPLES, strict=True)]
    assert abs(scores.calibrated.right - sum(right)) <= 1
    plain = [words[one].label for one in found[:-1].argmax(axis=1)]
    assert scores.uncalibrated.right == sum(
        one == each.label for one, each in zip(plain, EXAMPLES, strict=True)
    )
    assert scores.majority.share == 0.5


def test_the_template_stays_whole_where_the_text_is_cut(model: TextModel) -> None:
    cloze = Template("So: {text} and {pair} It was {mask}.")
    long = TextExample("tea or rain " * 60, "the ship " * 40, "good", "line 1")
    prompt = prompt_of(model, cloze, long)
    assert prompt.is_cut
    assert model.room - 18 < len(prompt.ids) <= model.room - 8
    decoded = model.tokenizer.decode(prompt.ids).lower().replace(" ", "")
    assert decoded.startswith("so:tea")
    assert decoded.endswith("itwas[mask].")
    with pytest.raises(UserError, match="--template must have at most"):
        prompt_of(model, Template("so it is " * 60 + "{text}{mask}"), long)


def test_answered_examples_stand_before_the_text_as_far_as_they_fit(tmp_path: Path) -> None:
    model = tiny_model(tmp_path, kind="word")
    cloze = Template("{text} It was {mask}.")
    words = read_words(LABEL_WORDS, cloze, model.tokenizer)
    answered = [
        TextExample(f"{text} It rained.", None, label, "")
        for text in ("I love tea.", "So it is.", "You love you.")
        for label in ("good", "bad")
    ]
    short = judge_zero_shot(
        model, EXAMPLES[:2], template=cloze, words=words, answered=answered, shots=1
    )
    assert short.shots == 1.0
    many = judge_zero_shot(
        model, EXAMPLES[:2], template=cloze, words=words, answered=answered, shots=3
    )
    assert 1 <= many.shots < 3  # a row has 48 places
    prompt = prompt_of(model, cloze, EXAMPLES[0], rounds=["I love tea. It was tea."])
    assert model.tokenizer.decode(prompt.ids).startswith("i love tea. it was tea. i love you")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"--template": "{text} It was good."}, "--template must have {mask} once"),
        ({"--template": "It was {mask}."}, "--template must have {text} once"),
        ({"--template": "{text} {mask} {label}"}, "must have {text}, {pair} and {mask} only"),
        ({"--template": "{text} {pair} {mask}"}, "--template must have {pair} where there is"),
        ({"--words": "good=zebra,bad=tea"}, "words that the tokenizer knows, got 'zebra'"),
        ({"--words": "good=tea,bad=Tea"}, "--words must have one word for each label"),
        ({"--words": "good=tea,good=you"}, "--words must have one word for each label"),
        ({"--template": "{text} {pair} {pair} {mask}"}, "--template must have {pair} once"),
        ({"--words": "good=tea"}, "--words must name two labels or more"),
        ({"--words": "good,bad"}, "--words must be LABEL=WORD"),
        ({"--words": "good=tea,worse=you"}, "line 3 must be one of good, worse, got 'bad'"),
        ({"--shots": "2"}, "--shots must be 1 or more with --examples"),
        ({"--examples": "FILE", "--shots": "5"}, "--shots must be at most the 1 examples"),
        ({"--template": None}, "--template must be given with --zero-shot"),
        ({"--data": None}, "--data must name the labelled texts"),
        ({"--layer": "0"}, "--layer must be left out but for --linear and --similarity"),
        ({"--reading.label_column": "x"}, "reading.label_column must be a column of"),
    ],
)
def test_one_line_says_what_is_wrong(
    changes: dict[str, str | None], message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "texts.tsv"
    file.write_text("text\tlabel\nI love tea.\tgood\nIt rained.\tbad\n", "utf-8")
    options: dict[str, str | None] = {"--data": str(file), "--template": TEMPLATES[0]}
    options |= {"--words": WORDS} | changes
    words = [word for name, value in options.items() if value for word in (name, value)]
    words = [str(file) if word == "FILE" else word for word in words]
    model = write_model(tmp_path / "model.ckpt", kind="word")
    assert main([str(model), "--zero-shot", *words]) == 2
    said = capfd.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_the_command_reports_both_ways_and_the_majority(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "texts.tsv"
    file.write_text("text\tlabel\nI love tea.\tgood\nIt rained.\tbad\nSo.\tbad\n", "utf-8")
    model = str(write_model(tmp_path / "model.ckpt"))
    words = ["--data", str(file), "--template", TEMPLATES[0], "--words", WORDS]
    assert main([model, "--zero-shot", *words, "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    assert found["calibrated"]["total"] == found["uncalibrated"]["total"] == 3
    assert found["majority"] == pytest.approx(2 / 3)
    assert main([model, "--zero-shot", *words, "--examples", str(file), "--shots", "1"]) == 0
    assert "always 'bad'" in capfd.readouterr().out
