"""MRPC: GLUE's files, or Microsoft's, whose training part holds the pairs that GLUE validates on.

Source: Dolan and Brockett 2005; `dev_ids.tsv` is GLUE's.
"""

from __future__ import annotations

from pathlib import Path

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.errors import must
from lit_roberta.finetuning.benchmarks.layout import (
    Files,
    Notes,
    PartName,
    files_of,
    part_reader,
)
from lit_roberta.finetuning.benchmarks.rows import PLAIN, RowReader
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.reading.tables import read_table

LABELS = ("not_equivalent", "equivalent")

_MICROSOFT: Files = {
    "train": {"": "msr_paraphrase_train.txt"},
    "validation": {"": "msr_paraphrase_train.txt"},
    "test": {"": "msr_paraphrase_test.txt"},
}
_VALIDATION = "dev_ids.tsv"
_GLUE = files_of(".tsv")
_READ = RowReader(text="#1 String", pair="#2 String", label="Quality", labels=LABELS)
_READ_PART = part_reader("mrpc", [_GLUE, _MICROSOFT], _READ)


def read_mrpc(folder: Path, part: PartName, notes: Notes) -> dict[str, list[TextExample]]:
    """Read a part.

    Args:
        folder: With train.tsv, or with msr_paraphrase_train.txt and dev_ids.tsv; without the
            latter there is no validation part.
        part: Which.
        notes: As for every benchmark.
    """
    found = {name: list(each) for name, each in _READ_PART(folder, part, notes).items()}
    if part == "test" or (folder / _GLUE["train"][""]).exists():
        return found
    held_out = _validation_ids(folder / _VALIDATION)
    path = folder / _MICROSOFT["train"][""]
    ids = [(row.values["#1 ID"], row.values["#2 ID"]) for row in read_table(str(path), PLAIN)]
    wanted = part == "validation"
    chosen = [
        each for each, pair in zip(found[""], ids, strict=True) if (pair in held_out) == wanted
    ]
    return {"": chosen} if chosen else {}


def _validation_ids(path: Path) -> set[tuple[str, ...]]:
    if not path.exists():
        return set()
    pairs = set()
    for number, line in enumerate(read_lines(path, PLAIN.as_plain()), start=1):
        pair = tuple(line.split("\t"))
        if line and len(pair) != 2:
            remedy = "They name a pair."
            raise must(f"{path}, line {number},", "be two ids with a tab between", line, remedy)
        pairs.add(pair)
    return pairs
