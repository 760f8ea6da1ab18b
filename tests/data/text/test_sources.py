from __future__ import annotations

import os
from pathlib import Path

import pytest

from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.data.text.sources import find_files
from lit_roberta.errors import UserError
from tests.data.corpus.on_disk import read


def fill(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"This is {name}.\n", encoding="utf-8")


def names_of(source: Path | str) -> list[str]:
    return [path.name for path in find_files(str(source))[0]]


def test_a_folder_is_read_in_the_order_of_names_without_hidden_files(tmp_path: Path) -> None:
    fill(tmp_path, "b.txt", "a/z.txt", "a/B.TXT", "c.jsonl", ".hidden.txt", ".git/x.txt", "a.md")
    paths, notes = find_files(str(tmp_path))
    found = [path.relative_to(tmp_path).as_posix() for path in paths]
    assert found == ["a/B.TXT", "a/z.txt", "b.txt", "c.jsonl"]
    assert notes == [f"1 file skipped in {tmp_path}: a.md"]


def test_a_glob_takes_what_it_matches(tmp_path: Path) -> None:
    fill(tmp_path, "b.md", "a/z.md", ".c.md", "d.txt")
    assert names_of(tmp_path / "*.md") == ["b.md"]
    assert names_of(tmp_path / "**" / "*.md") == ["z.md", "b.md"]


def test_a_file_whose_name_looks_like_a_glob_is_a_file(tmp_path: Path) -> None:
    fill(tmp_path, "a[1].txt")
    assert names_of(tmp_path / "a[1].txt") == ["a[1].txt"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("missing.txt", "data.corpus must exist, got"),
        ("*.nothing", "data.corpus must match a file, got"),
        ("empty", "It holds no file. Name other files by a glob."),
        ("others", "It holds a.md, b.md, c.md and 1 more. Name other files by a glob."),
        ("hidden", "It holds no file."),
        ("blank.txt", "blank.txt'. It is an empty file: give one with sentences in it."),
        ("blanks", "It is 2 empty files"),
    ],
)
def test_a_source_without_text_is_refused(tmp_path: Path, source: str, words: str) -> None:
    (tmp_path / "empty").mkdir()
    fill(tmp_path / "others", "a.md", "b.md", "c.md", "d.md")
    fill(tmp_path / "hidden", ".a.txt")
    for name in ("blank.txt", "blanks/a.txt", "blanks/b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b" \r\n\t\n")
    with pytest.raises(UserError) as caught:
        read(tmp_path / source)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x" * 5000, "must exist, got '" + "x" * 200 + "...'. The system says: File name too lo"),
        ("~nouser/x", "must exist, got '~nouser/x'. The system says: Could not determine home"),
        ("/dev/null", "must be a file, got '/dev/null'. It is a device, a pipe or a socket: save"),
        ("a\0b", "must exist, got 'a\\x00b'. Give toy, python-docs"),
        ("missing.txt", "must exist, got 'missing.txt'. Give toy"),
        ("missing-*.txt", "must match a file, got 'missing-*.txt'. Check the pattern"),
    ],
)
@pytest.mark.parametrize("setting", ["data.corpus", "data.validation_corpus"])
def test_what_is_no_file_is_said_in_one_line(source: str, words: str, setting: str) -> None:
    with pytest.raises(UserError) as caught:
        read(source, setting=setting)
    assert str(caught.value).startswith(f"{setting} {words}")
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may enter every folder")
def test_a_folder_that_may_not_be_entered_is_said(tmp_path: Path) -> None:
    fill(tmp_path / "closed", "a.txt")
    (tmp_path / "closed").chmod(0)
    try:
        with pytest.raises(UserError, match="The system says: Permission denied"):
            find_files(str(tmp_path / "closed" / "a.txt"))
    finally:
        (tmp_path / "closed").chmod(0o700)


@pytest.mark.parametrize(("name", "text"), [("blank.txt", ""), ("empty", None)])
def test_an_error_names_the_setting_that_it_is_of(
    tmp_path: Path, name: str, text: str | None
) -> None:
    if text is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_text(text)
    with pytest.raises(UserError, match=r"^data\.test_corpus must "):
        read(tmp_path / name, setting="data.test_corpus")


def test_no_name_is_not_the_current_folder() -> None:
    with pytest.raises(UserError, match=r"data\.corpus must exist, got ''"):
        find_files("")


def test_an_empty_file_among_others_is_said(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt")
    (tmp_path / "b.txt").touch()
    corpus = read(tmp_path)
    assert {Path(name).name for name in corpus.sources} == {"a.txt"}
    assert corpus.notes[0] == f"1 file without text: {tmp_path / 'b.txt'}"
    assert corpus.notes[1].startswith("1 file, 1 document")


def test_replaced_bytes_are_counted(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a \xa2 b \xa3.\n")
    notes = read(tmp_path / "a.txt", ReadingConfig(errors="replace")).notes
    assert notes[0] == (
        f"U+FFFD stands 2 times for bytes that are not utf-8: {tmp_path / 'a.txt'}"
    )


def test_an_error_in_a_folder_names_the_file(tmp_path: Path) -> None:
    fill(tmp_path, "a.txt")
    (tmp_path / "b.txt").write_bytes(b"\x00\x01")
    with pytest.raises(UserError, match=r"b\.txt must be a text file"):
        read(tmp_path)
