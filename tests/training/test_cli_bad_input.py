from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.training.commands import TINY, Command

REFUSED = {
    # typos
    "--data.masking.rat=0.3": (
        "unrecognized arguments: --data.masking.rat=0.3. Did you mean --data.masking.rate?"
    ),
    "--something=1": "unrecognized arguments: --something=1. See --help for what there is.",
    "--data.format=sentences": "full-sentences, got 'sentences'. See --help",
    "--data.batch_size=many": "be a whole number or null, got 'many'.",
    "--config=robert": "--config must name a file, got 'robert'. Did you mean roberta?",
    # sizes
    "--data.batch_size=0": "data.batch_size must be 1 or more, got 0.",
    "--data.micro_batch_size=-1": "data.micro_batch_size must be 1 or more, got -1.",
    "--data.max_length=2": "must",
    "--data.max_length=1000": "data.max_length must be at most 64, got 1000.",
    "--model.encoder.num_attention_heads=3": (
        "model.encoder.num_attention_heads must divide the hidden size 16, got 3."
    ),
    "--data.masking.rate=15": "data.masking.rate must lie above 0 and at most at 1, got 15.0.",
    "--trainer.max_steps=-5": "trainer.max_steps must be 1 or more, got -5.",
    "--trainer.max_epochs=0": "trainer.max_epochs must be 1 or more, got 0.",
    "--trainer.val_check_interval=0": "trainer.val_check_interval must be 1 update or more, got 0",
    "--seed_everything=-1": "seed_everything must lie from 0 to 4294967295, got -1.",
    "--trainer.log_every_n_steps=0": "trainer.log_every_n_steps must be 1 or more, got 0.",
    "--trainer.max_time=00:00:00:00": "trainer.max_time must be above 0, got '00:00:00:00'.",
    "--trainer.max_time={hours:99999999999}": "must be days:hours:minutes:seconds, got",
    "--trainer.max_time=soon": "trainer.max_time must be days:hours:minutes:seconds, got 'soon'.",
    "--checkpoint.every_n_updates=0": "checkpoint.every_n_updates must be 1 or more, got 0.",
    "--model.encoder.hidden_size=4000000000": "The memory must hold the model",
    "--model.encoder.intermediate_size=99999999999": "The memory must hold the model",
    # what belongs together
    "--model.next_sentence=true": (
        "data.format must be segment-pair or sentence-pair, got 'doc-sentences'."
    ),
    "--data.format=sentence-pair --model.encoder.type_vocab_size=1": (
        "model.encoder.type_vocab_size must be 2 or more, got 1."
    ),
    # text
    "--data.corpus=nowhere.txt": "nowhere.txt",
    "--data.corpus=empty.txt": "empty.txt",
    "--data.corpus=latin.txt": "latin.txt",
    "--data.corpus=short.txt": "must",
    # Lightning's own flags
    "--trainer.accumulate_grad_batches=4": "--data.micro_batch_size",
    "--trainer.gradient_clip_val=1.0": "--model.optimizer.clip_norm",
    "--trainer.precision=bf16-true": "must be 32-true, bf16-mixed or 16-mixed, got 'bf16-true'.",
    "--trainer.overfit_batches=1": "trainer.overfit_batches must stay 0.0, got 1.",
    "--trainer.min_steps=5": "trainer.min_steps must stay None, got 5. A run has one length:",
    "--trainer.min_epochs=5": "trainer.min_epochs must stay None, got 5.",
    "--trainer.limit_train_batches=0.5": "trainer.limit_train_batches must stay None, got 0.5.",
    "--trainer.check_val_every_n_epoch=2": "Give --trainer.val_check_interval N, in updates.",
    "--trainer.accelerator=gpux": "The trainer's settings don't fit: ",
    "--trainer.strategy=ddpx": "The trainer's settings don't fit: ",
    "--trainer.strategy=fsdp": "trainer.strategy must be auto, ddp or fsdp2, got 'fsdp'.",
    "--trainer.strategy=deepspeed": "To shard weights, gradients and moments over devices, give",
    "--trainer.strategy=ModelParallelStrategy": "trainer.strategy must be auto, ddp or fsdp2, got",
    "--trainer.strategy=fsdp2 --compile=true": "compile must be false under fsdp2, got True.",
    "--trainer.strategy=fsdp2 --trainer.precision=16-mixed": (
        "trainer.precision must be 32-true or bf16-mixed, got '16-mixed'."
    ),
    "--trainer.devices=-2": "The trainer's settings don't fit: ",
    "--trainer.callbacks=BatchSizeFinder": "trainer.callbacks must do without BatchSizeFinder",
    "--trainer.callbacks=LearningRateFinder": "compare.py --tune-lr",
    "--trainer.callbacks=StochasticWeightAveraging --trainer.callbacks.swa_lrs=0.1": (
        "EMAWeightAveraging"
    ),
    # folders and checkpoints
    "--trainer.default_root_dir=empty.txt/run": "must be writable, got 'empty.txt/run'.",
    "--ckpt_path=nothing.ckpt": "ckpt_path must be last, previous, best or a file, got 'nothing.",
    "--ckpt_path=best": "ckpt_path must be last, previous, best or a file, got 'runs/pretraining/",
    "--ckpt_path=empty.txt": "ckpt_path must be a checkpoint of this package, got 'empty.txt'.",
}


@pytest.fixture
def texts(command: Command) -> None:
    (command.folder / "empty.txt").touch()
    (command.folder / "latin.txt").write_bytes("Stra\u00dfe.\n".encode("latin-1") * 50)
    (command.folder / "short.txt").write_text("One sentence.\n")


@pytest.mark.usefixtures("texts")
@pytest.mark.parametrize(("flag", "words"), REFUSED.items(), ids=list(REFUSED))
def test_what_can_not_be_done_is_said_in_one_line(command: Command, flag: str, words: str) -> None:
    line = command.refuses("fit", *TINY, *flag.split())
    assert words in line
    assert not list(command.folder.glob("runs/*/*"))


@pytest.mark.parametrize("subcommand", ["validate", "test", "predict"])
def test_nothing_is_judged_without_a_checkpoint(command: Command, subcommand: str) -> None:
    line = command.refuses(subcommand, "--config=bert")
    assert line.startswith(f"ckpt_path must name a checkpoint to {subcommand}, got None.")
    line = command.refuses(subcommand, "--config=bert", "--ckpt_path=last")
    assert line.startswith(
        "ckpt_path must be last, previous, best or a file, got 'runs/bert/checkpoints/"
    )


def test_settings_before_the_command_are_refused(command: Command) -> None:
    assert "must be fit, validate, test or predict, got '--config'" in command.refuses(
        "--config", "bert", "fit"
    )


@pytest.mark.parametrize("name", ["config.yaml", "history.json"])
def test_a_folder_in_the_place_of_a_file_is_found_before_training(
    command: Command, name: str
) -> None:
    (command.folder / "run" / name).mkdir(parents=True)
    line = command.refuses("fit", *TINY, "--trainer.default_root_dir=run")
    assert line == (
        "trainer.default_root_dir must be writable, got 'run'. The system says: "
        f"{name} in it is a folder."
    )


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_device_that_is_not_there_is_refused(command: Command) -> None:
    assert "cuda" in command.refuses("fit", *TINY, "--trainer.accelerator=cuda").lower()


def test_a_typo_in_a_file_is_refused(command: Command) -> None:
    Path("mine.yaml").write_text("data:\n  masking:\n    rat: 0.3\n")
    line = command.refuses("fit", "--config=mine.yaml")
    assert line.endswith("'data.masking.rat'. Did you mean data.masking.rate?")


def test_a_file_that_is_no_yaml_is_refused(command: Command) -> None:
    Path("mine.yaml").write_text("data: [1, 2\n")
    command.refuses("fit", "--config=mine.yaml")


def test_a_command_that_is_none_is_refused(command: Command) -> None:
    assert "the first word must be fit, validate, test or predict, got 'train'" in command.refuses(
        "train"
    )
    assert "was not provided" in command.refuses()


def test_a_missing_file_name_is_refused(command: Command) -> None:
    assert command.refuses("fit", "--config").startswith("--config must be followed by a file")


def test_ctrl_c_before_the_first_update_is_no_traceback(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lit_roberta.training.cli.run", interrupted)
    assert command("fit") == 130
    assert command.messages.startswith("Interrupted before the first update")
