"""Where text comes from: a bundled corpus, a file, a folder or a glob.

In: what the user named. Out: the files, each with its texts. What a document is gets decided
later.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from lit_roberta.data.text.jsonl import read_rows
from lit_roberta.data.text.python_docs import read_python_docs
from lit_roberta.data.text.reading import ReadingConfig, decode, split_lines
from lit_roberta.errors import UserError, must

TEXT_SUFFIXES = (".jsonl", ".raw", ".text", ".tokens", ".txt")
"""What a folder is read for. A file or a glob that is named is read whatever it ends in."""

_LONGEST_NAME = 200
"""Characters of a name that an error shows."""

_STRUCTURED = (".csv", ".htm", ".html", ".json", ".tsv", ".xml")


class SourceFile(NamedTuple):
    """One file of a corpus, or one that is as good as a file."""

    name: str
    texts: list[list[str]]
    """The lines of each text: a single one for a text file, one for each row of a .jsonl."""
    rows: bool
    """Whether each text is a document, whatever the boundary says."""


def read_source(
    source: str, reading: ReadingConfig, *, setting: str = "data.corpus"
) -> tuple[list[SourceFile], list[str]]:
    """Read every file that a source names.

    Args:
        source: `toy`, `python-docs`, a file, a folder or a glob.
        reading: Encoding, what to do with bytes that do not fit, and the column of rows.
        setting: What the source is called in errors.

    Returns:
        The files that hold text, in the order of their names; and what a reader should know.

    Raises:
        UserError: If nothing is there, or what is there is not text.
    """
    if source == "toy":
        data = resources.files("lit_roberta.toy").joinpath("corpus.txt").read_bytes()
        text = decode(data, name="toy", reading=ReadingConfig())
        return [SourceFile("toy", [split_lines(text)], False)], []
    if source == "python-docs":
        topics, note = read_python_docs()
        return [SourceFile("python-docs", list(map(split_lines, topics)), True)], [note]
    paths, notes = find_files(source, setting=setting)
    files = [_read_file(path, reading) for path in paths]
    marked = [str(path) for path in paths if path.suffix.lower() in _STRUCTURED]
    if marked:
        notes = [*notes, f"{_files(marked)} read as plain text, marks and all: {_few(marked)}"]
    empty = [file.name for file in files if not _has_text(file)]
    if len(empty) == len(files):
        what = "an empty file" if len(files) == 1 else f"{len(files)} empty files"
        raise must(setting, "hold text", source, f"It is {what}: give one with sentences in it.")
    if empty:
        notes = [*notes, f"{_files(empty)} without text: {_few(empty)}"]
    files = list(filter(_has_text, files))
    return files, [*notes, *_note_replacements(files, reading)]


def find_files(source: str, *, setting: str = "data.corpus") -> tuple[list[Path], list[str]]:
    """Find the files that a path or a glob names, sorted by name.

    Hidden files and folders are skipped. In a folder, files of other kinds than `TEXT_SUFFIXES`
    are skipped with a note.

    Raises:
        UserError: If there is none.
    """
    try:
        path = Path(source).expanduser()
        if path.is_file():
            return [path], []
        if source and path.is_dir():
            return _find_in_folder(path, setting)
        if source and path.exists():
            rule, remedy = "be a file", "It is a device, a pipe or a socket: save its text first."
            raise must(setting, rule, source, remedy)
        # pathlib's glob takes no absolute pattern, and does not skip hidden files.
        found = sorted(map(Path, glob.glob(str(path), recursive=True)))  # noqa: PTH207
        files = [path for path in found if path.is_file()]
    except (OSError, RuntimeError) as error:
        # A name that is too long, a folder that may not be entered, a home that is not known.
        reason = error.strerror if isinstance(error, OSError) else str(error).rstrip(".")
        remedy = f"The system says: {reason}."
        raise must(setting, "exist", _shortened(source), remedy) from error
    if not files:
        raise _nothing_there(source, setting)
    return files, []


def _nothing_there(source: str, setting: str) -> UserError:
    if glob.has_magic(source):
        remedy = "Check the pattern; ** goes into folders."
        return must(setting, "match a file", _shortened(source), remedy)
    remedy = "Give toy, python-docs, a text file, a .jsonl file, a folder or a glob."
    return must(setting, "exist", _shortened(source), remedy)


def _find_in_folder(folder: Path, setting: str) -> tuple[list[Path], list[str]]:
    seen = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    files = [path for path in seen if path.suffix.lower() in TEXT_SUFFIXES]
    others = [path for path in seen if path.suffix.lower() not in TEXT_SUFFIXES]
    skipped = [path.relative_to(folder).as_posix() for path in others]
    if not files:
        rule = f"be a folder with files in {', '.join(TEXT_SUFFIXES)}"
        remedy = f"It holds {_few(skipped) if skipped else 'no file'}. Name other files by a glob."
        raise must(setting, rule, str(folder), remedy)
    notes = [f"{_files(skipped)} skipped in {folder}: {_few(skipped)}"] if skipped else []
    return files, notes


def _read_file(path: Path, reading: ReadingConfig) -> SourceFile:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} must be readable, got: {error.strerror}.") from error
    text = decode(data, name=str(path), reading=reading)
    if path.suffix.lower() == ".jsonl":
        rows = read_rows(text, name=str(path), reading=reading)
        return SourceFile(str(path), list(map(split_lines, rows)), True)
    return SourceFile(str(path), [split_lines(text)], False)


def _has_text(file: SourceFile) -> bool:
    return any(map(str.strip, chain.from_iterable(file.texts)))


def _note_replacements(files: Sequence[SourceFile], reading: ReadingConfig) -> list[str]:
    if reading.errors == "strict":
        return []
    counts = {
        file.name: sum(line.count("\ufffd") for line in chain.from_iterable(file.texts))
        for file in files
    }
    touched = [name for name, count in counts.items() if count]
    if not touched:
        return []
    total = sum(counts.values())
    return [
        f"U+FFFD stands {total} times for bytes that are not {reading.encoding}: {_few(touched)}"
    ]


def _shortened(source: str) -> str:
    return source if len(source) <= _LONGEST_NAME else source[:_LONGEST_NAME] + "..."


def _files(names: Sequence[str]) -> str:
    return "1 file" if len(names) == 1 else f"{len(names)} files"


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
