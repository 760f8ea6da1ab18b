"""Tiny whole runs through the real modules, in processes of their own that may be hit."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal
from unittest import mock

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import TensorBoardLogger
from pytorch_lightning.strategies import Strategy

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.growth import NO_RAMP, BatchRamp, LengthStage
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.checkpoint_files import last_checkpoint
from lit_roberta.training.checkpointing import PretrainingCheckpoint
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.sharding import FullySharded
from lit_roberta.training.stopping import StopOnSignal
from lit_roberta.training.tensorboard import TrainingCurves

WORDS = ("cat", "dog", "boat", "tree", "hill", "rain", "bread", "door")
VALIDATION_LOG = "validation.jsonl"

Moment = Literal["between micro-batches", "after the step", "validation", "write", "rename"]


@dataclass(frozen=True, kw_only=True)
class Hit:
    """A signal that the process gets, once."""

    signal: signal.Signals
    update: int
    """Updates finished by then."""
    moment: Moment = "between micro-batches"
    to: Literal["training", "workers", "all"] = "training"
    """Which processes get it; Ctrl-C in a terminal goes to all."""
    rank: int | None = None
    """Which of the processes that train together; None: each."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of some updates in a folder; it goes on from the folder's last checkpoint."""

    folder: Path
    updates: int = 12
    save_every: int = 3
    validate_every: int = 4
    dropout: float = 0.1
    seed: int = 0
    workers: int = 0
    micro_batch_size: int | None = 4
    start_method: Literal["fork", "forkserver"] = "fork"
    """How loader workers start: as up to Python 3.13, or as from then on."""
    grows: bool = False
    """Whether the batch grows over 4 updates, and examples are short in the first half."""
    hit: Hit | None = None
    curves: bool = False
    """Whether TensorBoard's files are written."""
    batch_size: int = 16
    pairs: bool = False
    """Whether the next-sentence objective is trained too."""
    ranks: int = 1
    """Processes that train together."""
    strategy: Literal["ddp", "fsdp2"] = "ddp"
    """How they do; read where there are several."""
    callbacks: tuple[Callable[[], Callback], ...] = ()


def write_corpus(path: Path, *, num_documents: int = 60) -> str:
    """Write little documents of three sentences."""
    documents = []
    for number in range(num_documents):
        words = [WORDS[(number * step + step) % len(WORDS)] for step in range(1, 7)]
        first, second, third, fourth, fifth, sixth = words
        documents.append(
            f"The {first} saw number {number} near the {second}.\n"
            f"It was a {third} and a {fourth} of that place.\n"
            f"So the {fifth} went home with the {sixth}.\n"
        )
    path.write_text("\n".join(documents), encoding="utf-8")
    return str(path)


def build(run: Run) -> tuple[PretrainingModule, PretrainingDataModule]:
    """Build the modules of a run."""
    corpus = run.folder.parent / "corpus.txt"
    if not corpus.exists():
        write_corpus(corpus)
    data = PretrainingDataModule(
        str(corpus),
        tokenizer=TokenizerConfig(min_frequency=1),
        format="sentence-pair" if run.pairs else "doc-sentences",
        batch_size=run.batch_size,
        batch_ramp=BatchRamp(start=2, updates=4) if run.grows else NO_RAMP,
        length_stages=[LengthStage(max_length=20, share=0.5)] if run.grows else None,
        micro_batch_size=run.micro_batch_size,
        max_length=48,
        num_workers=run.workers,
        seed=run.seed,
    )
    encoder = EncoderConfig(
        vocab_size=data.vocab_size,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_dropout_prob=run.dropout,
        attention_probs_dropout_prob=run.dropout,
        max_position_embeddings=48,
    )
    return PretrainingModule(encoder, next_sentence=run.pairs, seed=run.seed), data


def train(run: Run) -> int:
    """Train to the end or to the hit; give what the command line would exit with."""
    # One thread: sums then have one order, whatever the machine.
    torch.set_num_threads(1)
    multiprocessing.set_start_method(run.start_method, force=True)
    warnings.filterwarnings("ignore", ".*does not have many workers.*|.*isinstance.treespec.*")
    warnings.filterwarnings("ignore", ".*your dataloader is not resumable.*")
    stop = StopOnSignal()
    callbacks = [
        stop,
        ValidationLog(run.folder),
        PretrainingCheckpoint(every_n_updates=run.save_every),
    ]
    if run.hit is not None:
        callbacks.append(Striker(run.hit))
    if run.curves:
        callbacks.append(TrainingCurves(hyperparameters={}))
    trainer = pl.Trainer(
        max_steps=run.updates,
        max_epochs=-1,
        val_check_interval=run.validate_every,
        check_val_every_n_epoch=None,
        num_sanity_val_steps=0,
        use_distributed_sampler=False,
        accelerator="cpu",
        devices=run.ranks,
        strategy=_strategy(run),
        log_every_n_steps=2,
        logger=TensorBoardLogger(run.folder, name="", version="") if run.curves else False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=run.folder,
        callbacks=callbacks + [make() for make in run.callbacks],
    )
    module, data = build(run)
    trainer.fit(module, datamodule=data, ckpt_path=last_checkpoint(run.folder))
    return stop.exit_status


def _strategy(run: Run) -> str | Strategy:
    if run.ranks == 1:
        return "auto"
    return FullySharded() if run.strategy == "fsdp2" else "ddp"


class ValidationLog(Callback):
    """Write down when the run was validated, and with what result."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / VALIDATION_LOG

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if not trainer.is_global_zero:
            return
        loss = float(trainer.callback_metrics["val/masked_lm_loss"])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([trainer.global_step, loss]) + "\n")


class Striker(Callback):
    """Send the signal to this process at its moment."""

    def __init__(self, hit: Hit) -> None:
        self.hit = hit
        self.struck = False

    def strike(self, trainer: pl.Trainer, moment: Moment) -> None:
        if (
            moment == self.hit.moment
            and trainer.global_step >= self.hit.update
            and not self.struck
            and self.hit.rank in (None, trainer.global_rank)
        ):
            self.struck = True
            workers = multiprocessing.active_children()
            for worker in workers if self.hit.to != "training" else ():
                os.kill(worker.pid or 0, self.hit.signal)
            if self.hit.to != "workers":
                os.kill(os.getpid(), self.hit.signal)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        save, fsync = torch.save, os.fsync

        def save_half(checkpoint: Any, file: IO[bytes]) -> None:
            if self.hit.moment == "write" and trainer.global_step >= self.hit.update:
                file.write(b"half a checkpoint")
                file.flush()
            self.strike(trainer, "write")
            save(checkpoint, file)

        def strike_first(descriptor: int) -> None:
            self.strike(trainer, "rename")
            fsync(descriptor)

        # For the rest of the process, which is this run's own.
        mock.patch("torch.save", save_half).start()
        mock.patch("os.fsync", strike_first).start()

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.strike(trainer, "between micro-batches")

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        self.strike(trainer, "after the step")

    def on_validation_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        self.strike(trainer, "validation")


class StopAt(Callback):
    """Tell the run, as a scheduler does, that its time is up."""

    def __init__(self, update: int) -> None:
        self.update = update

    def on_train_batch_end(self, trainer: pl.Trainer, *_: Any) -> None:
        if trainer.global_step == self.update:
            os.kill(os.getpid(), signal.SIGUSR1)


class AskTwice(Callback):
    """Press Ctrl-C twice."""

    def on_after_backward(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if trainer.global_step == 5:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            raise AssertionError("still here")


# ---- processes

_CONTEXT = multiprocessing.get_context("forkserver")
# The server imports all this once; each run is then a fork of a process that has computed nothing.
_CONTEXT.set_forkserver_preload(
    ["lit_roberta.training.module", "lit_roberta.training.tensorboard"]
)


def train_in_process(run: Run) -> int:
    """Train in a new process; give its exit status, or minus the signal that ended it."""
    (status,) = train_in_processes(run)
    return status


def train_in_processes(run: Run) -> list[int]:
    """Train in one new process for each rank; give their exit statuses, as above."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = [
        _CONTEXT.Process(target=_train_and_exit, args=(run, rank, port))
        for rank in range(run.ranks)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(timeout=120)
    hanging = [process for process in processes if process.exitcode is None]
    for process in hanging:
        process.kill()
    assert not hanging, "the run hangs"
    return [process.exitcode or 0 for process in processes]


def _train_and_exit(run: Run, rank: int, port: int) -> None:
    if run.ranks > 1:
        where = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "NODE_RANK": 0}
        for name, value in {**where, "LOCAL_RANK": rank}.items():
            os.environ[name] = str(value)
    sys.exit(train(run))


# ---- what a run leaves


def read_last(folder: Path) -> dict[str, Any]:
    """Load the last checkpoint, as safely as the package does."""
    path = last_checkpoint(folder)
    assert path is not None
    return torch.load(path, weights_only=True)


def validations(folder: Path) -> dict[int, float]:
    """Read the validation losses by update; the latest counts."""
    lines = (folder / VALIDATION_LOG).read_text(encoding="utf-8").splitlines()
    return {int(update): loss for update, loss in map(json.loads, lines)}


def assert_same_end(one: Path, other: Path) -> None:
    """Compare all that two runs leave, bit by bit."""
    assert validations(one) == validations(other)
    left, right = read_last(one), read_last(other)
    for checkpoint in (left, right):
        checkpoint["callbacks"].pop("ModelSummary", None)
    assert_equal(left, right, "checkpoint")


def assert_equal(one: Any, other: Any, name: str) -> None:
    """Compare nested plain data with tensors in it."""
    if isinstance(one, torch.Tensor):
        assert torch.equal(one, other), name
    elif isinstance(one, dict):
        assert one.keys() == other.keys(), name
        for key, value in one.items():
            assert_equal(value, other[key], f"{name}[{key!r}]")
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), name
        for place, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_equal(left, right, f"{name}[{place}]")
    else:
        assert one == other, (name, one, other)
