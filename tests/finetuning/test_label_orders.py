"""Labels are names: in which order they were numbered changes no score."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lit_roberta.exchange.checkpoint import read_checkpoint
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.tasks.classification import Classification
from tests.finetuning.benchmarks.test_glue import read
from tests.finetuning.examples import ROWS, write_rows, write_texts
from tests.finetuning.layouts import PAIRS, write_tsv
from tests.training.commands import Command

HEADER = ("text", "label")
SMALL = ["--data.max_length=16", "--data.batch_size=8", "--trainer.accelerator=cpu"]
QUIET = ["--trainer.enable_progress_bar=false", "--model.optimizer.lr=5e-3"]


def accuracy(command: Command, *words: str) -> float:
    assert command("test", *words) == 0, command.messages
    found = re.search(r"test/accuracy\s+([\d.]+)", command.messages)
    assert found is not None
    return float(found[1])


@pytest.mark.parametrize("order", [("no", "yes"), ("yes", "no")])
def test_a_model_is_judged_alike_in_whatever_order_its_labels_are(
    command: Command, pretrained: Path, order: tuple[str, str]
) -> None:
    write_texts(command.folder / "train.csv")
    write_texts(command.folder / "valid.csv", copies=1)
    base = ["--data.task=classification", *SMALL, *QUIET]
    fit = [
        f"--data.labels={json.dumps(order)}",
        "--data.train=train.csv",
        "--data.validation=valid.csv",
    ]
    start = [f"--model.pretrained={pretrained}", "--trainer.max_epochs=8"]
    assert command("fit", *base, *fit, *start) == 0, command.messages
    best = command.folder / "runs/finetuning/checkpoints/best.ckpt"
    task = read_checkpoint(best).task
    assert task is not None
    assert task.id2label == dict(enumerate(order))

    # the first row's label is another, and one label is not there at all
    files: dict[str, list[tuple[str, ...]]] = {
        "as.csv": list(ROWS),
        "reversed.csv": list(ROWS[::-1]),
        "one.csv": [row for row in ROWS if row[1] == "yes"],
    }
    for name, rows in files.items():
        write_rows(command.folder / name, rows, HEADER)
    judge = [*base, "--data.train=train.csv"]
    scores = [accuracy(command, *judge, f"--data.test={name}") for name in files]
    assert scores[0] == scores[1] >= 0.9
    assert scores[2] >= 0.8

    # numbers, and a name that was never seen, are no guess
    for label, name in (("1", "numbers.csv"), ("maybe", "unseen.csv")):
        write_rows(command.folder / name, [ROWS[0], (ROWS[1][0], label)], HEADER)
        line = command.refuses("test", *judge, f"--data.test={name}")
        assert f"{name}, line 3 must be one of {', '.join(order)}, got '{label}'." in line
    line = command.refuses("test", *judge, f"--data.labels={json.dumps(order[::-1])}")
    assert "data.labels must be the checkpoint's" in line


# numbers are numbered by size; "nan" is the code of a language, and no number that has none
SORTED = ("-1", "0.5", "2", "10", "Inf", "NaN", "deu", "nan", "zho")


@given(st.sets(st.sampled_from(SORTED), min_size=2))
def test_labels_are_numbered_in_one_order_whatever_they_are_called(names: set[str]) -> None:
    examples = [TextExample("a text", None, name, "") for name in names]
    assert Classification.found_labels(examples) == tuple(filter(names.__contains__, SORTED))


def test_numbers_in_the_files_of_a_benchmark_are_those_of_its_order(tmp_path: Path) -> None:
    names = ("entailment", "not_entailment", "entailment", "entailment")
    for form, labels in (("names", names), ("numbers", tuple("0100"))):
        rows = [(n, *PAIRS[n], label) for n, label in enumerate(labels)]
        header = "index sentence1 sentence2 label"
        write_tsv(tmp_path / form / "RTE" / "train.tsv", header, rows)
    found = [
        [example.label for example in read(tmp_path / form, "rte", "train")[""]]
        for form in ("names", "numbers")
    ]
    assert found[0] == found[1] == list(names)
