"""A disk that fills up under a run: one line, the last checkpoint whole, and on with it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from tests.properties.remains import assert_same_end, read_last, series
from tests.properties.running import ERROR, Run, train_in_process

pytestmark = pytest.mark.slow


class FillDisk(Callback):
    """Leave no room on the disk from some update on."""

    def __init__(self, ballast: Path, update: int) -> None:
        self.ballast = ballast
        self.update = update

    def on_train_batch_start(self, trainer: pl.Trainer, *_: object) -> None:
        if trainer.global_step == self.update:
            with self.ballast.open("wb", buffering=0) as file:
                while True:
                    try:
                        file.write(bytes(512))
                    except OSError:
                        return


class TakeFolder(Callback):
    """Put a file in the place of the folder of checkpoints, as root, whom no mode keeps out."""

    def __init__(self, folder: Path, update: int) -> None:
        self.folder = folder
        self.update = update

    def on_train_batch_start(self, trainer: pl.Trainer, *_: object) -> None:
        if trainer.global_step == self.update:
            self.folder.rename(self.folder.with_name("aside"))
            self.folder.touch()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user may not mount a small disk")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.fixture
def straight(tmp_path: Path) -> Path:
    folder = tmp_path / "straight"
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    return folder


@pytest.mark.parametrize("update", [0, 7])
def test_full_disk_keeps_the_last_checkpoint_and_the_run_goes_on(
    small_disk: Path, straight: Path, update: int
) -> None:
    folder, ballast = small_disk, small_disk / "ballast"
    filling = (partial(FillDisk, ballast, update),)
    run = Run(folder=folder, curves=True, callbacks=filling)
    assert train_in_process(run) == 2
    assert "No space left on device" in (folder.parent / ERROR).read_text()
    if update:
        assert read_last(folder)["global_step"] == 6
    assert not list(folder.rglob("*.part"))
    ballast.unlink()
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    assert_same_end(folder, straight)
    assert series(folder) == series(straight)


def test_folder_that_is_taken_away_is_one_line_and_loses_nothing(
    tmp_path: Path, straight: Path
) -> None:
    folder = tmp_path / "run"
    checkpoints = folder / "checkpoints"
    run = Run(folder=folder, curves=True, callbacks=(partial(TakeFolder, checkpoints, 7),))
    assert train_in_process(run) == 2
    assert "the checkpoint folder must take a file" in (tmp_path / ERROR).read_text()
    checkpoints.unlink()
    checkpoints.with_name("aside").rename(checkpoints)
    assert train_in_process(Run(folder=folder, curves=True)) == 0
    assert_same_end(folder, straight)
