"""Where an export goes: all of it or nothing, by one process at a time; what is there stays."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from lit_roberta.errors import UserError
from lit_roberta.exchange import exporting
from lit_roberta.exchange.checking import Check, check_export
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.names import Family
from tests.exchange.models import tiny_pretrained


@pytest.mark.parametrize("family", ["bert", "roberta"])
def test_an_empty_folder_is_taken_and_all_of_it_readable(tmp_path: Path, family: Family) -> None:
    (tmp_path / "out").mkdir()
    export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out", family=family)
    modes = {path.name: path.stat().st_mode for path in (tmp_path / "out").iterdir()}
    assert len(set(modes.values())) == 1, modes
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_what_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for name in ("out", "file"):
        with pytest.raises(UserError, match="be a new or an empty folder"):
            export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / name)
    assert (tmp_path / "out" / "mine.txt").read_text(encoding="utf-8") == "mine"
    with pytest.raises(UserError, match="the output must be writable"):
        export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "file" / "below")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "out"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(143), RuntimeError("bug")])
@pytest.mark.parametrize("step", ["save_file", "write_tokenizer", "check_export", "sync_files"])
@pytest.mark.parametrize("is_there", [False, True])
def test_an_interruption_leaves_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    error: BaseException,
    is_there: bool,
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    monkeypatch.setattr(exporting, step, fail)
    with pytest.raises(type(error)):
        export(tiny_pretrained("RobertaForMaskedLM"), out)
    assert list(tmp_path.rglob("*")) == [out] * is_there


def test_an_empty_folder_stays_the_folder_that_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody may stand in it, it may be mounted, and its rights are its owner's choice."""
    out = tmp_path / "out"
    out.mkdir()
    out.chmod(0o2770)
    before = out.stat()
    monkeypatch.chdir(out)
    export(tiny_pretrained("RobertaForMaskedLM"), ".")
    after = out.stat()
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert Path("config.json").is_file()
    assert not {path.name for path in out.iterdir()} & {".part", ".lock"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_that_is_there_needs_no_room_beside_it(tmp_path: Path) -> None:
    """As where it is the one place that may be written to, or another disk."""
    out = tmp_path / "above" / "out"
    out.mkdir(parents=True)
    before = out.parent.stat().st_mtime_ns  # of the last file that came or went
    export(tiny_pretrained("RobertaForMaskedLM"), out)
    assert out.parent.stat().st_mtime_ns == before


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_a_folder_that_is_filled_in_part_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, error: BaseException
) -> None:
    out, rename, moved = tmp_path / "out", Path.rename, []
    out.mkdir()

    def fail_at_number(path: Path, target: Path) -> Path:
        if target.parent == out:
            moved.append(target.name)
            if len(moved) == number + 1:
                raise error
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail_at_number)
    with pytest.raises((KeyboardInterrupt, UserError)):
        export(tiny_pretrained("RobertaForMaskedLM"), out)
    assert not list(out.iterdir())
    assert "config.json" not in moved[:number]


def test_what_a_kill_left_in_a_folder_is_no_hindrance(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / ".part").mkdir(parents=True)
    (out / ".part" / "half").touch()
    (out / ".lock").touch()
    export(tiny_pretrained("RobertaForMaskedLM"), out)
    assert {"half", ".part", ".lock"}.isdisjoint(path.name for path in out.rglob("*"))


def test_what_came_into_a_folder_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    out.mkdir()

    def come(*found: Any) -> Check | None:
        (out / "README.md").write_text("mine", encoding="utf-8")
        return check_export(*found)

    monkeypatch.setattr(exporting, "check_export", come)
    with pytest.raises(UserError, match="be a new or an empty folder"):
        export(tiny_pretrained("RobertaForMaskedLM"), out)
    assert [path.name for path in out.iterdir()] == ["README.md"]
    assert (out / "README.md").read_text(encoding="utf-8") == "mine"


def test_a_full_disk_is_one_line_and_what_a_kill_left_is_no_hindrance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(exporting, "save_file", fail)
        with pytest.raises(UserError, match=r"No space left on device\. Nothing was written"):
            export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out")
    assert not list(tmp_path.iterdir())
    left = tmp_path / ".out.part"
    left.mkdir()
    (left / "half").write_text("", encoding="utf-8")
    export(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert not (tmp_path / "out" / "half").exists()


@pytest.mark.parametrize("is_there", [False, True])
def test_a_second_export_to_a_place_says_so_and_does_not_touch_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    model = tiny_pretrained("RobertaForMaskedLM")
    if is_there:
        (tmp_path / "out").mkdir()
    refused: list[str] = []

    def export_again(*found: Any) -> Check | None:
        with monkeypatch.context() as patch:
            patch.setattr(exporting, "check_export", check_export)
            with pytest.raises(UserError) as error:
                export(model, tmp_path / "out")
            refused.append(str(error.value))
            export(model, tmp_path / "other")
        return check_export(*found)

    monkeypatch.setattr(exporting, "check_export", export_again)
    export(model, tmp_path / "out")
    (line,) = refused
    assert line.startswith("the output must be no other export's, got ")
    assert "Wait for that one to end" in line
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "out"]
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("out", "other")
    )
    readme = second.pop("README.md").replace(b"# other", b"# out")
    assert first == second | {"README.md": readme}


@pytest.mark.parametrize("is_there", [False, True])
def test_an_export_that_only_looks_is_nothing_in_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    """Two that begin at once would each see the other's trial, and both give up."""
    out = tmp_path / "out"
    if is_there:
        out.mkdir()
    opened, plain = [], os.open

    def look(path: Any, *more: Any, **named: Any) -> int:
        opened.append(Path(path))
        return plain(path, *more, **named)

    monkeypatch.setattr("tempfile._O_TMPFILE_WORKS", False)  # as on many a network's disks
    monkeypatch.setattr(os, "open", look)
    export(tiny_pretrained("RobertaForMaskedLM"), out)
    place, name = (out, "") if is_there else (tmp_path, ".out")
    found = {path.name for path in opened if path.parent == place and path != out}
    assert f"{name}.lock" in found
    assert found <= {f"{name}.lock", f"{name}.part"}


def test_a_place_that_another_export_took_meanwhile_stays_its(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tiny_pretrained("RobertaForMaskedLM")
    claimed = exporting._claimed

    def claim_late(folder: Path, lock: Path) -> AbstractContextManager[None]:
        monkeypatch.setattr(exporting, "_claimed", claimed)
        export(model, folder)
        (folder / "mine").touch()
        return claimed(folder, lock)

    monkeypatch.setattr(exporting, "_claimed", claim_late)
    with pytest.raises(UserError, match="the output must be a new or an empty folder"):
        export(model, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "mine").exists()
