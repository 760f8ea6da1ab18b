"""Rows as the hub's copies of GLUE have them: labels are numbers, and -1 where they are secret."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.finetuning.parts import PartsConfig, load_parts
from lit_roberta.finetuning.tasks.table import all_tasks, find_task

COLUMNS = {
    "cola": ("sentence",),
    "sst2": ("sentence",),
    "mrpc": ("sentence1", "sentence2"),
    "qqp": ("question1", "question2"),
    "mnli": ("premise", "hypothesis"),
    "qnli": ("question", "sentence"),
    "rte": ("sentence1", "sentence2"),
    "wnli": ("sentence1", "sentence2"),
}


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


def test_every_task_of_glue_with_names_is_tried() -> None:
    glue = {each.name for each in all_tasks().values() if each.labels and each.folder}
    assert set(COLUMNS) <= glue


def test_numbers_without_names_stay_what_they_are(tmp_path: Path) -> None:
    rows = [{"text": f"rain {n}", "label": n % 2 - 1} for n in range(4)]
    source = write(tmp_path / "a.jsonl", rows)
    config = PartsConfig(train=source, validation_share=0.0)
    parts = load_parts(find_task("classification"), config)
    assert [each.label for each in parts.train] == ["-1", "0", "-1", "0"]
