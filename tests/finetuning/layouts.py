"""Tiny folders of benchmarks in the layouts that they are downloaded in."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tests.finetuning.examples import LIKED, NOT_LIKED

COUNT = 8
"""Rows of each file."""
PAIRS = [(LIKED[row % 4], NOT_LIKED[row // 2 % 4]) for row in range(COUNT)]
"""Texts, two a row."""


def write_tsv(path: Path, header: str, rows: Sequence[Sequence[object]]) -> Path:
    """Write rows with tabs between.

    Args:
        path: The file; its folder is made.
        header: Names of the columns, with spaces between; empty for none.
        rows: Their fields.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [header.replace(" ", "\t").replace("~", " ")] if header else []
    lines += ["\t".join(map(str, row)) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def _write_glue(
    folder: Path,
    names: Sequence[str],
    labelled: tuple[str, Callable[[int, str, str], Sequence[object]]],
    unlabelled: tuple[str, Callable[[int, str, str], Sequence[object]]],
) -> Path:
    for name in names:
        header, make = unlabelled if name.startswith("test") else labelled
        rows = [make(number, *pair) for number, pair in enumerate(PAIRS)]
        write_tsv(folder / f"{name}.tsv", header, rows)
    return folder


_PARTS = ("train", "dev", "test")
_MNLI_PARTS = ("train", "dev_matched", "dev_mismatched", "test_matched", "test_mismatched")
_FOUR = "index sentence1 sentence2 label"
_ENTAILMENT = ("entailment", "not_entailment")


def _pairs(labels: Sequence[str], header: str = _FOUR) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        return _write_glue(
            folder,
            _PARTS,
            (header, lambda n, one, two: (n, one, two, labels[n % len(labels)])),
            (header.rpartition(" ")[0], lambda n, one, two: (n, one, two)),
        )

    return write


def write_cola(folder: Path) -> Path:
    """Write CoLA: a header in test.tsv only."""
    return _write_glue(
        folder,
        _PARTS,
        ("", lambda n, one, two: ("gj04", n % 2, "*"[: n % 2], one)),
        ("index sentence", lambda n, one, two: (n, one)),
    )


def write_sst2(folder: Path) -> Path:
    """Write SST-2: sentences that end in a space."""
    return _write_glue(
        folder,
        _PARTS,
        ("sentence label", lambda n, one, two: (f"{(one, two)[n % 2]} ", 1 - n % 2)),
        ("index sentence", lambda n, one, two: (n, one)),
    )


def write_mrpc(folder: Path) -> Path:
    """Write MRPC: a byte order mark where there is a label."""
    header = "#1~ID #2~ID #1~String #2~String"
    return _write_glue(
        folder,
        _PARTS,
        (f"\ufeffQuality {header}", lambda n, one, two: (n % 2, n, n + 100, one, two)),
        (f"index {header}", lambda n, one, two: (n, n, n + 100, one, two)),
    )


def write_stsb(folder: Path) -> Path:
    """Write STS-B: numbers from 0 to 5."""
    header = "index genre filename year old_index source1 source2 sentence1 sentence2"
    before = ("main-captions", "MSRvid", "2012test", "0000", "none", "none")
    return _write_glue(
        folder,
        _PARTS,
        (f"{header} score", lambda n, one, two: (n, *before, one, two, f"{n % 6:.3f}")),
        (header, lambda n, one, two: (n, *before, one, two)),
    )


def write_qqp(folder: Path) -> Path:
    """Write QQP."""
    return _write_glue(
        folder,
        _PARTS,
        (
            "id qid1 qid2 question1 question2 is_duplicate",
            lambda n, one, two: (n, n, n, one, two, n % 2),
        ),
        ("id question1 question2", lambda n, one, two: (n, one, two)),
    )


def write_mnli(folder: Path) -> Path:
    """Write MNLI: matched and mismatched."""
    header = "index promptID pairID genre sentence1 sentence2"
    labels = ("neutral", "contradiction", "entailment")
    return _write_glue(
        folder,
        _MNLI_PARTS,
        (
            f"{header} label1 gold_label",
            lambda n, one, two: (n, n, n, "fiction", one, two, labels[n // 3 % 3], labels[n % 3]),
        ),
        (header, lambda n, one, two: (n, n, n, "fiction", one, two)),
    )


GLUE: Mapping[str, tuple[str, Callable[[Path], Path]]] = {
    "cola": ("CoLA", write_cola),
    "sst2": ("SST-2", write_sst2),
    "mrpc": ("MRPC", write_mrpc),
    "stsb": ("STS-B", write_stsb),
    "qqp": ("QQP", write_qqp),
    "mnli": ("MNLI", write_mnli),
    "qnli": ("QNLI", _pairs(_ENTAILMENT, "index question sentence label")),
    "rte": ("RTE", _pairs(_ENTAILMENT)),
    "wnli": ("WNLI", _pairs("01")),
}
"""By the task's name: what its folder is called, and what writes one."""


# ---- to choose from


def write_jsonl(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    """Write rows as JSON, a line each."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def write_race(folder: Path) -> Path:
    """Write RACE: a file a text, two questions each, one of them with a blank."""
    for part in ("train", "dev", "test"):
        for level, number in (("middle", 1), ("high", 10), ("high", 9)):
            path = folder / part / level / f"{number}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            passage = {
                "article": f"{LIKED[number % 4]}\n{NOT_LIKED[number % 4]}",
                "questions": ["it is _ .", "is it tea ?"],
                "options": [["rain", "tea", "love", "old"], ["so", "it", "the", "more"]],
                "answers": ["A", "D"],
                "id": f"{level}{number}.txt",
            }
            path.write_text(json.dumps(passage), encoding="utf-8")
    return folder


def _write_jsonl_parts(
    folder: Path, row_of: Callable[[int, str, str], Mapping[str, object]]
) -> Path:
    """Write train, val and test, the latter without labels."""
    rows = [dict(row_of(number, *pair)) for number, pair in enumerate(PAIRS)]
    for name in ("train", "val", "test"):
        if name == "test":
            rows = [{key: row[key] for key in row if key != "label"} for row in rows]
        write_jsonl(folder / f"{name}.jsonl", rows)
    return folder


def write_copa(folder: Path) -> Path:
    """Write COPA as SuperGLUE has it."""
    return _write_jsonl_parts(
        folder,
        lambda n, one, two: {
            "premise": "It rained.",
            "choice1": one,
            "choice2": two,
            "question": ("cause", "effect")[n % 2],
            "label": n // 2 % 2,
            "idx": n,
        },
    )


def write_swag(folder: Path) -> Path:
    """Write SWAG: a nameless first column, and quotes around commas."""
    names = ["", "video-id", "sent1", "sent2", "ending0", "ending1", "ending2", "ending3", "label"]
    folder.mkdir(parents=True, exist_ok=True)
    for part in ("train", "val", "test"):
        width = len(names) - (part == "test")
        with (folder / f"{part}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(names[:width])
            for n in range(COUNT):
                endings = ["loves rain, and tea", "is old", "said so", "rained"]
                writer.writerow([n, "v", LIKED[n % 4], "She", *endings, n % 4][:width])
    return folder


LAYOUTS: dict[str, tuple[str, Callable[[Path], Path]]] = {
    **GLUE,
    "race": ("RACE", write_race),
    "copa": ("COPA", write_copa),
    "swag": ("SWAG", write_swag),
}
"""All of them."""


def write_benchmark(folder: Path, name: str) -> Path:
    """Write the folder of a task into a folder, and give the latter."""
    inner, write = LAYOUTS[name]
    write(folder / inner)
    return folder
