"""What a benchmark's task is, and how its folder is read: the files of each part by name.

In: a folder in the layout that a benchmark is downloaded in. Out: examples. It knows no model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lit_roberta.errors import must
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.tables import TableRow

PartName = Literal["train", "validation", "test"]

Notes = list[str]
"""What was done that nobody asked for; a line each, for the user."""

ReadPart = Callable[[Path, PartName, Notes], Mapping[str, Sequence[Any]]]
"""Reads a part of a benchmark's folder: examples by the name of the set, "" for the one that has
no name of its own, which is the one that decides which model is best. Nothing where the folder
has no such part."""

ReadFile = Callable[[Path, PartName, Notes], Sequence[Any]]
"""Reads the examples of a file, or of a folder of files, as those of a part."""

OfRow = Callable[[TableRow, LabelledReading], Iterable[Any]]
"""Turns a row of a file of one's own, or of the hub's copy, into examples."""

Files = Mapping[PartName, Mapping[str, str]]
"""The name of the file of each set of each part."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    """A task of a benchmark."""

    name: str
    kind: str
    """Of the task, by name."""
    folder: str
    """What its folder is called."""
    read_part: ReadPart
    labels: tuple[str, ...] | None = None
    """In the order of their numbers, which is that of Hugging Face's copy."""
    metrics: tuple[str, ...] | None = None
    """The one that decides first. None: the kind's own."""
    of_row: OfRow | None = None
    """None: rows of one's own are as those of any task of its kind."""


def files_of(kind: str, *, validation: str = "dev", test: str = "test") -> Files:
    """Name the three files of a plain layout.

    Args:
        kind: What they end in.
        validation: What the validation part is called.
        test: The same, for the test part.
    """
    return {
        "train": {"": f"train{kind}"},
        "validation": {"": f"{validation}{kind}"},
        "test": {"": f"{test}{kind}"},
    }


def part_reader(name: str, layouts: Sequence[Files], read: ReadFile) -> ReadPart:
    """Make what reads a part of a folder.

    Args:
        name: The task, for messages.
        layouts: That its folder may have; the first whose training part is there is read.
        read: Reads a file.
    """

    def read_part(folder: Path, part: PartName, notes: Notes) -> Mapping[str, Sequence[Any]]:
        files = _find_layout(name, layouts, folder)[part]
        there = {key: folder / file for key, file in files.items() if (folder / file).exists()}
        if there and "" not in there:
            remedy = f"It is the one that {name} is judged by first."
            raise must(
                str(folder), f"hold {files['']}", sorted(files[key] for key in there), remedy
            )
        return {key: read(path, part, notes) for key, path in there.items()}

    return read_part


def _find_layout(name: str, layouts: Sequence[Files], folder: Path) -> Files:
    for files in layouts:
        if (folder / files["train"][""]).exists():
            return files
    wanted = " or ".join(files["train"][""] for files in layouts)
    found = ", ".join(sorted(each.name for each in folder.iterdir())[:10]) or "nothing"
    remedy = f"Give the folder of {name} as it is downloaded, or the one above it."
    raise must(str(folder), f"hold {wanted}", found, remedy)
