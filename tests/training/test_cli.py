from __future__ import annotations

import signal
import sys
from importlib import resources
from pathlib import Path

import pytest
import torch
import yaml

from lit_roberta.batch import Update
from lit_roberta.training.arguments import shipped_configs
from lit_roberta.training.cli import main, run
from lit_roberta.training.module import PretrainingModule
from tests.training.commands import TINY, Command

ANIMALS = "cow dog fox hen pig rat ant bee owl elk ape bat cat cod eel emu gnu jay"

RECIPES = ["bert", "bert-10", "roberta", "notebook/bert", "notebook/roberta"]


def saved_config(folder: Path) -> dict[str, dict[str, object]]:
    config: dict[str, dict[str, object]] = yaml.safe_load((folder / "config.yaml").read_text())
    return config


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_trains(command: Command, recipe: str) -> None:
    path = str(shipped_configs() / f"{recipe}.yaml")
    words = ["fit", "--config", path, *TINY, "--trainer.fast_dev_run=2"]
    assert command(*words) == 0, command.messages
    assert not list(command.folder.glob("runs/*/checkpoints/*"))


@pytest.mark.parametrize("recipe", ["paper/bert", "paper/roberta"])
def test_the_papers_settings_train_at_a_tiny_size(command: Command, recipe: str) -> None:
    shorter = ['--data.length_stages=[{"max_length": 16, "share": 0.9}]']
    status = command(
        "fit",
        f"--config={recipe}",
        *TINY,
        "--data.max_length=64",
        *(shorter if recipe == "paper/bert" else ()),
        "--data.batch_size=8",
        "--data.tokenizer.vocab_size=600",
        "--trainer.fast_dev_run=true",
    )
    assert status == 0, command.messages


def test_a_run_is_made_saved_resumed_and_judged(command: Command) -> None:
    fit = ["fit", "--config=bert", *TINY, "--trainer.val_check_interval=2"]
    assert command(*fit, "--trainer.max_steps=2") == 0, command.messages
    folder = command.folder / "runs" / "bert"
    assert "documents" in command.messages
    assert "2 updates of 16 sequences" in command.messages
    assert "Finished 2 updates." in command.messages

    # Afresh over it: refused, with the two ways out.
    line = command.refuses(*fit, "--trainer.max_steps=4")
    assert line.startswith("trainer.default_root_dir must hold no earlier run, got 'runs/bert'.")
    assert "--ckpt_path last" in line
    assert "--trainer.default_root_dir" in line

    # On with it, at another rate and betas: the configuration's count, not the restored ones.
    more = ["--ckpt_path=last", "--model.optimizer.lr=7e-4", "--model.optimizer.betas=[0.5,0.6]"]
    assert command(*fit, "--trainer.max_steps=4", *more) == 0, command.messages
    assert "was to end at update 2" in command.messages
    checkpoint = torch.load(folder / "checkpoints" / "last.ckpt", weights_only=True)
    assert checkpoint["global_step"] == 4
    assert checkpoint["hyper_parameters"]["optimizer"]["lr"] == 7e-4
    groups = checkpoint["optimizer_states"][0]["param_groups"]
    assert all(tuple(group["betas"]) == (0.5, 0.6) for group in groups)
    assert saved_config(folder)["model"]["optimizer"]["lr"] == 7e-4  # type: ignore[index]

    # The encoder is the checkpoint's, without a word of it on the command line.
    judge = ["--config=bert", "--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false"]
    assert command("validate", *judge, "--ckpt_path=best") == 0, command.messages
    assert command("test", *judge, "--ckpt_path=last") == 0, command.messages
    assert command("predict", *judge, f"--ckpt_path={folder}/checkpoints/last.ckpt") == 0
    assert (folder / "predictions.jsonl").read_text().startswith('{"input": "[CLS]')
    assert saved_config(folder)["trainer"]["max_steps"] == 4

    # Another encoder, objective or tokenizer: refused, both values named.
    line = command.refuses(*fit, "--ckpt_path=last", "--model.encoder.hidden_size=32")
    assert line.startswith("model.encoder.hidden_size must be the checkpoint's 16, got 32.")
    line = command.refuses(*fit, "--ckpt_path=last", "--model.next_sentence=false")
    assert line.startswith("model.next_sentence must be the checkpoint's True, got False.")
    line = command.refuses(*fit, "--ckpt_path=last", "--data.tokenizer.min_frequency=1")
    assert line.startswith("data.tokenizer.min_frequency must be the checkpoint's 2, got 1.")


def test_the_text_is_the_checkpoints_unless_another_is_named(command: Command) -> None:
    animals = ANIMALS.split()
    sentences = [f"The {a} saw the {b} again." for a in animals for b in animals if a != b]
    documents = ["\n".join(sentences[place : place + 5]) for place in range(0, 300, 5)]
    Path("mine.txt").write_text("\n\n".join(documents) + "\n")
    fit = ["fit", "--config=roberta", *TINY]
    assert command(*fit, "--data.corpus=mine.txt", "--trainer.max_steps=2") == 0, command.messages
    trained = command.messages

    judge = ["--config=roberta", "--trainer.accelerator=cpu", "--ckpt_path=last"]
    for words in (["validate", *judge], ["test", *judge], [*fit, "--ckpt_path=last"]):
        assert command(*words) == 0, command.messages
        assert "Text: the checkpoint's, mine.txt." in command.messages
        assert "60 documents" in command.messages
        assert "60 documents" in trained
    assert "there is nothing left to do" not in trained

    assert command("validate", *judge, "--data.corpus=toy") == 0, command.messages
    assert "203 documents" in command.messages


def test_a_text_that_was_edited_is_not_the_checkpoints(command: Command) -> None:
    toy = resources.files("lit_roberta.toy").joinpath("corpus.txt").read_text("utf-8")
    Path("mine.txt").write_text(toy)
    fit = ["fit", "--config=roberta", *TINY, "--data.corpus=mine.txt"]
    assert command(*fit, "--trainer.max_steps=2") == 0
    Path("mine.txt").write_text(toy.replace("dog", "cat"))
    line = command.refuses(*fit, "--trainer.max_steps=4", "--ckpt_path=last")
    assert line.startswith(
        "data.corpus must hold the checkpoint's text (mine.txt), got 'another text under that "
    )


def test_scores_are_said_one_a_line(command: Command) -> None:
    fit = ["fit", "--config=bert", *TINY, "--trainer.max_steps=1"]
    assert command(*fit) == 0, command.messages
    judge = ["--config=bert", "--trainer.accelerator=cpu", "--ckpt_path=last"]
    for subcommand, part in (("validate", "val"), ("test", "test")):
        assert command(subcommand, *judge) == 0, command.messages
        for name in ("masked_lm_loss", "next_sentence_accuracy", "perplexity", "unigram_loss"):
            assert f"{part}/{name} " in command.messages
        assert "DataLoader" not in command.messages


def test_a_named_checkpoint_is_judged_in_its_own_folder(command: Command) -> None:
    root = "--trainer.default_root_dir=elsewhere"
    assert command("fit", "--config=roberta", *TINY, root, "--trainer.max_steps=1") == 0
    path = "--ckpt_path=elsewhere/checkpoints/last.ckpt"
    assert command("predict", "--config=roberta", "--trainer.accelerator=cpu", path) == 0
    assert (command.folder / "elsewhere" / "predictions.jsonl").is_file()
    assert not (command.folder / "runs").exists()


def test_a_trial_run_minds_no_earlier_run(command: Command) -> None:
    fit = ["fit", "--config=roberta", *TINY]
    assert command(*fit, "--trainer.max_steps=1") == 0
    before = sorted(path for path in command.folder.rglob("*"))
    assert command(*fit, "--trainer.fast_dev_run=true") == 0, command.messages
    assert sorted(path for path in command.folder.rglob("*")) == before


def test_a_finished_run_that_is_started_again_says_so(command: Command) -> None:
    fit = ["fit", "--config=roberta", *TINY, "--trainer.max_steps=2"]
    assert command(*fit) == 0
    assert command(*fit, "--ckpt_path=last") == 0, command.messages
    assert "has all 2 updates: there is nothing left to do." in command.messages


def test_a_warm_up_as_long_as_the_run_is_said(command: Command) -> None:
    words = ["--trainer.max_steps=2", "--model.schedule.warmup_updates=100"]
    assert command("fit", "--config=roberta", *TINY, *words) == 0
    assert "The warm-up takes the whole run" in command.messages


def test_last_starts_afresh_with_a_notice_where_there_is_none(command: Command) -> None:
    words = ["fit", "--config=roberta", *TINY, "--ckpt_path=last", "--trainer.max_steps=1"]
    assert command(*words) == 0, command.messages
    assert "There is no runs/roberta/checkpoints/last.ckpt yet: starting afresh." in (
        command.messages
    )
    assert (command.folder / "runs/roberta/checkpoints/last.ckpt").is_file()


def test_the_command_line_wins_over_a_file_wherever_it_stands(command: Command) -> None:
    cli = run(
        [
            "fit",
            "--data.batch_size=8",
            "--model.optimizer.lr=1e-4",
            "--data.masking.copies=dynamic",
            "--config=bert",
            *TINY,
            "--trainer.fast_dev_run=true",
            "--seed_everything=7",
        ]
    )
    assert cli.datamodule.sequences_per_update == 8
    assert cli.datamodule.masking.copies is None
    assert cli.model.optimizer_config.lr == 1e-4
    assert cli.datamodule.seed == cli.model.seed == 7
    assert cli.model.model.config.vocab_size == cli.datamodule.vocab_size
    assert cli.exit_status == 0


def test_a_later_file_wins_over_an_earlier_one(command: Command) -> None:
    Path("mine.yaml").write_text("data: {batch_size: 4}\ntrainer: {fast_dev_run: true}\n")
    cli = run(["fit", "--config=bert", "--config=mine.yaml", *TINY])
    assert cli.datamodule.sequences_per_update == 4
    assert cli.model.next_sentence
    assert cli.trainer.default_root_dir == "runs/bert"


def test_a_length_in_epochs_becomes_updates(command: Command) -> None:
    cli = run(["fit", "--config=roberta", *TINY, "--trainer.max_epochs=1"])
    data = cli.datamodule
    assert cli.trainer.global_step == -(-data.num_examples // data.sequences_per_update)
    assert len(cli.model.history.mlm_loss_per_epoch) == 1
    assert cli.trainer.max_epochs == -1


def test_help_tells_what_the_settings_are(
    command: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["train.py", "fit", "--help"])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "Share of the maskable tokens of an example that are predicted" in text
    assert "Peak learning rate" in text
    assert "A checkpoint: a file, or last, previous or best of the run's folder" in text


def test_compiling_is_asked_of_the_model(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled: list[object] = []
    monkeypatch.setattr(torch.nn.Module, "compile", lambda self: compiled.append(self))
    cli = run(["fit", *TINY, "--compile=true", "--trainer.fast_dev_run=true"])
    assert compiled == [cli.model.model]


def test_a_signal_ends_the_run_with_its_status_and_a_checkpoint(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = PretrainingModule.training_step

    def interrupted(self: PretrainingModule, update: Update) -> None:
        if self.update_number == 2:
            signal.raise_signal(signal.SIGINT)
        begin(self, update)

    monkeypatch.setattr(PretrainingModule, "training_step", interrupted)
    assert command("fit", "--config=roberta", *TINY, "--trainer.max_steps=9") == 130
    assert "To go on: the same command with --ckpt_path last." in command.messages
    path = command.folder / "runs/roberta/checkpoints/last.ckpt"
    assert torch.load(path, weights_only=True)["global_step"] == 2
