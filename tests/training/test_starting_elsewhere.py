"""Weights to start from, as other commands and other programs see them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.comparison.design.fingerprints import fingerprint
from lit_roberta.comparison.design.recipes import read_recipes
from lit_roberta.corpora.cli import main as prepare
from lit_roberta.data.datamodule import PretrainingDataModule
from lit_roberta.data.tokens.config import TokenizerConfig
from lit_roberta.exchange.checkpoint import read_checkpoint, write_checkpoint
from lit_roberta.exchange.exporting import export
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES, Family
from lit_roberta.exchange.pretrained import build_task_model
from lit_roberta.exchange.tasks import Task
from lit_roberta.planning.cli import main as plan
from tests.exchange.folders import tiny_pretrained, write_folder
from tests.training.commands import Command
from tests.training.test_starting import QUIET, WORDPIECE, held_out_loss

BYTES = TokenizerConfig(kind="bytelevel-bpe", vocab_size=300)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[Family, Path]:
    """A random model of each family in Hugging Face's form, with a tokenizer of the toy's."""
    found: dict[Family, Path] = {}
    for family in FAMILIES:
        config = WORDPIECE if family == "bert" else BYTES
        tokenizer = PretrainingDataModule("toy", tokenizer=config).tokenizer
        model = tiny_pretrained(
            family, vocab_size=tokenizer.vocab_size, max_position_embeddings=64, pad_id=0
        )
        found[family] = write_folder(
            tmp_path_factory.mktemp("folders") / family, model, tokenizer=tokenizer
        )
    return found


def fit(folder: Path, *words: str) -> list[str]:
    start = f"--model.pretrained={folder}"
    return ["fit", "--config=roberta", *QUIET, "--trainer.max_steps=1", start, *words]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_folder_is_gone_on_with_and_goes_back_as_its_family(
    command: Command, folders: dict[Family, Path], family: Family
) -> None:
    words = ("--tokenizer.extend=3", "--data.corpus=python-docs", "--data.general_corpus=toy")
    assert command(*fit(folders[family], *words)) == 0, command.messages
    run = command.folder / "runs" / "roberta"
    trained = read_checkpoint(run / "checkpoints" / "last.ckpt")
    source = load_pretrained(str(folders[family]))
    assert trained.family == source.family == family
    assert trained.unused.keys() == source.unused.keys()
    assert trained.encoder.vocab_size == source.encoder.vocab_size + 3

    data = PretrainingDataModule("toy")
    assert source.tokenizer is not None
    data.use_tokenizer(source.tokenizer)
    found = json.loads((run / "before_and_after.json").read_text(encoding="utf-8"))
    # The general text has other words, so that its tokens are those of before.
    assert found["before"]["general/masked_lm_loss"] == pytest.approx(
        held_out_loss(source.build(), data), rel=0.02
    )

    export(trained, command.folder / "out")
    again = load_pretrained(str(command.folder / "out"))
    assert again.family == family
    assert again.tokenizer is not None
    assert trained.tokenizer is not None
    new = trained.tokenizer.id_to_word[source.tokenizer.vocab_size :]
    assert len(new) == 3
    for number, word in enumerate(new, start=source.tokenizer.vocab_size):
        text = trained.tokenizer.decode([number])
        assert again.tokenizer.word_to_id[word] == number
        assert again.tokenizer.encode(text) == trained.tokenizer.encode(text) == [number]
    for name, weight in again.weights.items():
        rows = slice(None, len(weight))
        assert torch.equal(weight, trained.weights[name][rows]), name


@pytest.mark.slow
@pytest.mark.parametrize("family", FAMILIES)
def test_transformers_reads_the_words_that_were_added(
    command: Command, folders: dict[Family, Path], family: Family
) -> None:
    transformers = pytest.importorskip("transformers", reason="the reader is not installed")
    words = ("--data.tokenizer.extend=3", "--data.corpus=python-docs")
    assert command(*fit(folders[family], *words)) == 0, command.messages
    checkpoint = command.folder / "runs/roberta/checkpoints/last.ckpt"
    export(read_checkpoint(checkpoint), command.folder / "out")
    theirs = transformers.AutoTokenizer.from_pretrained(command.folder / "out")
    ours = read_checkpoint(checkpoint).tokenizer
    assert ours is not None
    assert len(theirs) == ours.vocab_size
    for number in range(ours.vocab_size - 3, ours.vocab_size):
        word = ours.decode([number])
        for text in (word, f"a{word}s and the{word}, {word}.", f"{word.strip()}ness"):
            expected = ours.encode(text)
            assert theirs(text, add_special_tokens=False)["input_ids"] == expected
            assert theirs.decode(expected) == ours.decode(expected)


@pytest.mark.slow
def test_text_is_prepared_with_the_tokenizer_of_weights(
    command: Command, folders: dict[Family, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = folders["bert"]
    words = ["--corpus", "python-docs", "--output", "ready", "--pretrained", str(folder)]
    assert prepare([*words, "--tokenizer.extend", "4", "--workers", "0"]) == 0
    assert "4 words of the training part" in capsys.readouterr().err
    assert command(*fit(folder, "--data.corpus=ready")) == 0, command.messages
    run = command.folder / "runs" / "roberta" / "checkpoints" / "last.ckpt"
    source = load_pretrained(str(folder)).encoder
    assert read_checkpoint(run).encoder.vocab_size == source.vocab_size + 4
    line = command.refuses(
        *fit(folder, "--data.corpus=ready", "--tokenizer.extend=5"),
        "--trainer.default_root_dir=runs/other",
    )
    assert line.startswith("data.tokenizer.extend must be what ready was prepared with, 4, got 5.")
    other = command.refuses(
        *fit(folders["roberta"], "--data.corpus=ready"), "--trainer.default_root_dir=runs/other"
    )
    assert other.startswith("data.corpus must be encoded by the checkpoint's tokenizer")
    assert prepare([*words, "--tokenizer.kind", "bytelevel-bpe"]) == 2
    assert "pretrained must bring the tokenizer alone" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_from_weights_is_planned(
    command: Command, folders: dict[Family, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = fit(folders["bert"], "--model.extend_positions=70", "--json", "--trial_updates=1")
    assert plan(words[1:]) == 0
    planned: dict[str, Any] = json.loads(capsys.readouterr().out)
    source = load_pretrained(str(folders["bert"]))
    own = {name: w for name, w in source.weights.items() if not name.startswith("next_sentence")}
    expected = sum(weight.numel() for weight in own.values()) + 6 * source.encoder.hidden_size
    assert expected in _numbers(planned)


def _numbers(plan: Any) -> set[float]:
    if isinstance(plan, dict):
        return set().union(*map(_numbers, plan.values()))
    if isinstance(plan, list):
        return set().union(*map(_numbers, plan))
    return {plan} if isinstance(plan, int | float) else set()


def test_recipes_are_compared_from_weights_which_count_by_their_numbers(
    command: Command, folders: dict[Family, Path]
) -> None:
    def runs_from(folder: Path) -> set[str]:
        recipes = read_recipes(["roberta"], overrides=[f"model.pretrained={folder}"])
        return {fingerprint(one, updates=1, seed=0) for one in recipes}

    folder = folders["bert"]
    (command.folder / "moved").symlink_to(folder)
    assert runs_from(folder) == runs_from(command.folder / "moved")
    assert runs_from(folder) != runs_from(folders["roberta"])


def test_a_fine_tuned_model_is_gone_on_with_without_the_head_of_its_task(
    command: Command, folders: dict[Family, Path]
) -> None:
    read = load_pretrained(str(folders["roberta"]))
    trunk = {n: weight for n, weight in read.weights.items() if not n.startswith("masked_lm")}
    drawn = replace(read, task=Task(kind="multiple-choice"), weights=trunk)
    head = build_task_model(drawn).task_head.state_dict(prefix="task_head.")
    tuned = command.folder / "tuned.ckpt"
    write_checkpoint(replace(drawn, weights={**trunk, **head}), tuned)
    assert command(*fit(tuned)) == 0, command.messages
    assert "recipe does not train it: the head of its task." in command.messages
    trained = read_checkpoint(command.folder / "runs" / "roberta" / "checkpoints" / "last.ckpt")
    assert trained.task is None
    assert trained.has_masked_lm_head
    assert not any(name.startswith("task_head.") for name in trained.weights)
