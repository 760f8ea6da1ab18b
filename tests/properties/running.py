"""Tiny whole runs through the real modules, in processes of their own that may be hit."""

from __future__ import annotations

import json
import multiprocessing
import os
import socket
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import CSVLogger, Logger, TensorBoardLogger
from pytorch_lightning.strategies import Strategy

from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.growth import NO_RAMP, BatchRamp, LengthStage
from lit_roberta.data.tokens.tokenizer import TokenizerConfig
from lit_roberta.errors import UserError
from lit_roberta.model.config import EncoderConfig
from lit_roberta.training.checkpoint_files import last_checkpoint
from lit_roberta.training.checkpointing import UpdateCheckpoint
from lit_roberta.training.csv_table import continue_tables
from lit_roberta.training.disk import full_disk_in_one_line
from lit_roberta.training.guard import Action, DivergenceGuard
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.rollback import fit
from lit_roberta.training.sharding import FullySharded
from lit_roberta.training.stopping import StopOnSignal
from lit_roberta.training.tensorboard import TrainingCurves
from tests.properties.hits import Hit, Striker
from tests.properties.remains import VALIDATION_LOG, read_last

WORDS = ("cat", "dog", "boat", "tree", "hill", "rain", "bread", "door")
ERROR = "error.txt"


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
    """Whether TensorBoard's files and a CSV table are written."""
    action: Action = "stop"
    """At a bad update."""
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
        DivergenceGuard(action=run.action),
        UpdateCheckpoint(every_n_updates=run.save_every),
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
        logger=_loggers(run.folder) if run.curves else False,
        enable_progress_bar=False,
        enable_model_summary=False,
        default_root_dir=run.folder,
        callbacks=callbacks + [make() for make in run.callbacks],
    )
    module, data = build(run)
    last = last_checkpoint(run.folder)
    if last is not None:
        continue_tables(trainer.loggers, update=read_last(run.folder)["global_step"])
    fit(trainer, module, data, ckpt_path=last)
    return stop.exit_status


def _strategy(run: Run) -> str | Strategy:
    if run.ranks == 1:
        return "auto"
    return FullySharded() if run.strategy == "fsdp2" else "ddp"


def _loggers(folder: Path) -> list[Logger]:
    return [
        TensorBoardLogger(folder, name="", version=""),
        CSVLogger(folder / "csv", name="", version=""),
    ]


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
    try:
        with full_disk_in_one_line():
            status = train(run)
    except UserError as error:  # as the command line does; what it prints is another process's
        (run.folder.parent / ERROR).write_text(str(error), encoding="utf-8")
        status = 2
    sys.exit(status)
