from __future__ import annotations

import json
import shlex

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
    more = ["--data.micro_batch_size=4", "--trainer.max_steps=4"]
    assert command(*FIT, *more, "--ckpt_path=last") == 0, command.messages
    line = next(line for line in command.messages.splitlines() if "Not bit by bit" in line)
    assert line.endswith(": data.micro_batch_size None, now 4.")


def test_short_run_is_told_that_it_has_not_learned_and_how_large_an_update_is(
    command: Command,
) -> None:
    assert command(*FIT, "--data.micro_batch_size=5") == 0, command.messages
    assert "2 updates of 16 sequences, at most 5 at once (some " in command.messages
    assert "has not learned to use context: train longer" in command.messages


def test_losses_by_epoch_lie_beside_the_checkpoints(command: Command) -> None:
    assert command(*FIT) == 0, command.messages
    text = (command.folder / "runs" / "bert" / "history.json").read_text()
    assert len(json.loads(text)["mlm_loss_per_epoch"]) == 1


def test_trial_run_leaves_no_history(command: Command) -> None:
    assert command("fit", "--config=bert", *TINY, "--trainer.fast_dev_run=1") == 0
    assert not list(command.folder.rglob("history.json"))
    assert "nothing is written" in command.messages
    assert "Watch: tensorboard" not in command.messages


def test_what_is_to_be_typed_can_be_typed(command: Command) -> None:
    folder = "a run's/of mine"
    assert command(*FIT, f"--trainer.default_root_dir={folder}") == 0, command.messages
    (line,) = (line for line in command.messages.splitlines() if "Watch: " in line)
    words = shlex.split(line.partition("Watch: ")[2])
    assert words == ["tensorboard", "--logdir", "a run's"]


def test_run_that_ends_early_says_how_to_go_on(command: Command) -> None:
    early = [
        "--trainer.callbacks=EarlyStopping",
        "--trainer.callbacks.monitor=val/masked_lm_loss",
        "--trainer.callbacks.stopping_threshold=1000",
        "--trainer.val_check_interval=1",
    ]
    assert command(*FIT, *early) == 0, command.messages
    assert "stands at update 1 of 2. To go on: the same command with --ckpt_path last" in (
        command.messages
    )


def test_run_without_validation_says_so_at_its_end(command: Command) -> None:
    assert command(*FIT, "--trainer.limit_val_batches=0") == 0, command.messages
    assert "Finished 2 updates, without a validation." in command.messages
