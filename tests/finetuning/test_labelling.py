"""What has no label is left out and told, whatever the task; a part without any is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.parts import PartsConfig, load_parts
from lit_roberta.finetuning.tasks.table import find_task
from tests.finetuning.examples import write_texts
from tests.training.commands import Command

CONTEXT = "the old ship"
ROWS: dict[str, Callable[[int], dict[str, Any]]] = {
    "classification": lambda n: {"text": f"tea {n}", "label": "ab"[n % 2]},
    "regression": lambda n: {"text": f"tea {n}", "label": n / 2},
    "multiple-choice": lambda n: {"text": f"tea {n}", "choices": ["a", "b"], "label": n % 2},
    "tagging": lambda n: {"tokens": ["tea", f"{n}"], "ner_tags": ["O", "B-X"]},
    "question-answering": lambda n: {
        "question": f"what {n} ?",
        "context": f"{CONTEXT} {n}",
        "answers": {"text": ["ship"], "answer_start": [CONTEXT.index("ship")]},
    },
}
LABELS = ("label", "ner_tags", "answers")
SMALL = ["--data.max_length=16", "--trainer.accelerator=cpu", "--trainer.max_steps=1"]


def write(path: Path, rows: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def without_label(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if name in LABELS else value for name, value in row.items()}


@pytest.mark.parametrize("task", ROWS)
def test_what_has_no_label_is_not_learned_and_told(tmp_path: Path, task: str) -> None:
    rows = [ROWS[task](n) for n in range(9)]
    some = [without_label(row) if n in (1, 5) else row for n, row in enumerate(rows)]
    train, mixed = write(tmp_path / "a.jsonl", rows), write(tmp_path / "b.jsonl", some)
    spec = find_task(task)
    parts = load_parts(spec, PartsConfig(train=mixed, validation=mixed, test=mixed))
    whole = load_parts(spec, PartsConfig(train=train, validation_share=0.0)).train
    assert [each[:2] for each in parts.train] == [
        each[:2] for n, each in enumerate(whole) if n not in (1, 5)
    ]
    assert "2 of 9 examples to learn from have no label: left out." in parts.notes
    for part in ("validation", "test"):
        assert len(getattr(parts, part)[""]) == 9
        assert f"2 of 9 examples of the {part} part have no label: not judged." in parts.notes


@pytest.mark.parametrize("task", ROWS)
def test_a_part_without_any_label_is_refused_unless_it_is_the_test_part(
    tmp_path: Path, task: str
) -> None:
    rows = [ROWS[task](n) for n in range(9)]
    train = write(tmp_path / "a.jsonl", rows)
    none = write(tmp_path / "b.jsonl", [without_label(row) for row in rows])
    spec = find_task(task)
    with pytest.raises(UserError, match=r"data\.train must hold labels, got 'none'"):
        load_parts(spec, PartsConfig(train=none))
    with pytest.raises(UserError, match=r"data\.validation must hold labels, got 'none'"):
        load_parts(spec, PartsConfig(train=train, validation=none))
    parts = load_parts(spec, PartsConfig(train=train, test=none))
    assert len(parts.test[""]) == 9
    assert not [note for note in parts.notes if "no label" in note]


def test_a_number_that_a_table_lacks_is_no_label_of_its_own(tmp_path: Path) -> None:
    rows = [{"text": f"tea {n}", "label": float("nan") if n == 3 else n % 2} for n in range(9)]
    source = write(tmp_path / "a.jsonl", rows)
    for task, labels in (("classification", {"0", "1"}), ("regression", {0.0, 1.0})):
        parts = load_parts(find_task(task), PartsConfig(train=source, validation_share=0.0))
        assert {each.label for each in parts.train} == labels
        assert len(parts.train) == 8


@pytest.mark.parametrize("subcommand", ["validate", "test"])
def test_what_can_not_be_judged_is_said_and_predict_takes_it(
    command: Command, pretrained: Path, subcommand: str
) -> None:
    write_texts(command.folder / "train.csv", copies=1)
    (command.folder / "none.csv").write_text("text\nrain\ntea\n", encoding="utf-8")
    words = ["--data.task=classification", "--data.train=train.csv", *SMALL]
    words += [f"--model.pretrained={pretrained}", "--trainer.enable_progress_bar=false"]
    line = command.refuses("fit", *words, "--data.validation=none.csv", "--patience=1")
    assert line.startswith("data.validation must hold labels")
    assert command("fit", *words) == 0, command.messages
    part = "validation" if subcommand == "validate" else "test"
    judge = ["--data.task=classification", f"--data.{part}=none.csv"]
    line = command.refuses(subcommand, *judge, *SMALL)
    assert line.startswith(f"data.{part} must hold labels, got 'none'")
    assert command("predict", "--data.task=classification", "--data.test=none.csv") == 0
