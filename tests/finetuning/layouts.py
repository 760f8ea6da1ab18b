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


# ---- SuperGLUE


def _pairs_of_json(one: str, two: str, labels: Sequence[object]) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        return _write_jsonl_parts(
            folder,
            lambda n, first, second: {
                one: first,
                two: second,
                "label": labels[n % len(labels)],
                "idx": n,
            },
        )

    return write


def write_wic(folder: Path) -> Path:
    """Write WiC: a word in two sentences, by characters."""
    return _write_jsonl_parts(
        folder,
        lambda n, one, two: {
            "word": "tea",
            "sentence1": "the tea is tea",
            "sentence2": "more tea",
            "start1": (4, 11)[n % 2],
            "end1": (7, 14)[n % 2],
            "start2": 5,
            "end2": 8,
            "label": n % 2 == 0,
            "idx": n,
        },
    )


def write_wsc(folder: Path) -> Path:
    """Write WSC: a pronoun by the number of its word."""
    return _write_jsonl_parts(
        folder,
        lambda n, one, two: {
            "text": "It rained, so the captain said it; and it was tea.",
            "target": {
                "span1_text": ("the captain", "tea")[n % 2],
                "span1_index": 3,
                "span2_text": "it",
                "span2_index": (6, 8)[n // 2 % 2],
            },
            "label": n % 2 == 0,
            "idx": n,
        },
    )


def write_multirc(folder: Path) -> Path:
    """Write MultiRC: two questions a passage, three answers each."""
    for name in ("train", "val", "test"):
        rows = []
        for number, (one, two) in enumerate(PAIRS):
            answers = [
                {"idx": n, "text": text, "label": (n + number) % 2}
                for n, text in enumerate(("tea", "rain", "all"))
            ]
            if name == "test":
                answers = [{"idx": each["idx"], "text": each["text"]} for each in answers]
            questions = [
                {"idx": n, "question": f"is it {n} ?", "answers": answers} for n in range(2)
            ]
            text = f"<b>Sent 1: </b>{one}<br><b>Sent 2: </b>{two}<br>"
            rows.append({"idx": number, "passage": {"text": text, "questions": questions}})
        write_jsonl(folder / f"{name}.jsonl", rows)
    return folder


def write_record(folder: Path) -> Path:
    """Write ReCoRD: two queries a passage, of which an entity stands in two places."""
    text = "The captain said tea\n@highlight\nMore tea"
    entities = [{"start": 4, "end": 10}, {"start": 17, "end": 19}, {"start": 37, "end": 39}]
    for name in ("train", "val", "test"):
        rows = []
        for number in range(COUNT):
            start, end, right = ((4, 10, "captain"), (17, 19, "tea"))[number % 2]
            answers = {"answers": [{"start": start, "end": end, "text": right}]}
            query = {"query": "so it is @placeholder !", "idx": number}
            qas = [query if name == "test" else query | answers] * 2
            passage = {"text": text, "entities": entities}
            rows.append({"source": "cnn", "passage": passage, "qas": qas, "idx": number})
        write_jsonl(folder / f"{name}.jsonl", rows)
    return folder


SUPERGLUE: Mapping[str, tuple[str, Callable[[Path], Path]]] = {
    "boolq": ("BoolQ", _pairs_of_json("question", "passage", [True, False])),
    "cb": (
        "CB",
        _pairs_of_json("premise", "hypothesis", ["contradiction", "neutral", "entailment"]),
    ),
    "copa": ("COPA", write_copa),
    "multirc": ("MultiRC", write_multirc),
    "record": ("ReCoRD", write_record),
    "rte": ("RTE", _pairs_of_json("premise", "hypothesis", _ENTAILMENT)),
    "wic": ("WiC", write_wic),
    "wsc": ("WSC", write_wsc),
}
"""As SuperGLUE has them: of RTE another layout than GLUE's."""

LAYOUTS: dict[str, tuple[str, Callable[[Path], Path]]] = {
    **SUPERGLUE,
    **GLUE,
    "race": ("RACE", write_race),
    "swag": ("SWAG", write_swag),
}
"""All of them."""


def write_benchmark(
    folder: Path,
    name: str,
    layouts: Mapping[str, tuple[str, Callable[[Path], Path]]] = LAYOUTS,
) -> Path:
    """Write the folder of a task into a folder, and give the latter."""
    inner, write = layouts[name]
    write(folder / inner)
    return folder
