"""What may change when a run goes on takes effect at once and is said; all else is refused."""

from __future__ import annotations

import multiprocessing
from typing import NamedTuple

import pytest
import torch

from lit_roberta.batch import Update
from lit_roberta.training.module import PretrainingModule
from lit_roberta.training.schedules import ScheduleConfig, learning_rate_factor
from tests.training.commands import TINY, Command

FIT = ("fit", "--config=roberta", *TINY, "--trainer.limit_val_batches=0")
DONE = 2


class Seen(NamedTuple):
    """What the first update of a start was made with."""

    lr: float
    betas: tuple[float, float]
    micro_batches: int
    workers: int
    autocast: bool


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Seen]:
    """What each update is made with."""
    found: list[Seen] = []
    step = PretrainingModule.training_step

    def watched(self: PretrainingModule, update: Update) -> None:
        group = self._adamw.param_groups[0]
        workers, autocast = (
            len(multiprocessing.active_children()),
            torch.is_autocast_enabled("cpu"),
        )
        found.append(Seen(group["lr"], group["betas"], len(update.cuts), workers, autocast))
        step(self, update)

    monkeypatch.setattr(PretrainingModule, "training_step", watched)
    return found


def rate(peak: float, *, total: int) -> float:
    return peak * learning_rate_factor(DONE, total=total, schedule=ScheduleConfig())


PEAK = 2e-3  # the recipe's
CHANGES: dict[str, tuple[dict[str, object], str]] = {
    "--model.optimizer.lr=7e-4": (
        {"lr": rate(7e-4, total=4)},
        "From here on by other settings: model.optimizer.lr 0.002, now 0.0007.",
    ),
    "--model.optimizer.betas=[0.5,0.6]": (
        {"betas": (0.5, 0.6)},
        "From here on by other settings: model.optimizer.betas [0.9, 0.98], now [0.5, 0.6].",
    ),
    "--model.schedule.kind=constant": (
        {"lr": PEAK},
        "From here on by other settings: model.schedule.kind linear, now constant.",
    ),
    "--trainer.max_steps=8": (
        {"lr": rate(PEAK, total=8)},
        "The checkpoint was to end at update 4; the rate now follows the new length.",
    ),
    "--data.micro_batch_size=20": (
        {"micro_batches": 4},
        "other settings: data.micro_batch_size None, now 20.",
    ),
    "--data.num_workers=1": (
        {"workers": 1},
        "From here on by other settings: data.num_workers 0, now 1.",
    ),
    "--trainer.precision=bf16-mixed": (
        {"autocast": True},
        "other settings: precision 32-true, now bf16-mixed.",
    ),
}


@pytest.fixture
def begun(command: Command, seen: list[Seen]) -> Command:
    """A run of 4 updates that was stopped after 2."""
    stop = (
        "--trainer.callbacks=tests.properties.hits.StopAt",
        f"--trainer.callbacks.update={DONE}",
    )
    assert command(*FIT, *stop, "--trainer.max_steps=4") == 0, command.messages
    seen.clear()
    return command


@pytest.mark.parametrize("flag", CHANGES)
def test_what_may_change_counts_from_the_very_next_update_and_is_said(
    begun: Command, seen: list[Seen], flag: str
) -> None:
    effect, words = CHANGES[flag]
    assert begun(*FIT, "--trainer.max_steps=4", "--ckpt_path=last", flag) == 0, begun.messages
    first = seen[0]._asdict()
    assert all(first[name] == pytest.approx(value) for name, value in effect.items()), first
    assert words in begun.messages
    is_exact = "data.num_workers" in flag or "model." in flag or "max_steps" in flag
    assert ("Not bit by bit" in begun.messages) != is_exact


def test_nothing_is_said_where_nothing_changed(begun: Command, seen: list[Seen]) -> None:
    assert begun(*FIT, "--trainer.max_steps=4", "--ckpt_path=last") == 0, begun.messages
    assert "other settings" not in begun.messages
    assert seen[0].lr == pytest.approx(rate(PEAK, total=4))


REFUSED = {
    "--seed_everything=3": "seed_everything must stay the checkpoint's 0, got 3.",
    "--data.corpus=python-docs": (
        "data.corpus must hold the checkpoint's text (toy), got 'python-docs'."
    ),
    "--data.batch_size=8": "data.batch_size must stay the checkpoint's 64, got 8.",
    "--data.max_length=32": "data.max_length must stay the checkpoint's 64, got 32.",
    "--data.format=sentence": (
        "data.format must stay the checkpoint's 'doc-sentences', got 'sentence'."
    ),
    "--data.masking.rate=0.4": "data.masking.rate must stay the checkpoint's 0.15, got 0.4.",
    "--data.tokenizer.min_frequency=1": (
        "data.tokenizer.min_frequency must be the checkpoint's 2, got 1."
    ),
    "--data.masking.copies=3": "data.masking.copies must stay the checkpoint's None, got 3.",
}


@pytest.mark.parametrize("flag", REFUSED)
def test_what_makes_another_run_is_refused_with_both_values(begun: Command, flag: str) -> None:
    path = begun.folder / "runs/roberta/checkpoints/last.ckpt"
    before = path.read_bytes()
    line = begun.refuses(*FIT, "--trainer.max_steps=4", "--ckpt_path=last", flag)
    assert line.startswith(REFUSED[flag])
    assert path.read_bytes() == before
