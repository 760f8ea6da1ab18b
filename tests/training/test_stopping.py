from __future__ import annotations

import os
import signal
import threading
import time
from datetime import timedelta
from pathlib import Path
from unittest import mock

import pytest
import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from lit_roberta.training.stopping import StopOnSignal
from tests.training.tiny import TinyModule, fit, read

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)


class SendAt(Callback):
    """Send this process a signal in the middle of an update."""

    def __init__(self, number: signal.Signals, update: int) -> None:
        self.number = number
        self.update = update

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if trainer.global_step == self.update:
            os.kill(os.getpid(), self.number)


class Wait(Callback):
    def __init__(self, update: int) -> None:
        self.update = update

    def on_train_batch_start(self, trainer: pl.Trainer, *_: object) -> None:
        if trainer.global_step == self.update:
            time.sleep(0.3)


class Fail(Callback):
    def on_train_batch_end(self, *_: object) -> None:
        raise RuntimeError("a fault")


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGUSR1, 0)]
)
def test_signal_drops_the_update_and_saves_the_one_before(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    stop, module = StopOnSignal(), TinyModule()
    fit(module, tmp_path, stop, SendAt(number, 5))
    assert stop.stopped
    assert stop.exit_status == status
    assert module.num_updates == 5
    assert read(tmp_path)["state_dict"]["weight"].item() == 5
    # A validation would use up the time that the system gives before it kills.
    assert module.validated == [4]


def test_no_signal_no_stop(tmp_path: Path) -> None:
    stop = StopOnSignal()
    fit(TinyModule(), tmp_path, stop)
    assert not stop.stopped
    assert stop.exit_status == 0


def test_time_limit_counts_from_this_start(tmp_path: Path) -> None:
    last = tmp_path / "checkpoints" / "last.ckpt"
    for update in (2, 4):
        stop = StopOnSignal(max_time=timedelta(seconds=0.3))
        fit(TinyModule(), tmp_path, stop, Wait(update), ckpt_path=last if update > 2 else None)
        assert stop.exit_status == 0
        assert read(tmp_path)["global_step"] == update


@pytest.mark.parametrize("callbacks", [(), (Fail(),), (SendAt(signal.SIGINT, 2),)])
def test_handlers_are_as_before_after_a_run_also_after_a_fault(
    tmp_path: Path, callbacks: tuple[Callback, ...]
) -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    try:
        fit(TinyModule(), tmp_path, StopOnSignal(), *callbacks)
    except RuntimeError as error:
        assert str(error) == "a fault"  # noqa: PT017 - one of three cases fails
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_run_outside_the_main_thread_leaves_signals_alone(tmp_path: Path) -> None:
    module = TinyModule()
    thread = threading.Thread(target=fit, args=(module, tmp_path, StopOnSignal()))
    before = [signal.getsignal(number) for number in SIGNALS]
    thread.start()
    thread.join()
    assert module.num_updates == 10
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_module_is_asked_until_it_says_so_and_the_reason_stays() -> None:
    stop = StopOnSignal()
    assert not stop.stop_requested()
    stop.ask("one")
    stop.ask("another")
    assert stop.stop_requested()
    assert stop.exit_status == 0


def test_processes_that_train_together_agree_once_an_update(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    trainer, module = mock.Mock(spec=pl.Trainer, world_size=2, global_step=0), TinyModule()
    trainer.strategy.root_device = torch.device("cpu")
    trainer.strategy.reduce.return_value = torch.tensor(1 + 143)
    stop = StopOnSignal()
    stop.on_train_start(trainer, module)
    stop.ask("a request to this process alone")
    assert not module.stop_requested()  # or this process would leave the others waiting
    stop.on_train_batch_start(trainer, module)
    assert module.stop_requested()
    assert stop.exit_status == 143  # another process got SIGTERM
    trainer.strategy.reduce.assert_called_once_with(torch.tensor(1), reduce_op="max")
