"""RACE, COPA and SWAG by name."""

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
from lit_roberta.finetuning.examples import ChoiceExample
from lit_roberta.finetuning.reading.choices import choices_of_row, read_choices
from lit_roberta.finetuning.reading.config import LabelledReading

_RACE: Files = {
    "train": {"": "train"},
    "validation": {"": "dev"},
    "test": {"": "test", "middle": "test/middle", "high": "test/high"},
}
_COPA_XML: Files = {
    "train": {"": "copa-dev.xml"},
    "validation": {},
    "test": {"": "copa-test.xml"},
}


def _read(path: Path, part: PartName, notes: Notes) -> list[ChoiceExample]:
    return read_choices(str(path), LabelledReading())


def _task(name: str, folder: str, *layouts: Files) -> Benchmark:
    read_part = part_reader(name, layouts, _read)
    return Benchmark(
        name=name,
        kind="multiple-choice",
        folder=folder,
        read_part=read_part,
        of_row=lambda row, reading: [choices_of_row(row, reading)],
    )


RACE = _task("race", "RACE", _RACE)
"""Its test part is judged whole, which is the paper's score, and by level."""

COPA = _task("copa", "COPA", files_of(".jsonl", validation="val"), _COPA_XML)
"""SuperGLUE's files; or the two that COPA is published as, of which the first is learned from."""

SWAG = _task("swag", "SWAG", files_of(".csv", validation="val"))
