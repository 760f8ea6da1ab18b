from __future__ import annotations

import json

from tests.training.commands import TINY, Command

FIT = ("fit", "--config=bert", *TINY, "--trainer.max_steps=2")


def test_run_under_other_conditions_says_that_it_is_not_the_same_bit_by_bit(
    command: Command,
) -> None:
    assert command(*FIT) == 0, command.messages
    assert "Not bit by bit" not in command.messages
    longer = ["--trainer.max_steps=3", "--ckpt_path=last"]
    assert command(*FIT, *longer) == 0, command.messages
    assert "Not bit by bit" not in command.messages
    more = ["--data.micro_batch_size=4", "--seed_everything=3", "--trainer.max_steps=4"]
    assert command(*FIT, *more, "--ckpt_path=last") == 0, command.messages
    line = next(line for line in command.messages.splitlines() if "Not bit by bit" in line)
    assert line.endswith(": seed_everything 0, now 3; data.micro_batch_size None, now 4.")


def test_losses_by_epoch_lie_beside_the_checkpoints(command: Command) -> None:
    assert command(*FIT) == 0, command.messages
    text = (command.folder / "runs" / "bert" / "history.json").read_text()
    assert len(json.loads(text)["mlm_loss_per_epoch"]) == 1


def test_trial_run_leaves_no_history(command: Command) -> None:
    assert command("fit", "--config=bert", *TINY, "--trainer.fast_dev_run=1") == 0
    assert not list(command.folder.rglob("history.json"))
