"""Tiny data for every task by name, and the arguments that name it: what a shipped file is run on.

A task that has no entry needs one: a line in `SOURCES`, or a layout beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.finetuning.examples import LIKED, NOT_LIKED, write_rows, write_texts
from tests.finetuning.layouts import LAYOUTS, write_benchmark, write_jsonl

Write = Callable[[Path], list[str]]
"""Writes data into a folder that is there; gives the arguments that name it."""


def _write_benchmark(name: str) -> Write:
    return lambda folder: [f"--data.folder={write_benchmark(folder, name)}"]


def _texts(folder: Path) -> list[str]:
    return [f"--data.train={write_texts(folder / 'train.csv', copies=2)}"]


def _prompts(folder: Path) -> list[str]:
    template = "--data.options.template={text} So it is {mask}."
    return [*_texts(folder), template, "--data.options.words=yes=you,no=I"]


def _numbers(folder: Path) -> list[str]:
    rows: list[tuple[str, ...]] = [(text, str(n)) for n, text in enumerate(LIKED + NOT_LIKED)]
    return [f"--data.train={write_rows(folder / 'train.csv', rows, ('text', 'label'))}"]


def _choices(folder: Path) -> list[str]:
    rows = [{"text": text, "choices": ["so", "tea"], "label": 1} for text in LIKED]
    return [f"--data.train={write_jsonl(folder / 'train.jsonl', rows)}"]


def _tags(folder: Path) -> list[str]:
    path = folder / "train.conll"
    sentences = ["the O\nship B-thing\n", "tea B-thing\nand O\nrain B-thing\n", "it O\nis O\n"]
    path.write_text("\n".join(sentences * 2), encoding="utf-8")
    return [f"--data.train={path}", f"--data.validation={path}"]


def _questions(folder: Path) -> list[str]:
    context = "the captain said tea"
    asked = [
        {
            "id": str(number),
            "question": "what is it ?",
            "answers": [{"text": "tea", "answer_start": context.index("tea")}],
            "is_impossible": False,
        }
        for number in range(4)
    ]
    passage = {"context": context, "qas": asked}
    data = {"version": "1.1", "data": [{"title": "tea", "paragraphs": [passage]}]}
    path = folder / "train.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    windows = '{"stride": 8, "max_question_length": 8}'  # for rows as short as tests have them
    return [f"--data.train={path}", f"--data.validation={path}", f"--data.options={windows}"]


SOURCES: Mapping[str, Write] = {
    "classification": _texts,
    "prompted-classification": _prompts,
    "regression": _numbers,
    "multiple-choice": _choices,
    "tagging": _tags,
    "question-answering": _questions,
    **{name: _write_benchmark(name) for name in LAYOUTS},
}
"""By the task's name."""
