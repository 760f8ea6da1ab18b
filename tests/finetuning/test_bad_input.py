"""What a user can get wrong in files and settings: one clear line each, and nothing is made."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from lit_roberta.errors import UserError
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.texts import label_names, read_texts
from tests.finetuning.examples import ROWS, write_texts
from tests.training.commands import Command

QUIET = ["--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]
GOOD = "text,label\nrain,yes\ntea,no\nmore rain,yes\nmore tea,no\n"

FILES: dict[str, tuple[bytes, str]] = {
    "too many fields": (b"text,label\nrain,yes\nrain, or tea,no\n", r"line 3, must have 2 fields"),
    "too few fields": (b"text,label\nrain,yes\ntea\n", r"line 3, must have 2 fields.*got 1"),
    "an open quote": (b'text,label\n"rain,yes\ntea,no\n', r"line \d+, must be a row of separated"),
    "a stray quote": (b'text,label\nrain,yes\n"te"a,no\n', r"line 3, must be a row of separated"),
    "a field less": (b"text,label\nrain,yes\ntea\n", "line 3, must have 2 .* Put a comma between"),
    "one label": (b"text,label\nrain,yes\ntea,yes\n", "hold two labels or more, got .'yes'"),
    "no labels": (b"text,other\nrain,1\ntea,2\n", "data.train must hold labels"),
    "empty labels": (b"text,label\nrain,\ntea,\n", "data.train must hold labels"),
    "no text": (b"body,label\nrain,yes\ntea,no\n", r"column of text, got the columns body, label"),
    "nothing": (b"", "data.train must hold examples, got 'none in train.csv'"),
    "a header alone": (b"text,label\n", "data.train must hold examples, got 'none in train.csv'"),
    "a column twice": (b"text,text\nrain,yes\n", "name each column once"),
    "another encoding": (
        "text,label\ncaf\u00e9,yes\n".encode("latin-1"),
        "utf-8 text, got byte 0xE9.*line 2",
    ),
    "NUL": (b"text,label\nra\0in,yes\n", "a zero byte at offset 13"),
}

SETTINGS: dict[str, tuple[str, str]] = {
    "--data.options": ('{"stride": 3}', "data.options must be empty, got 'stride'"),
    "--data.metrics": ('["bleu"]', "data.metrics must be of accuracy"),
    "--data.labels": (
        '["yes", "maybe"]',
        "the label at train.csv, line 3 must be",
    ),
    "--model.class_weights": ("[1.0, 2.0, 3.0]", "class_weights must be 2 numbers, for no, yes"),
    "--model.label_smoothing": ("1.0", r"label_smoothing must lie in \[0, 1\)"),
    "--data.max_length": ("100", "data.max_length must be at most 48"),
    "--data.batch_size": ("0", "data.batch_size must be 1 or more"),
    "--data.micro_batch_size": ("0", "data.micro_batch_size must be 1 or more"),
    "--data.num_train_examples": ("1000", "num_train_examples must be at most 29"),
    "--data.validation_share": ("1.0", r"validation_share must lie in \[0, 1\)"),
    "--data.train": ("nowhere.csv", "must exist, got 'nowhere.csv'"),
    "--data.validation": ("folder", "must be a file, got 'the folder folder'"),
    "--data.test": ("train.docx", "must exist"),
    "--data.task": ("clasification", "Did you mean classification?"),
    "--data.reading.label_column": ("stars", "There are: text, label"),
    "--data.reading.encoding": ("utf9", "name of a text encoding"),
    "--model.optimizer.lr": ("0", "model.optimizer.lr must be above 0"),
    "--model.optimizer.layer_decay": ("0", r"layer_decay must lie in \(0, 1\]"),
    "--model.freeze": ("7", "model.freeze must be a number of layers up to"),
    "--model.keep_head": ("true", "model.keep_head must be false"),
    "--model.pretrained": ("no/where.ckpt", "the model must be a file or a folder"),
    "--trainer.max_epochs": ("0", "trainer.max_epochs must be 1 or more"),
    "--patience": ("0", "patience must be 1 or more"),
    "--trainer.accumulate_grad_batches": ("4", "Give --data.micro_batch_size N"),
}


LABELS = [["yes", "yes", "no"], ["yes", " yes"], [1, "1"], ["yes", ""], ["yes", None, "no"]]


@pytest.mark.parametrize("labels", LABELS)
def test_each_label_is_named_once(labels: list[object]) -> None:
    with pytest.raises(UserError, match=r"data\.labels must (name each label once|hold a label)"):
        label_names(labels)


@pytest.mark.parametrize(
    "reading", [LabelledReading(text_column="label"), LabelledReading(pair_column="label")]
)
def test_a_column_has_one_role(tmp_path: Path, reading: LabelledReading) -> None:
    (tmp_path / "a.csv").write_text(GOOD)
    with pytest.raises(
        UserError, match=r"a\.csv, line 2 must be of different columns, got 'label'"
    ):
        read_texts(str(tmp_path / "a.csv"), reading)


@pytest.fixture
def fit(command: Command, pretrained: Path) -> Callable[..., list[str]]:
    """The words of a run, with some changed."""
    write_texts(command.folder / "train.csv")
    (command.folder / "folder").mkdir()

    def words(**changed: str) -> list[str]:
        told = {
            "--data.task": "classification",
            "--data.train": "train.csv",
            "--data.max_length": "16",
            "--model.pretrained": str(pretrained),
            "--trainer.max_steps": "2",
        } | changed
        return ["fit", *(f"{name}={value}" for name, value in told.items()), *QUIET]

    return words


@pytest.mark.parametrize("case", FILES)
def test_a_bad_file_is_one_line(
    command: Command, fit: Callable[..., list[str]], case: str
) -> None:
    content, wanted = FILES[case]
    (command.folder / "train.csv").write_bytes(content)
    line = command.refuses(*fit())
    assert re.search(wanted, line), line
    assert not (command.folder / "runs").exists() or not list(command.folder.glob("runs/*/*"))


@pytest.mark.parametrize("name", SETTINGS)
def test_a_bad_setting_is_one_line(
    command: Command, fit: Callable[..., list[str]], name: str
) -> None:
    value, wanted = SETTINGS[name]
    line = command.refuses(*fit(**{name: value}))
    assert re.search(wanted, line), line
    assert not list(command.folder.glob("runs/*/*"))


def test_without_a_model_there_is_nothing_to_fine_tune(
    command: Command, fit: Callable[..., list[str]]
) -> None:
    words = [word for word in fit() if not word.startswith("--model.pretrained")]
    assert "model.pretrained must name the model to fine-tune" in command.refuses(*words)


@pytest.mark.parametrize("label", ["maybe", "Yes", "1"])
def test_a_label_that_training_has_not_is_named_with_its_line(
    command: Command, fit: Callable[..., list[str]], label: str
) -> None:
    (command.folder / "test.csv").write_text(f"text,label\nrain,yes\ntea,{label}\n")
    line = command.refuses(*fit(**{"--data.validation": "test.csv"}))
    assert line.startswith(f"the label at test.csv, line 3 must be one of no, yes, got '{label}'")


@pytest.mark.parametrize("task", ["classification", "tagging"])
@pytest.mark.parametrize("part", ["validation", "test"])
def test_a_label_that_is_held_out_alone_is_said_before_anything_is_made(
    task: str, part: str, command: Command, pretrained: Path
) -> None:
    files = {
        "classification": (GOOD, "text,label\nrain,maybe\n"),
        "tagging": ("rain B-X\ntea O\n\ntea O\nrain B-X\n\n" * 2, "rain B-Y\n"),
    }
    kind = "csv" if task == "classification" else "conll"
    for name, text in zip(("train", "bad"), files[task], strict=True):
        Path(f"{name}.{kind}").write_text(text, encoding="utf-8")
    words = ["fit", f"--data.task={task}", f"--data.train=train.{kind}"]
    words += [f"--data.{part}=bad.{kind}", "--data.max_length=32", *QUIET]
    line = command.refuses(*words, f"--model.pretrained={pretrained}")
    assert line.startswith(f"the label at bad.{kind}, line ")
    assert not Path("runs").exists()
    assert not list(Path().rglob("events.*"))


@pytest.mark.parametrize("value", ["good", "nan", "inf", "", "1,5"])
def test_a_number_that_is_none_is_named_with_its_line(
    command: Command, fit: Callable[..., list[str]], value: str
) -> None:
    (command.folder / "train.tsv").write_text(f"text\tscore\nrain\t1.5\ntea\t{value}\nso\t2\n")
    words = fit(**{"--data.task": "regression", "--data.train": "train.tsv"})
    if value:
        assert "the label at train.tsv, line 3 must be a number" in command.refuses(*words)
    else:
        assert command(*words) == 0, command.messages  # unlabelled, and left out


def test_what_a_run_stands_on_does_not_change_when_it_goes_on(
    command: Command, fit: Callable[..., list[str]]
) -> None:
    assert command(*fit()) == 0, command.messages
    again = [*fit(**{"--trainer.max_steps": "4"}), "--ckpt_path=last"]
    changes = {
        "--data.task=regression": "data.task must be the checkpoint's 'classification'",
        '--data.labels=["yes", "no"]': "data.labels must be the checkpoint's",
        "--data.batch_size=5": "data.batch_size must stay the checkpoint's 32",
        "--model.freeze=encoder": "model.freeze must be the checkpoint's 'nothing'",
        "--model.optimizer.layer_decay=0.5": "layer_decay must stay 1",
        "--seed_everything=7": "seed_everything must stay the checkpoint's 0",
    }
    for word, wanted in changes.items():
        assert wanted in command.refuses(*again, word)
    with (command.folder / "train.csv").open("a") as file:
        file.write("a new line,yes\n")
    assert "the training examples must stay" in command.refuses(*again)


def test_what_looks_alike_is_one_label_in_every_kind_of_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,label\nrain,1\ntea,0\n")
    (tmp_path / "a.tsv").write_text("text\tlabel\nrain\t1\ntea\t0\n")
    (tmp_path / "a.jsonl").write_text(
        '{"text": "rain", "label": 1}\n{"text": "tea", "label": 0.0}\n'
    )
    table = pyarrow.table({"text": ["rain", "tea"], "label": [1, 0]})
    parquet.write_table(table, tmp_path / "a.parquet")
    for path in sorted(tmp_path.iterdir()):
        found = read_texts(str(path), LabelledReading())
        assert [(each.text, each.label) for each in found] == [("rain", "1"), ("tea", "0")], path


@pytest.mark.parametrize("around", ["{} ", " {}", "\u00a0{}", "\t{}\n"])
def test_space_around_a_label_makes_no_label_of_its_own(tmp_path: Path, around: str) -> None:
    rows = [(text, around.format(label)) for text, label in ROWS] + ROWS
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows, ("nothing", " ")])
    found = read_texts(str(tmp_path / "a.csv"), LabelledReading())
    assert [each.label for each in found] == [*(label for _, label in [*ROWS, *ROWS]), None]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_no_row_is_lost_to_marks_ends_and_quotes(tmp_path: Path, mark: bytes, end: str) -> None:
    texts = ['he said "rain', '"tea"', "it's 5\" of rain", "", "a\u2028b", "a\x0cb", "''"]
    lines = ["text\tlabel", *(f"{text}\t{n % 2}" for n, text in enumerate(texts))]
    path = tmp_path / "a.tsv"
    path.write_bytes(mark + (end.join(lines) + end).encode())
    found = read_texts(str(path), LabelledReading())
    assert [each.text for each in found] == texts


@pytest.mark.parametrize("kind", ["csv", "tsv", "txt", "jsonl", "parquet"])
def test_a_first_line_that_names_nothing_is_said_to_be_one(tmp_path: Path, kind: str) -> None:
    path, between = tmp_path / f"a.{kind}", "," if kind == "csv" else "\t"
    if kind == "parquet":
        parquet.write_table(pyarrow.table({"rain": ["tea"], "yes": ["no"]}), path)
    else:
        lines = [f"rain{between}yes", f"tea{between}no"]
        path.write_text("\n".join(['{"rain": "yes"}'] if kind == "jsonl" else lines))
    with pytest.raises(
        UserError, match="must have a column of text, got the columns rain"
    ) as line:
        read_texts(str(path), LabelledReading())
    has_names = kind in ("csv", "tsv", "txt")
    assert ("or --data.reading.header false" in str(line.value)) == has_names
    if has_names:
        found = read_texts(str(path), LabelledReading(header=False))
        assert [(each.text, each.label) for each in found] == [("rain", "yes"), ("tea", "no")]


@pytest.mark.parametrize("twice", ["text", "label", "other"])
def test_an_entry_that_a_row_names_twice_is_refused(tmp_path: Path, twice: str) -> None:
    path = tmp_path / "a.jsonl"
    row = '{"text": "rain", "label": "yes", "other": [1]}'
    path.write_text(f'{row}\n{row[:-1]}, "{twice}": "tea"}}\n')
    line = f"a.jsonl, line 2, must be valid JSON, got .*the entry '{twice}' is there twice"
    with pytest.raises(UserError, match=line):
        read_texts(str(path), LabelledReading())


def test_a_file_of_two_columns_needs_no_header(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("".join(f"{text},{label}\n" for text, label in ROWS))
    found = read_texts(str(path), LabelledReading(header=False))
    assert [(each.text, each.label) for each in found] == ROWS


def test_texts_that_are_learned_and_judged_are_counted(
    command: Command, fit: Callable[..., list[str]]
) -> None:
    assert command(*fit(**{"--data.validation": "train.csv"})) == 0, command.messages
    assert "32 of 32 texts of the validation part are in the training part" in command.messages


def test_a_label_without_an_example_is_told(
    command: Command, fit: Callable[..., list[str]]
) -> None:
    assert command(*fit(**{"--data.labels": '["yes", "no", "maybe"]'})) == 0, command.messages
    assert "No training example has the label maybe" in command.messages


def test_a_text_that_is_too_long_is_cut_and_counted(
    command: Command, fit: Callable[..., list[str]]
) -> None:
    for said in ("1 of them is", "2 of them are"):
        with (command.folder / "train.csv").open("a") as file:
            file.write(f"{'rain and tea ' * 40},yes\n")
        words = {"--data.validation_share": "0", "--trainer.default_root_dir": said[:1]}
        assert command(*fit(**words)) == 0, command.messages
        assert f"{said} longer than 16 tokens and cut there" in command.messages
