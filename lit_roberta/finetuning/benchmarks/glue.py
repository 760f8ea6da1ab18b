"""GLUE's tasks, from the folders that its download makes.

The order of the labels is that of Hugging Face's `glue`, so that their numbers in an exported
model are those that others expect.

Source: Wang et al. 2018, table 1 for the metrics.
"""

from __future__ import annotations

from pathlib import Path

from lit_roberta.finetuning.benchmarks.layout import (
    Benchmark,
    Files,
    Notes,
    PartName,
    files_of,
    part_reader,
)
from lit_roberta.finetuning.benchmarks.mrpc import LABELS as MRPC_LABELS
from lit_roberta.finetuning.benchmarks.mrpc import read_mrpc
from lit_roberta.finetuning.benchmarks.rows import RowReader
from lit_roberta.finetuning.examples import TextExample

ENTAILMENT = ("entailment", "not_entailment")
_PLAIN = files_of(".tsv")
_MNLI: Files = {
    "train": {"": "train.tsv"},
    "validation": {"": "dev_matched.tsv", "mismatched": "dev_mismatched.tsv"},
    "test": {"": "test_matched.tsv", "mismatched": "test_mismatched.tsv"},
}
_ACCURACY = ("accuracy",)


def _task(
    name: str,
    folder: str,
    reader: RowReader,
    *,
    metrics: tuple[str, ...] = _ACCURACY,
    files: Files = _PLAIN,
) -> Benchmark:
    return Benchmark(
        name=name,
        kind="classification" if reader.labels else "regression",
        folder=folder,
        read_part=part_reader(name, [files], reader),
        labels=reader.labels or None,
        metrics=metrics,
    )


def _read_rte(path: Path, part: PartName, notes: Notes) -> list[TextExample]:
    names = ("premise", "hypothesis") if path.suffix == ".jsonl" else ("sentence1", "sentence2")
    return RowReader(text=names[0], pair=names[1], labels=ENTAILMENT)(path, part, notes)


RTE = Benchmark(
    name="rte",
    kind="classification",
    folder="RTE",
    read_part=part_reader("rte", [_PLAIN, files_of(".jsonl", validation="val")], _read_rte),
    labels=ENTAILMENT,
    metrics=_ACCURACY,
)
"""The same pairs in GLUE's files and in SuperGLUE's: either are read."""

GLUE = (
    _task(
        "cola",
        "CoLA",
        RowReader(text="sentence", unnamed=("4", "2"), labels=("unacceptable", "acceptable")),
        metrics=("matthews_correlation", "accuracy"),
    ),
    _task("sst2", "SST-2", RowReader(text="sentence", labels=("negative", "positive"))),
    Benchmark(
        name="mrpc",
        kind="classification",
        folder="MRPC",
        read_part=read_mrpc,
        labels=MRPC_LABELS,
        metrics=("accuracy", "f1"),
    ),
    _task(
        "stsb",
        "STS-B",
        RowReader(text="sentence1", pair="sentence2", label="score"),
        metrics=("pearson", "spearmanr"),
    ),
    _task(
        "qqp",
        "QQP",
        RowReader(
            text="question1",
            pair="question2",
            label="is_duplicate",
            labels=("not_duplicate", "duplicate"),
            drops_malformed=True,  # a line end inside of a question tears its row in two
        ),
        metrics=("accuracy", "f1"),
    ),
    _task(
        "mnli",
        "MNLI",
        RowReader(
            text="sentence1",
            pair="sentence2",
            label="gold_label",
            labels=("entailment", "neutral", "contradiction"),
        ),
        files=_MNLI,
    ),
    _task("qnli", "QNLI", RowReader(text="question", pair="sentence", labels=ENTAILMENT)),
    RTE,
    _task(
        "wnli",
        "WNLI",
        RowReader(text="sentence1", pair="sentence2", labels=("not_entailment", "entailment")),
    ),
)
"""Matched and mismatched MNLI are two sets; the matched one, nameless, decides."""
