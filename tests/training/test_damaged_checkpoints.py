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


@pytest.fixture
def saved_thrice(command: Command) -> Path:
    """A folder with a last checkpoint, of update 3, a previous and a best one."""
    fit = ("fit", "--config=roberta", *TINY, "--trainer.max_steps=3")
    often = ("--checkpoint.every_n_updates=1", "--trainer.limit_val_batches=0")
    assert command(*fit, *often) == 0, command.messages
    return command.folder / "runs/roberta/checkpoints"


def test_where_the_last_is_cut_short_the_one_before_is_offered_and_goes_on(
    command: Command, saved_thrice: Path
) -> None:
    fit = ["fit", "--config=roberta", *TINY, "--trainer.max_steps=3"]
    fit.append("--trainer.limit_val_batches=0")
    whole = torch.load(saved_thrice / "last.ckpt", weights_only=True)
    with (saved_thrice / "last.ckpt").open("r+b") as file:
        file.truncate(5_000)
    line = command.refuses(*fit, "--ckpt_path=last")
    assert line.endswith("The one before is whole: --ckpt_path previous goes on from update 2.")
    assert command(*fit, "--ckpt_path=previous") == 0, command.messages
    last = torch.load(saved_thrice / "last.ckpt", weights_only=True)
    assert last["global_step"] == 3
    torch.testing.assert_close(last["state_dict"], whole["state_dict"], rtol=0, atol=0)
    previous = torch.load(saved_thrice / "previous.ckpt", weights_only=True)
    assert previous["global_step"] == 2, "what was cut short took a good one's place"


def test_where_all_are_damaged_none_is_offered(command: Command, saved_thrice: Path) -> None:
    for path in saved_thrice.iterdir():
        path.write_bytes(path.read_bytes()[:-100])
    line = command.refuses("fit", "--config=roberta", *TINY, "--ckpt_path=last")
    assert line.endswith("It may be cut short, or come from another program.")


def test_a_checkpoint_of_another_name_is_offered_by_its_path(
    command: Command, saved_thrice: Path
) -> None:
    (saved_thrice / "previous.ckpt").rename(saved_thrice / "update-2.ckpt")
    (saved_thrice / "last.ckpt").write_bytes(b"")
    line = command.refuses("fit", "--config=roberta", *TINY, "--ckpt_path=last")
    assert line.endswith(
        "--ckpt_path runs/roberta/checkpoints/update-2.ckpt goes on from update 2."
    )
