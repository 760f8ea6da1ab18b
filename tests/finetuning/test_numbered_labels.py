"""Rows as the hub's copies of benchmarks have them: numbers for labels, -1 for secret ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.parts import Parts, PartsConfig, load_parts
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.tasks.table import all_tasks, find_task
from tests.finetuning.layouts import write_benchmark

SECRET = -1
COLUMNS = {
    "cola": ("sentence",),
    "sst2": ("sentence",),
    "mrpc": ("sentence1", "sentence2"),
    "qqp": ("question1", "question2"),
    "mnli": ("premise", "hypothesis"),
    "qnli": ("question", "sentence"),
    "rte": ("sentence1", "sentence2"),
    "wnli": ("sentence1", "sentence2"),
    "boolq": ("question", "passage"),
    "cb": ("premise", "hypothesis"),
}
ROWS: dict[str, list[dict[str, Any]]] = {
    "stsb": [{"sentence1": "rain", "sentence2": "tea", "label": n / 2} for n in range(4)],
    "wic": [
        {"word": "tea", "sentence1": "the tea", "sentence2": "old tea", "label": n % 2}
        | {"start1": 4, "end1": 7, "start2": 4, "end2": 7}
        for n in range(4)
    ],
    "wsc": [
        {"text": "Ann said it.", "span1_index": 0, "span1_text": "Ann", "label": n % 2}
        | {"span2_index": 2, "span2_text": "it"}
        for n in range(4)
    ],
    "multirc": [
        {"paragraph": "<b>Sent 1: </b>rain<br>", "question": "what ?", "answer": f"tea {n}"}
        | {"idx": {"paragraph": 0, "question": n // 2, "answer": n % 2}, "label": n % 2}
        for n in range(4)
    ],
    "record": [
        {"passage": "Ann and Eve\n@highlight\ntea", "query": f"{n} is @placeholder"}
        | {"entities": ["Ann", "Eve"], "answers": [("Ann", "Eve")[n % 2]]}
        for n in range(2)
    ],
    "copa": [
        {"premise": "rain", "choice1": "tea", "choice2": "love", "question": "cause"}
        | {"label": n % 2}
        for n in range(4)
    ],
    "swag": [
        {"sent1": "rain", "sent2": "so", "label": n} | {f"ending{n}": f"tea {n}" for n in range(4)}
        for n in range(4)
    ],
    "race": [
        {"article": "rain", "question": "it is _ .", "options": ["a", "b"], "answer": "AB"[n % 2]}
        for n in range(4)
    ],
}
"""Of tasks whose rows are more than texts with one label by name."""
SECRETS: dict[str, dict[str, Any]] = {"record": {"answers": []}, "race": {"answer": ""}}
"""What stands in a test part in the place of the label -1."""


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", COLUMNS)
def test_labels_of_benchmarks_may_be_their_numbers(tmp_path: Path, name: str) -> None:
    labels = find_task(name).labels
    assert labels is not None
    given = [*enumerate(labels), *((label, label) for label in labels)]
    rows = [
        {column: f"{column} {n}" for column in COLUMNS[name]} | {"label": label[0], "idx": n}
        for n, label in enumerate(given)
    ]
    secret = [{**row, "label": -1} for row in rows]
    parts = load_parts(
        find_task(name),
        PartsConfig(
            train=write(tmp_path / "a.jsonl", rows),
            test=write(tmp_path / "b.jsonl", secret),
            validation_share=0.0,
        ),
    )
    assert [each.label for each in parts.train] == [label for _, label in given]
    assert {each.label for each in parts.test[""]} == {None}
    first, *second = COLUMNS[name]
    assert all(each.text.startswith(f"{first} ") for each in parts.train)
    assert all(each.pair is not None for each in parts.train) == bool(second)


def load(name: str, folder: Path) -> Parts:
    rows = ROWS[name]
    secret = [row | SECRETS.get(name, {"label": SECRET}) for row in rows]
    source = write(folder / "a.jsonl", rows)
    test = write(folder / "b.jsonl", secret)
    return load_parts(find_task(name), PartsConfig(train=source, test=test, validation_share=0.0))


@pytest.mark.parametrize("name", ROWS)
def test_rows_that_are_more_than_texts_are_those_of_the_benchmark(
    tmp_path: Path, name: str
) -> None:
    parts = load(name, tmp_path)
    assert {each.label for each in parts.test[""]} == {None}
    assert len(parts.test[""]) == len(parts.train) == 4
    labels = [each.label for each in parts.train]
    if find_task(name).labels == ("false", "true"):
        wanted = ["true", "false", "false", "true"] if name == "record" else ["false", "true"] * 2
        assert labels == wanted
    else:
        kind = {"stsb": [0.0, 0.5, 1.0, 1.5], "swag": [0, 1, 2, 3]}
        assert labels == kind.get(name, [0, 1, 0, 1])


def test_rows_say_what_the_folders_of_the_benchmark_say(tmp_path: Path) -> None:
    def first(name: str) -> tuple[Any, ...]:
        (tmp_path / name).mkdir()
        example = load(name, tmp_path / name).train[0]
        return tuple(example)[:2]

    assert first("wic") == ("tea: the *tea*", "old *tea*")
    assert first("wsc") == ("Ann said *it*.", "Ann")
    assert first("multirc") == ("rain", "what ? tea 0")
    assert first("record") == ("Ann and Eve tea", "0 is Ann")
    assert first("race")[0] == (("rain", "it is a ."), ("rain", "it is b ."))
    groups = [each.group for each in load("multirc", tmp_path).train]
    assert groups[0] == groups[1] != groups[2] == groups[3]


@pytest.mark.parametrize("name", ["wic", "wsc", "multirc", "record"])
def test_rows_without_what_a_benchmark_asks_about_are_refused(tmp_path: Path, name: str) -> None:
    rows = [{"sentence1": "rain", "sentence2": "tea", "label": n % 2} for n in range(4)]
    source = write(tmp_path / "a.jsonl", rows)
    with pytest.raises(UserError, match=r"a\.jsonl, line 1, must .* Is it the file of another"):
        load_parts(find_task(name), PartsConfig(train=source))
    named = PartsConfig(train=source, reading=LabelledReading(text_column="sentence1"))
    with pytest.raises(UserError, match=r"data\.reading\.text_column must be left out"):
        load_parts(find_task(name), named)


@pytest.mark.parametrize("name", ["wic", "wsc", "multirc", "record", "copa", "race"])
def test_the_files_of_a_benchmark_can_be_named_one_by_one(tmp_path: Path, name: str) -> None:
    spec = find_task(name)
    folder = write_benchmark(tmp_path, name) / str(spec.folder)
    whole = load_parts(spec, PartsConfig(folder=str(tmp_path)))
    files = ("train", "dev") if name == "race" else ("train.jsonl", "val.jsonl")
    train, validation = (str(folder / file) for file in files)
    parts = load_parts(spec, PartsConfig(train=train, validation=validation))
    assert parts.train == whole.train
    assert parts.validation == whole.validation


def test_a_dataset_of_the_hub_is_read_as_its_file_is(tmp_path: Path) -> None:
    for name in ("wic", "multirc", "stsb"):
        (tmp_path / name).mkdir()
        file = write(tmp_path / name / "train.jsonl", ROWS[name])
        found = [
            load_parts(find_task(name), PartsConfig(train=source, validation_share=0.0)).train
            for source in (file, f"hub:{tmp_path / name}")
        ]
        assert [each[:3] for each in found[0]] == [each[:3] for each in found[1]]


def test_every_task_of_a_benchmark_is_tried() -> None:
    named = {each.name for each in all_tasks().values() if each.folder}
    assert set(COLUMNS) | set(ROWS) == named


def test_numbers_without_names_stay_what_they_are(tmp_path: Path) -> None:
    rows = [{"text": f"rain {n}", "label": n % 2 - 1} for n in range(4)]
    source = write(tmp_path / "a.jsonl", rows)
    config = PartsConfig(train=source, validation_share=0.0)
    parts = load_parts(find_task("classification"), config)
    assert [each.label for each in parts.train] == ["-1", "0", "-1", "0"]
