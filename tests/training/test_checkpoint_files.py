from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.training.checkpoint_files import (
    AtomicCheckpointIO,
    give_another_name,
    last_checkpoint,
    remove_leftovers,
)

FILES = AtomicCheckpointIO()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "new" / "last.ckpt"
    FILES.save_checkpoint({"weight": torch.arange(3.0), "updates": 7}, path)
    checkpoint = FILES.load_checkpoint(path)
    assert checkpoint["updates"] == 7
    assert checkpoint["weight"].tolist() == [0, 1, 2]
    assert [file.name for file in path.parent.iterdir()] == ["last.ckpt"]


class _Code:
    def __reduce__(self) -> Any:
        return os.mkdir, ("executed",)


def test_code_in_a_checkpoint_is_not_run_even_when_asked_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    torch.save({"weight": _Code()}, "evil.ckpt")
    with pytest.raises((pickle.UnpicklingError, RuntimeError)):
        FILES.load_checkpoint("evil.ckpt", weights_only=False)
    assert not Path("executed").exists()


def test_full_disk_is_said_and_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "last.ckpt"
    FILES.save_checkpoint({"updates": 1}, path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match="No space left on device"):
        FILES.save_checkpoint({"updates": 2}, path)
    assert FILES.load_checkpoint(path)["updates"] == 1
    assert [file.name for file in tmp_path.iterdir()] == ["last.ckpt"]


def test_full_disk_is_said_where_torch_wraps_it(tmp_path: Path) -> None:
    big = {"weight": torch.zeros(1_000_000)}
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no device that is always full")
    (tmp_path / f".last.ckpt.{os.getpid()}.part").symlink_to(full)
    # The writer takes a leftover away first; so let it not.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(UserError, match="No space left on device"):
            FILES.save_checkpoint(big, tmp_path / "last.ckpt")


def test_folder_that_takes_no_files_is_said(tmp_path: Path) -> None:
    (tmp_path / "checkpoints").write_text("a file, not a folder")
    with pytest.raises(UserError, match="the checkpoint folder must take a file"):
        FILES.save_checkpoint({}, tmp_path / "checkpoints" / "last.ckpt")


def test_fault_of_ours_is_not_blamed_on_the_disk(tmp_path: Path) -> None:
    with pytest.raises(AttributeError):
        FILES.save_checkpoint({"unpicklable": lambda: 0}, tmp_path / "last.ckpt")
    assert list(tmp_path.iterdir()) == []


def test_the_last_but_one_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    last, previous = tmp_path / "last.ckpt", tmp_path / "previous.ckpt"
    for updates in (1, 2, 3):
        FILES.save_checkpoint({"updates": updates}, last)
    assert FILES.load_checkpoint(last)["updates"] == 3
    assert FILES.load_checkpoint(previous)["updates"] == 2
    assert sorted(file.name for file in tmp_path.iterdir()) == ["last.ckpt", "previous.ckpt"]

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError):
        FILES.save_checkpoint({"updates": 4}, last)
    # Of a failed save nothing is left, so there still are two.
    assert FILES.load_checkpoint(last)["updates"] == 3
    assert FILES.load_checkpoint(previous)["updates"] == 2


def test_two_names_hold_one_checkpoint(tmp_path: Path) -> None:
    path, other = tmp_path / "best.ckpt", tmp_path / "last.ckpt"
    FILES.save_checkpoint({"updates": 1}, path)
    give_another_name(path, other)
    FILES.save_checkpoint({"updates": 2}, path)
    assert FILES.load_checkpoint(other)["updates"] == 1


def test_file_system_without_hard_links_gets_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    path, other = tmp_path / "best.ckpt", tmp_path / "last.ckpt"
    FILES.save_checkpoint({"updates": 1}, path)
    give_another_name(path, other)
    assert FILES.load_checkpoint(other)["updates"] == 1


def test_leftovers_go_and_checkpoints_stay(tmp_path: Path) -> None:
    for name in ("last.ckpt", "last.ckpt.part", ".best.ckpt.7.part"):
        (tmp_path / name).touch()
    remove_leftovers(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["last.ckpt"]
    remove_leftovers(tmp_path / "not there")


def test_run_that_saved_nothing_has_no_last_checkpoint(tmp_path: Path) -> None:
    assert last_checkpoint(tmp_path) is None
    FILES.save_checkpoint({}, tmp_path / "checkpoints" / "last.ckpt")
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoints" / "last.ckpt"
