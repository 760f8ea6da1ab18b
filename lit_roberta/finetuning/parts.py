"""The three parts of a task: from files of one's own, or from the folder of a benchmark."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from lit_roberta.errors import must
from lit_roberta.finetuning.benchmarks.layout import PartName
from lit_roberta.finetuning.examples import TextExample
from lit_roberta.finetuning.labelling import leave_out_unlabelled, note_unlabelled, require_labels
from lit_roberta.finetuning.reading.config import LabelledReading
from lit_roberta.finetuning.reading.lines import read_lines_of_label
from lit_roberta.finetuning.reading.tables import holds_rows, read_table
from lit_roberta.finetuning.reading.texts import named_by_number, without_kept_back
from lit_roberta.finetuning.tasks.table import TaskSpec

logger = logging.getLogger(__name__)

E = TypeVar("E")

Files = str | dict[str, str]
"""A file; or for each label one, whose lines are the texts."""


@dataclass(frozen=True, kw_only=True)
class PartsConfig:
    """Where the examples of a task lie."""

    folder: str | None = None
    """Of a benchmark's task in its standard layout, or the one above it."""
    train: Files | None = None
    """A file of one's own, hub:OWNER/NAME, or a mapping of labels to files of lines."""
    validation: Files | None = None
    """None: a share of the training part, or the folder's own."""
    test: Files | None = None
    """None: a share of the training part, or the folder's own."""
    validation_share: float = 0.1
    """Of the training part, where no validation part was named; by a hash of the text, so that it
    is the same whatever the order of the file."""
    test_share: float = 0.0
    """The same, for a test part."""
    num_train_examples: int | None = None
    """Learn from so many training examples only, the first by that hash. None: from all."""
    reading: LabelledReading = LabelledReading()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        for name in ("validation_share", "test_share"):
            share = getattr(self, name)
            if not 0 <= share < 1:
                raise must(f"data.{name}", "lie in [0, 1)", share, "For a tenth, give 0.1.")
        if self.validation_share + self.test_share >= 1:
            got = self.validation_share + self.test_share
            remedy = "Together with data.validation_share it is all of it."
            raise must("data.test_share", "leave something to learn from", got, remedy)
        if self.folder is not None and self.train is not None:
            remedy = "Both name what is learned from: give one of them."
            raise must("data.folder", "be left out beside data.train", self.folder, remedy)
        number = self.num_train_examples
        if number is not None and number < 1:
            raise must("data.num_train_examples", "be 1 or more", number, "Leave it out for all.")


@dataclass(kw_only=True)
class Parts:
    """Examples to learn from, and those that a model is judged on, by the name of the set."""

    train: Sequence[Any]
    validation: Mapping[str, Sequence[Any]]
    test: Mapping[str, Sequence[Any]]
    notes: list[str] = field(default_factory=list)
    """What was done that nobody asked for; a line each."""


def load_parts(spec: TaskSpec, config: PartsConfig, *, learns: bool = True) -> Parts:
    """Read all parts.

    Args:
        spec: The task.
        config: Where they lie.
        learns: Whether there has to be a training part. Without one, nothing is split.

    Raises:
        UserError: If there is nothing to learn from, or a file is damaged.
    """
    notes: list[str] = []
    is_judged = config.validation is not None or config.test is not None
    if not learns and is_judged and config.train is None and config.folder is None:
        judged = [_read(spec, config, part, notes) for part in ("validation", "test")]
        return Parts(train=(), validation=judged[0], test=judged[1], notes=notes)
    train = _read(spec, config, "train", notes).get("", ())
    if not train:
        where = config.folder if config.train is None else config.train
        remedy = "Name a file with at least one."
        raise must("data.train", "hold examples", f"none in {where}", remedy)
    train = leave_out_unlabelled(train, notes)
    parts = Parts(
        train=train,
        validation=_read(spec, config, "validation", notes),
        test=_read(spec, config, "test", notes),
        notes=notes,
    )
    ranked = _hold_out(parts, config, _rank_by_hash(train, spec.task.key_text))
    parts.train = _in_order(_first(ranked, config.num_train_examples))
    if learns:
        require_labels("validation", parts.validation, remedy="Name another file, or none.")
    for part in ("validation", "test"):
        parts.notes += note_unlabelled(part, getattr(parts, part))
    parts.notes += _repeated(parts, spec.task.key_text)
    return parts


def _hold_out(parts: Parts, config: PartsConfig, ranked: list[_Ranked]) -> list[_Ranked]:
    """Take shares out of what is learned from, for parts that nobody named."""
    splits_twice = not parts.validation and config.validation_share > 0
    if not parts.test and config.test_share:
        parts.test, ranked = _split_off(ranked, config.test_share, leaves=1 + splits_twice)
    if splits_twice:
        share = config.validation_share / (1 - config.test_share)
        parts.validation, ranked = _split_off(ranked, share)
        count = len(parts.validation[""])
        parts.notes.append(
            f"No validation part was named: it is {count:,} of the training examples, by hash."
        )
    return ranked


def _first(ranked: list[_Ranked], wanted: int | None) -> list[_Ranked]:
    if wanted is not None and wanted > len(ranked):
        remedy = "The training part has no more: leave it out for all."
        raise must("data.num_train_examples", f"be at most {len(ranked):,}", wanted, remedy)
    return ranked[:wanted]


def _repeated(parts: Parts, text_of: Callable[[Any], str]) -> list[str]:
    """Tell of held-out texts that are learned from, too."""
    seen = {text_of(example) for example in parts.train}
    told = []
    for part, sets in (("validation", parts.validation), ("test", parts.test)):
        for name, examples in sets.items():
            count = sum(text_of(example) in seen for example in examples)
            if count:
                where = f"{part} ({name})" if name else part
                told.append(
                    f"{count:,} of {len(examples):,} texts of the {where} part are in the "
                    "training part, too: scores on it are not those of new text."
                )
    return told


def _read(
    spec: TaskSpec, config: PartsConfig, part: PartName, notes: list[str]
) -> Mapping[str, Sequence[Any]]:
    named: Files | None = getattr(config, part)
    if isinstance(named, dict):
        return {"": _read_by_label(spec, named, config.reading)}
    if named is not None:
        return {"": _read_own(spec, named, config.reading)}
    if config.folder is not None and config.train is None:
        _check_folder_alone(config)
        return _read_folder(spec, Path(config.folder), part, notes)
    if part == "train":
        remedy = "Give --data.train FILE"
        if spec.read_part is not None:
            remedy += f", or --data.folder with {spec.folder} in its standard layout"
        raise must("data.train", "name the examples to learn from", None, f"{remedy}.")
    return {}


def _read_own(spec: TaskSpec, source: str, reading: LabelledReading) -> list[Any]:
    """Read a file of one's own, or the hub's copy of a benchmark."""
    if spec.of_row is not None and holds_rows(source):
        rows = (without_kept_back(row, reading) for row in read_table(source, reading))
        return [example for row in rows for example in spec.of_row(row, reading)]
    examples = spec.task.read(source, reading)
    if spec.read_part is not None:
        examples = named_by_number(examples, spec.labels or ())
    return examples


def _check_folder_alone(config: PartsConfig) -> None:
    """Refuse settings of files of one's own where there are none."""
    if config.reading != LabelledReading() and config.validation is None and config.test is None:
        remedy = "A benchmark's files are read as they are downloaded."
        raise must("data.reading", "be left out with data.folder", config.reading, remedy)


def _read_folder(
    spec: TaskSpec, folder: Path, part: PartName, notes: list[str]
) -> Mapping[str, Sequence[Any]]:
    if spec.read_part is None:
        remedy = "It is for the tasks of benchmarks: give --data.train FILE."
        raise must("data.folder", f"be left out for {spec.name}", str(folder), remedy)
    assert spec.folder is not None
    inner = folder / spec.folder
    place = inner if inner.is_dir() else folder
    if not place.is_dir():
        remedy = f"Give the one that holds {spec.folder}, or {spec.folder} itself."
        raise must("data.folder", "be a folder", str(folder), remedy)
    return spec.read_part(place, part, notes)


def _read_by_label(
    spec: TaskSpec, files: Mapping[str, str], reading: LabelledReading
) -> list[TextExample]:
    if not spec.task.learns_from_lines:
        rule = f"be one file for {spec.name}"
        raise must("data.train", rule, dict(files), "A file for each label is for classification.")
    return [
        example
        for label, file in files.items()
        for example in read_lines_of_label(file, label, reading)
    ]


class _Ranked(NamedTuple):
    digest: bytes
    number: int
    example: Any


def _rank_by_hash(examples: Sequence[E], text_of: Callable[[E], str]) -> list[_Ranked]:
    """Rank examples by a hash of their text; equal texts stand side by side."""
    digests = (hashlib.blake2b(text_of(each).encode(), digest_size=16) for each in examples)
    ranked = [
        _Ranked(digest.digest(), number, example)
        for number, (digest, example) in enumerate(zip(digests, examples, strict=True))
    ]
    return sorted(ranked, key=lambda each: each[:2])


def _split_off(
    ranked: Sequence[_Ranked], share: float, *, leaves: int = 1
) -> tuple[dict[str, list[Any]], list[_Ranked]]:
    """Take the first examples as a part of their own; equal texts stay on one side."""
    begins = [n for n in range(1, len(ranked)) if ranked[n].digest != ranked[n - 1].digest]
    ends = begins[: len(begins) + 1 - leaves]  # behind each so many texts are left
    if not ends:
        remedy = "To split it takes as many: name a part, --data.validation FILE."
        raise must("data.train", f"hold {leaves + 1} different texts", len(begins) + 1, remedy)
    end = next((n for n in ends if n >= round(share * len(ranked))), ends[-1])
    return {"": _in_order(ranked[:end])}, list(ranked[end:])


def _in_order(ranked: Sequence[_Ranked]) -> list[Any]:
    return [each.example for each in sorted(ranked, key=lambda each: each.number)]
