"""Where text comes from: a bundled corpus, a file, a folder, a glob or a hub dataset.

In: what the user named. Out: the files, each as a stream of lines. What a document is gets decided
later.
"""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from lit_roberta.counted import counted
from lit_roberta.data.text.decoding import read_lines, split_lines
from lit_roberta.data.text.files import COMPRESSED, kind_of
from lit_roberta.data.text.hub import HUB, read_hub
from lit_roberta.data.text.python_docs import read_python_docs
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.rows import ROW_KINDS, read_rows
from lit_roberta.errors import UserError, must

Lines = Iterator[str | None]
"""Lines of text; None ends a document, whatever the boundary says."""

TEXT_SUFFIXES = (*sorted(ROW_KINDS), ".raw", ".text", ".tokens", ".txt")
"""What a folder is read for, each also packed. A file or a glob that is named is read whatever it
ends in."""

_LONGEST_NAME = 200
"""Characters of a name that an error shows."""

_STRUCTURED = (".htm", ".html", ".json", ".xml")


@dataclass(frozen=True)
class SourceFile:
    """One file of a corpus, or what is as good as a file."""

    name: str
    path: Path | None
    """None: a part of another package, or of the hub."""
    rows: bool
    """Whether it has rows, each of which is a document, whatever the boundary says."""

    def lines(self, reading: ReadingConfig) -> Lines:
        """Read it from its first line.

        Raises:
            UserError: If it can't be read as text, or has no such column.
        """
        if self.name.startswith(HUB):
            return _lines_of_rows(read_hub(self.name, reading))
        if self.path is None:
            return _lines_of_rows(read_python_docs()[0])
        if self.rows:
            return _lines_of_rows(read_rows(self.path, reading))
        return read_lines(self.path, ReadingConfig() if self.name == "toy" else reading)


def find_source(
    source: str, *, setting: str = "data.corpus"
) -> tuple[list[SourceFile], list[str]]:
    """Find every file that a source names.

    Args:
        source: `toy`, `python-docs`, a file, a folder, a glob, or `hub:` and a dataset's name.
        setting: What the source is called in errors.

    Returns:
        The files, in the order of their names; and what a reader should know.

    Raises:
        UserError: If nothing is there.
    """
    if source == "toy":
        path = Path(str(resources.files("lit_roberta.toy").joinpath("corpus.txt")))
        return [SourceFile("toy", path, rows=False)], []
    if source == "python-docs":
        return [SourceFile("python-docs", None, rows=True)], [read_python_docs()[1]]
    if source.startswith(HUB):
        return [SourceFile(source, None, rows=True)], []
    paths, notes = find_files(source, setting=setting)
    marked = [str(path) for path in paths if kind_of(path) in _STRUCTURED]
    if marked:
        notes = [
            *notes,
            f"{counted(len(marked), 'file')} read as plain text, marks and all: {few(marked)}",
        ]
    files = [SourceFile(str(path), path, rows=kind_of(path) in ROW_KINDS) for path in paths]
    return files, notes


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
    remedy = "Give toy, python-docs, a file, a folder, a glob, or hub: and a dataset's name."
    return must(setting, "exist", _shortened(source), remedy)


def _find_in_folder(folder: Path, setting: str) -> tuple[list[Path], list[str]]:
    seen = [
        path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
    ]
    files = [path for path in seen if kind_of(path) in TEXT_SUFFIXES]
    others = [path for path in seen if kind_of(path) not in TEXT_SUFFIXES]
    skipped = [path.relative_to(folder).as_posix() for path in others]
    if not files:
        packed = " and ".join(COMPRESSED)
        rule = f"be a folder with files in {', '.join(TEXT_SUFFIXES)} (or these with {packed})"
        remedy = f"It holds {few(skipped) if skipped else 'no file'}. Name other files by a glob."
        raise must(setting, rule, str(folder), remedy)
    notes = (
        [f"{counted(len(skipped), 'file')} skipped in {folder}: {few(skipped)}"] if skipped else []
    )
    return files, notes


def _lines_of_rows(rows: Iterable[str]) -> Lines:
    for row in rows:
        yield from split_lines(row)
        yield None


def note_without_text(names: Sequence[str], *, total: int, source: str, setting: str) -> list[str]:
    """Say which files hold nothing.

    Args:
        names: The files without text.
        total: Files in all.
        source: What the user named.
        setting: What that is called.

    Raises:
        UserError: If none holds any.
    """
    if len(names) == total:
        what = "an empty file" if total == 1 else f"{total} empty files"
        raise must(setting, "hold text", source, f"It is {what}: give one with sentences in it.")
    return [f"{counted(len(names), 'file')} without text: {few(names)}"] if names else []


def _shortened(source: str) -> str:
    return source if len(source) <= _LONGEST_NAME else source[:_LONGEST_NAME] + "..."


def few(names: Sequence[str]) -> str:
    """List the first three names, and count the others."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
