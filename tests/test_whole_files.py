from __future__ import annotations

import errno
import os
import subprocess
import sys
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import pytest

from lit_roberta.errors import UserError
from lit_roberta.whole_files import (
    failures_in_one_line,
    remove_leftovers,
    whole_file,
    write_whole,
    written_beside,
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    write_whole(tmp_path / "it", b"old")
    return tmp_path / "it"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_file_takes_the_place_of_another_only_when_it_is_whole(place: Path) -> None:
    with whole_file(place) as file:
        file.write(b"new")
        file.flush()
        assert place.read_bytes() == b"old"
    assert contents(place.parent) == {"it": b"new"}
    with written_beside(place) as part:
        part.write_bytes(b"newer")
        assert place.read_bytes() == b"new"
    assert contents(place.parent) == {"it": b"newer"}


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), SystemExit(143), RuntimeError("bug"), OSError(errno.ENOSPC, "")]
)
def test_whatever_ends_the_writing_leaves_what_was_there(
    place: Path, error: BaseException
) -> None:
    def write_half() -> None:
        with whole_file(place) as file:
            file.write(b"ne")
            raise error

    with pytest.raises(type(error)):
        write_half()
    assert contents(place.parent) == {"it": b"old"}


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("hops", [1, 2])
def test_a_link_stays_one_and_what_it_names_is_written(
    tmp_path: Path, is_there: bool, hops: int
) -> None:
    """As on another disk, where there is room."""
    disk, links = tmp_path / "disk", tmp_path / "links"
    disk.mkdir()
    links.mkdir()
    if is_there:
        (disk / "it").write_bytes(b"old")
    named = disk / "it"
    for number in range(hops):
        link = links / str(number)
        link.symlink_to(os.path.relpath(named, links))
        named = link
    write_whole(named, b"new")
    assert named.is_symlink()
    assert contents(disk) == {"it": b"new"}
    assert len(list(links.iterdir())) == hops


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_disk_that_fails_at_the_end_leaves_what_was_there(
    place: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os if step == "fsync" else Path, step, fail)
    said = "it must be whole, got '.*it'. The system says: Input/output error. Nothing was over"
    with (
        pytest.raises(UserError, match=said),
        failures_in_one_line(place, name="it", rule="be whole"),
    ):
        write_whole(place, b"new")
    assert contents(place.parent) == {"it": b"old"}


def test_what_an_interrupted_write_of_the_same_process_left_is_no_hindrance(place: Path) -> None:
    with written_beside(place) as part:
        part.write_bytes(b"new")
    part.write_bytes(b"half")
    part.chmod(0o400)
    write_whole(place, b"newer")
    assert contents(place.parent) == {"it": b"newer"}


def test_two_processes_do_not_mix_what_they_write(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def opened(process: int) -> AbstractContextManager[IO[bytes]]:
        monkeypatch.setattr(os, "getpid", lambda: process)
        return whole_file(place)

    with opened(1) as first:
        first.write(b"fir")
        with opened(2) as second:
            second.write(b"second")
        assert place.read_bytes() == b"second"
        first.write(b"st")
    assert contents(place.parent) == {"it": b"first"}


def test_only_what_the_system_says_is_said() -> None:
    """An error of ours stays one, and a refusal that stands on a system's error says its own."""
    with pytest.raises(KeyError), failures_in_one_line("it", name="it", rule="be whole"):
        raise KeyError("bug")
    refusal = UserError("the input must be readable.")
    with (
        pytest.raises(UserError, match="the input"),
        failures_in_one_line("it", name="it", rule="be whole"),
    ):
        raise refusal from OSError(errno.EIO, "Input/output error")


def test_what_a_kill_left_is_removed_and_what_is_being_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "[a] b.ckpt"
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f".{path.name}.{ended.pid}.part"
    left.write_bytes(b"half")
    others = [
        tmp_path / f".{path.name}.{os.getppid()}.part",
        tmp_path / f".{path.name}.mine.part",
        tmp_path / f".a b.ckpt.{ended.pid}.part",
    ]
    for other in others:
        other.touch()
    (tmp_path / "link").symlink_to(path)
    remove_leftovers(tmp_path / "link")
    assert not left.exists()
    assert all(other.exists() for other in others)
