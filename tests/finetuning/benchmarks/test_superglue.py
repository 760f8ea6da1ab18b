from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.errors import UserError
from lit_roberta.finetuning.benchmarks.layout import PartName
from lit_roberta.finetuning.benchmarks.table import BENCHMARKS, GROUPS
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.tasks.table import find_task
from tests.finetuning import layouts
from tests.finetuning.layouts import COUNT, PAIRS, write_benchmark, write_jsonl
from tests.training.commands import Command

REAL = Path(__file__).parents[4] / "shared/data/superglue/BoolQ"
PARTS: tuple[PartName, ...] = ("train", "validation", "test")
PER_ROW = {"multirc": 2 * 3, "record": 2 * 2}
"""Examples that a row makes: answers of its questions, entities of its queries."""


def write(folder: Path, name: str) -> Path:
    return write_benchmark(folder, name, layouts.SUPERGLUE)


def read(folder: Path, name: str, part: PartName, notes: list[str] | None = None) -> Sequence[Any]:
    spec = find_task(name)
    assert spec.read_part is not None
    assert spec.folder is not None
    sets: Mapping[str, Sequence[Any]] = spec.read_part(
        folder / spec.folder, part, [] if notes is None else notes
    )
    assert list(sets) == [""]
    return sets[""]


def change(path: Path, **values: Any) -> None:
    """Change the first row of a file; None takes a column away."""
    first, *others = path.read_text(encoding="utf-8").splitlines()
    row = {key: value for key, value in (json.loads(first) | values).items() if value is not None}
    path.write_text("\n".join([json.dumps(row), *others, ""]), encoding="utf-8")


def test_the_tasks_are_those_of_the_benchmark() -> None:
    assert [each.name for each in GROUPS["superglue"]] == list(layouts.SUPERGLUE)
    assert len({each.name for each in BENCHMARKS}) == len(BENCHMARKS)


def test_labels_of_cb_have_the_numbers_that_others_expect() -> None:
    assert find_task("cb").labels == ("entailment", "contradiction", "neutral")
    assert {find_task(name).labels for name in ("boolq", "multirc", "record", "wic", "wsc")} == {
        ("false", "true")
    }


@pytest.mark.parametrize("name", layouts.SUPERGLUE)
def test_each_row_is_read(tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    labels = find_task(name).labels
    for part in PARTS:
        examples = read(tmp_path, name, part)
        assert len(examples) == COUNT * PER_ROW.get(name, 1)
        assert len({example.place for example in examples}) >= COUNT
        found = {example.label for example in examples}
        if part == "test":
            assert found == {None}
        else:
            assert found == ({0, 1} if labels is None else set(labels))


@pytest.mark.skipif(not REAL.is_dir(), reason="SuperGLUE's files are not here")
def test_a_folder_without_its_training_part_says_so() -> None:
    reader = next(each for each in BENCHMARKS if each.name == "boolq").read_part
    with pytest.raises(UserError, match=r"must hold train\.jsonl, got 'val\.jsonl'"):
        reader(REAL, "validation", [])


@pytest.mark.skipif(not REAL.is_dir(), reason="SuperGLUE's files are not here")
def test_boolqs_real_rows_are_read(tmp_path: Path) -> None:
    (tmp_path / "BoolQ").mkdir()
    for name in ("train", "val"):
        (tmp_path / "BoolQ" / f"{name}.jsonl").symlink_to(REAL / "val.jsonl")
    examples = read(tmp_path, "boolq", "validation")
    assert Counter(example.label for example in examples) == {"true": 2033, "false": 1237}
    assert examples[0].text == "does ethanol take more energy make that produces"


def test_the_word_of_wic_is_marked_where_its_characters_are(tmp_path: Path) -> None:
    one, other = read(write(tmp_path, "wic"), "wic", "train")[:2]
    assert (one.text, one.pair) == ("tea: the *tea* is tea", "more *tea*")
    assert (other.text, other.pair) == ("tea: the tea is *tea*", "more *tea*")


def test_the_pronoun_of_wsc_is_marked_where_its_word_is(tmp_path: Path) -> None:
    rows = read(write(tmp_path, "wsc"), "wsc", "train")
    assert rows[0].text == "It rained, so the captain said *it*; and it was tea."
    assert rows[2].text == "It rained, so the captain said it; and *it* was tea."
    assert (rows[0].pair, rows[1].pair) == ("the captain", "tea")


def test_a_pronouns_number_that_is_off_by_one_finds_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path, "wsc") / "WSC" / "train.jsonl"
    target = {"span1_text": "tea", "span2_text": "it", "span2_index": 9}
    change(path, target=target, text="It was so that it, it said, was old and it was tea.")
    marked = read(tmp_path, "wsc", "train")[0].text
    assert marked == "It was so that it, it said, was old and *it* was tea."


def test_the_answers_of_a_question_are_a_group(tmp_path: Path) -> None:
    examples = read(write(tmp_path, "multirc"), "multirc", "train")
    assert examples[0].text == " ".join(PAIRS[0])
    assert [example.pair for example in examples[:3]] == [
        "is it 0 ? tea",
        "is it 0 ? rain",
        "is it 0 ? all",
    ]
    assert [example.candidate for example in examples[:3]] == ["tea", "rain", "all"]
    sizes = Counter(example.group for example in examples)
    assert set(sizes.values()) == {3}
    assert len(sizes) == 2 * COUNT


def test_each_entity_fills_the_gap_of_a_query_once(tmp_path: Path) -> None:
    examples = read(write(tmp_path, "record"), "record", "train")
    assert examples[0].text == "The captain said tea More tea"
    assert [(each.candidate, each.pair, each.label) for each in examples[:2]] == [
        ("captain", "so it is captain !", "true"),
        ("tea", "so it is tea !", "false"),
    ]
    sizes = Counter(example.group for example in examples)
    assert set(sizes.values()) == {2}


def test_a_query_whose_answer_is_no_entity_is_noted(tmp_path: Path) -> None:
    path = write(tmp_path, "record") / "ReCoRD" / "val.jsonl"
    change(path, qas=[{"query": "is it @placeholder ?", "answers": [{"text": "rain"}]}])
    notes: list[str] = []
    read(tmp_path, "record", "validation", notes)
    assert len(notes) == 1
    assert notes[0].startswith(f"1 of the queries of {path} have answers that are no entities")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("boolq", {"label": 2}, r"line 1 must be one of false \(0\), true \(1\), got '2'"),
        ("boolq", {"label": None}, "line 1, must have the column 'label'"),
        ("boolq", {"passage": None}, "line 1, must have the column 'passage'"),
        ("cb", {"label": "no"}, r"line 1 must be one of entailment \(0\)"),
        ("copa", {"label": 2}, "line 1 must lie from 0 to 1"),
        ("wic", {"end1": 40}, "line 1, start1 and end1, must lie within the 14 characters"),
        ("wic", {"start2": "5"}, "line 1, start2 and end2, must lie within"),
        ("wic", {"word": None}, "line 1, must have the column 'word'"),
        ("wsc", {"target": {"span1_text": "x"}}, "line 1, target, must hold span1_text"),
        ("wsc", {"text": "It is tea."}, "line 1, span2_index, must be the number of one of 3"),
        ("wsc", {"text": "so " * 9}, "line 1, span2_text, must be words of the text, got 'it'"),
        ("multirc", {"passage": "text"}, "line 1, must be a passage with its questions"),
        ("multirc", {"passage": None}, "line 1, must be a passage with its questions"),
        ("record", {"qas": [{"query": "what ?"}]}, "query 1, must have the gap @placeholder"),
        (
            "record",
            {"qas": [{"query": "@placeholder ?"}]},
            "line 1, must be a passage with its questions",
        ),
    ],
)
def test_a_row_that_is_none_of_the_task_is_named(
    tmp_path: Path, name: str, values: dict[str, Any], message: str
) -> None:
    write(tmp_path, name)
    change(tmp_path / str(find_task(name).folder) / "train.jsonl", **values)
    with pytest.raises(UserError, match=rf"train\.jsonl.*{message}"):
        read(tmp_path, name, "train")


@pytest.mark.parametrize("name", ["multirc", "record"])
def test_files_of_ones_own_do_not_say_what_belongs_together(tmp_path: Path, name: str) -> None:
    path = write_jsonl(tmp_path / "a.jsonl", [{"text": "a", "label": "true"}])
    spec = find_task(name)
    with pytest.raises(UserError, match=r"must be left out.*give --data\.folder"):
        spec.task.read(str(path), LabelledReading())


@pytest.mark.parametrize("name", ["multirc", "record", "wsc", "rte"])
def test_a_folder_is_learned_and_judged(command: Command, pretrained: Path, name: str) -> None:
    write(command.folder / "superglue", name)
    words = [f"--data.task={name}", "--data.folder=superglue", "--data.max_length=48"]
    words += [f"--model.pretrained={pretrained}", "--trainer.accelerator=cpu"]
    words += ["--trainer.enable_progress_bar=false"]
    assert command("fit", *words, "--trainer.max_steps=1") == 0, command.messages
    assert command("validate", *words) == 0, command.messages
    for metric in find_task(name).metrics or ():
        assert f"val/{metric}" in command.messages
    assert command("predict", *words) == 0, command.messages
