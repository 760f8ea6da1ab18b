from __future__ import annotations

import math
from pathlib import Path

import pytest
import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from lit_roberta.errors import UserError
from lit_roberta.training.checkpointing import UpdateCheckpoint
from lit_roberta.training.stopping import StopOnSignal
from tests.training.tiny import TinyModule, fit, read


class Saves(Callback):
    """Note what happens, in order."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.events.append(f"validate {trainer.global_step}")

    def on_save_checkpoint(
        self, trainer: pl.Trainer, pl_module: pl.LightningModule, checkpoint: object
    ) -> None:
        self.events.append(f"save {trainer.global_step}")


class AskAt(Callback):
    """Ask for a stop in the middle of an update."""

    def __init__(self, stop: StopOnSignal, update: int) -> None:
        self.stop = stop
        self.update = update

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if trainer.global_step == self.update:
            self.stop.ask("the test")


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "checkpoints").iterdir())


def test_validation_comes_first_and_then_one_save(tmp_path: Path) -> None:
    saves = Saves()
    fit(TinyModule(), tmp_path, saves, checkpoint=UpdateCheckpoint(every_n_updates=4))
    assert saves.events == [
        *("validate 4", "save 4"),
        *("validate 8", "save 8"),
        *("validate 10", "save 10"),
    ]


def test_last_update_is_validated_and_saved_though_no_interval_meets_it(tmp_path: Path) -> None:
    saves = Saves()
    checkpoint = UpdateCheckpoint(every_n_updates=100)
    fit(TinyModule(), tmp_path, saves, checkpoint=checkpoint, validate_every=100, updates=5)
    assert saves.events == ["validate 5", "save 5"]
    assert names(tmp_path) == ["last.ckpt"]


def test_run_without_validation_is_saved_too(tmp_path: Path) -> None:
    saves = Saves()
    fit(TinyModule(), tmp_path, saves, limit_val_batches=0, updates=7)
    assert saves.events == ["save 3", "save 6", "save 7"]


def test_best_is_the_lowest_validation_loss_and_never_nan(tmp_path: Path) -> None:
    module = TinyModule(losses=[math.nan, 3.0, 2.0, 2.5, 2.0])
    trainer = fit(module, tmp_path, validate_every=2)
    assert read(tmp_path, "best")["global_step"] == 6
    assert read(tmp_path)["global_step"] == 10
    callback = trainer.checkpoint_callback
    assert isinstance(callback, UpdateCheckpoint)
    assert callback.best_score == 2.0
    assert callback.best_model_path == str(tmp_path / "checkpoints" / "best.ckpt")


def test_better_validation_is_saved_between_intervals_under_both_names(tmp_path: Path) -> None:
    checkpoint = UpdateCheckpoint(every_n_updates=100)
    fit(
        TinyModule(losses=[1.0, 2.0]), tmp_path, checkpoint=checkpoint, updates=8, validate_every=4
    )
    assert names(tmp_path) == ["best.ckpt", "last.ckpt", "previous.ckpt"]
    assert read(tmp_path, "best")["global_step"] == 4


def test_best_score_survives_a_resume(tmp_path: Path) -> None:
    fit(TinyModule(losses=[1.0]), tmp_path, updates=4)
    last = tmp_path / "checkpoints" / "last.ckpt"
    fit(TinyModule(losses=[2.0]), tmp_path, updates=8, ckpt_path=last)
    assert read(tmp_path, "best")["global_step"] == 4
    assert read(tmp_path)["global_step"] == 8


def test_powers_of_two_are_kept(tmp_path: Path) -> None:
    checkpoint = UpdateCheckpoint(every_n_updates=100, keep_powers_of_two=True)
    fit(TinyModule(), tmp_path, checkpoint=checkpoint, validate_every=4)
    kept = [1, 2, 4, 8]
    assert names(tmp_path) == [
        *("last.ckpt", "previous.ckpt"),
        *(f"update-{update}.ckpt" for update in kept),
    ]
    assert [read(tmp_path, f"update-{update}")["global_step"] for update in kept] == kept


def test_used_folder_gets_no_second_last(tmp_path: Path) -> None:
    fit(TinyModule(), tmp_path, updates=3)
    fit(TinyModule(), tmp_path, updates=6)
    assert names(tmp_path) == ["last.ckpt", "previous.ckpt"]


def test_leftovers_of_a_kill_go_at_the_next_start(tmp_path: Path) -> None:
    leftover = tmp_path / "checkpoints" / "last.ckpt.part"
    leftover.parent.mkdir()
    leftover.touch()
    fit(TinyModule(), tmp_path)
    assert not leftover.exists()


def test_nothing_is_saved_by_a_trial_run_or_the_sanity_check(tmp_path: Path) -> None:
    fit(TinyModule(losses=[1.0]), tmp_path, fast_dev_run=True)
    assert not (tmp_path / "checkpoints").exists()
    fit(TinyModule(), tmp_path, num_sanity_val_steps=2, updates=1)
    assert read(tmp_path)["global_step"] == 1


@pytest.mark.parametrize("update", range(10))
def test_stopped_run_validates_and_saves_where_an_uninterrupted_one_does(
    tmp_path: Path, update: int
) -> None:
    straight = TinyModule()
    fit(straight, tmp_path / "straight")
    stop = StopOnSignal()
    module = TinyModule()
    fit(module, tmp_path / "run", stop, AskAt(stop, update))
    last = tmp_path / "run" / "checkpoints" / "last.ckpt"
    assert last.exists() == (update > 0)
    if update:
        assert read(tmp_path / "run")["global_step"] == update
    rest = TinyModule()
    fit(rest, tmp_path / "run", ckpt_path=last if update else None)
    assert module.validated + rest.validated == straight.validated == [4, 8, 10]
    assert read(tmp_path / "run")["loops"] == read(tmp_path / "straight")["loops"]
    assert rest.num_updates == 10


def test_finished_run_started_again_changes_nothing(tmp_path: Path) -> None:
    fit(TinyModule(), tmp_path)
    last = tmp_path / "checkpoints" / "last.ckpt"
    before = last.stat().st_mtime_ns
    module = TinyModule()
    fit(module, tmp_path, ckpt_path=last)
    assert module.validated == []
    assert last.stat().st_mtime_ns == before


def test_finished_run_goes_on_to_a_longer_length(tmp_path: Path) -> None:
    fit(TinyModule(), tmp_path, updates=6)
    module = TinyModule()
    fit(module, tmp_path, updates=10, ckpt_path=tmp_path / "checkpoints" / "last.ckpt")
    assert module.validated == [8, 10]
    assert module.num_updates == 10


def test_interval_is_positive() -> None:
    with pytest.raises(UserError, match="every_n_updates must be 1 or more, got 0"):
        UpdateCheckpoint(every_n_updates=0)
