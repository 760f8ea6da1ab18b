"""Whatever is wrong inside of a checkpoint is said in one line, and nothing of it is taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.training.commands import TINY, Command

Damage = Callable[[dict[str, Any]], object]

WEIGHT = "model.embeddings.token.weight"
DAMAGES: dict[str, Damage] = {
    "a weight is missing": lambda c: c["state_dict"].pop(WEIGHT),
    "a weight too many": lambda c: c["state_dict"].update(more=torch.zeros(1)),
    "another shape": lambda c: c["state_dict"].update({WEIGHT: torch.zeros(3, 3)}),
    "no tokenizer": lambda c: c.update(tokenizer="{}"),
    "a size in words": lambda c: c["hyper_parameters"]["encoder"].update(hidden_size="many"),
    "an unknown field": lambda c: c["hyper_parameters"]["encoder"].update(rotary=True),
    "a length in words": lambda c: c.update(total_updates="many"),
    "no conditions": lambda c: c.update(conditions=None),
    "no optimizer": lambda c: c.update(optimizer_states=[]),
}


@pytest.fixture
def saved(command: Command) -> Path:
    assert command("fit", "--config=roberta", *TINY, "--trainer.max_steps=1") == 0
    return command.folder / "runs/roberta/checkpoints/last.ckpt"


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_damage_is_one_line(command: Command, saved: Path, damage: Damage) -> None:
    checkpoint = torch.load(saved, weights_only=True)
    damage(checkpoint)
    torch.save(checkpoint, saved)
    fit = ["fit", "--config=roberta", *TINY, "--trainer.max_steps=2", "--ckpt_path=last"]
    assert command.refuses(*fit).startswith("ckpt_path must ")


def test_a_flipped_byte_is_found(command: Command, saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    place = data.index(
        torch.load(saved, weights_only=True)["state_dict"][WEIGHT].numpy().tobytes()
    )
    data[place + 100] ^= 1
    saved.unlink()  # best.ckpt is the same file
    saved.write_bytes(data)
    line = command.refuses("fit", "--config=roberta", *TINY, "--ckpt_path=last")
    assert line.startswith("ckpt_path must be as it was written, got 'runs/roberta/checkpoints/")
