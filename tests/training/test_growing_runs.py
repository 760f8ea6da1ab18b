"""Runs whose batch grows and whose examples become longer, from the command line."""

from __future__ import annotations

from pathlib import Path

import torch

from tests.training.commands import TINY, Command

FIT = ("fit", "--config=roberta", *TINY)
RAMP = ("--data.batch_ramp.start=16", "--data.batch_ramp.updates=4")
STAGES = '--data.length_stages=[{"max_length": 24, "share": 0.5, "batch_size": 32}]'


def last(command: Command) -> dict[str, object]:
    path = command.folder / "runs/roberta/checkpoints/last.ckpt"
    checkpoint: dict[str, object] = torch.load(path, weights_only=True)
    return checkpoint


def test_a_growing_run_says_what_its_updates_are_and_goes_on(command: Command) -> None:
    Path("grown.yaml").write_text(
        "data:\n"
        "  batch_ramp: {start: 16, updates: 4}\n"
        "  length_stages:\n"
        "  - {max_length: 24, share: 0.5, batch_size: 32}\n"
    )
    grown = [*FIT, "--config=grown.yaml", "--trainer.default_root_dir=runs/roberta"]
    assert command(*grown, "--trainer.max_steps=6") == 0, command.messages
    assert "Training: 6 updates in 2 stages of length." in command.messages
    assert "Length 24: updates 1 to 3 of 32 sequences." in command.messages
    assert "Length 64: updates 4 to 6 of 64 sequences." in command.messages
    assert "The batch grows from 16 sequences in the first 4 updates." in command.messages
    assert "before the batch is full" not in command.messages
    assert last(command)["stage_starts"] == [0, 3]

    # The same settings given in another way; longer, at stages that stay where they were.
    again = [*FIT, *RAMP, STAGES, "--ckpt_path=last", "--trainer.max_steps=8"]
    assert command(*again) == 0, command.messages
    assert "Length 64: updates 4 to 8 of 64 sequences." in command.messages
    assert "Stages start where they were to start at first" in command.messages
    assert last(command)["stage_starts"] == [0, 3]

    stages = "0.5 of the run at length 24 in batches of 32"
    kept = f"data.length_stages must stay the checkpoint's '{stages}'"
    for changed, words in {
        "--data.batch_ramp.start=8": "data.batch_ramp.start must stay the checkpoint's 16, got 8.",
        "--data.batch_ramp.step=2": "data.batch_ramp.step must stay the checkpoint's 1, got 2.",
        STAGES.replace("0.5", "0.7"): f"{kept}, got '0.7 of the run at length 24",
        "--data.length_stages=null": f"{kept}, got None.",
    }.items():
        line = command.refuses(*again, changed)
        assert line.startswith(words), line


def test_a_run_shorter_than_its_ramp_and_its_stages_says_so(command: Command) -> None:
    long_ramp = [*RAMP[:1], "--data.batch_ramp.updates=100"]
    stages = STAGES.replace("0.5", "0.9")
    assert command(*FIT, *long_ramp, stages, "--trainer.max_steps=2") == 0, command.messages
    assert "Length 24: updates 1 to 2 of 32 sequences." in command.messages
    assert "Length 64: no update, because the run is too short" in command.messages
    assert "The run ends before the batch is full: at 16 sequences." in command.messages
    assert "Finished 2 updates." in command.messages


def test_a_warm_up_counts_updates_whatever_their_size(command: Command) -> None:
    words = ["--trainer.max_steps=3", "--model.schedule.warmup_updates=2"]
    rates: list[list[float]] = []
    for grown in ([], [*RAMP, STAGES]):
        folder = f"--trainer.default_root_dir=runs/{len(rates)}"
        assert command(*FIT, *words, *grown, folder) == 0, command.messages
        path = command.folder / f"runs/{len(rates)}/checkpoints/last.ckpt"
        checkpoint = torch.load(path, weights_only=True)
        rates.append([group["lr"] for group in checkpoint["optimizer_states"][0]["param_groups"]])
    assert rates[0] == rates[1]


def test_stages_that_can_not_be_are_refused(command: Command) -> None:
    for stages, words in {
        '[{"max_length": 128, "share": 0.5}]': "data.length_stages.max_length must be at most",
        '[{"max_length": 24, "share": 1.5}]': "data.length_stages.share must lie between 0 and 1",
        '[{"max_length": 3, "share": 0.5}]': "data.length_stages.max_length must be 5 or more",
    }.items():
        line = command.refuses(*FIT, f"--data.length_stages={stages}", "--trainer.max_steps=2")
        assert words in line, line
