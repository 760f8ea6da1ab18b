from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from pytorch_lightning.callbacks import Timer

from lit_roberta.comparison.design.recipes import (
    PlannedRecipe,
    _UnstartedCLI,
    read_recipes,
    token_identity,
)
from lit_roberta.data.preparation import prepared
from lit_roberta.errors import UserError
from lit_roberta.training.arguments import arrange
from tests.comparison.texts import write_text


@pytest.fixture(autouse=True)
def _no_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["compare.py"])


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_text(tmp_path_factory.mktemp("text"))


def read(text: Path, *names: str, overrides: tuple[str, ...] = ()) -> list[PlannedRecipe]:
    return read_recipes(names, overrides=(f"data.corpus={text}", *overrides))


def test_settings_for_all_reach_every_recipe_and_win(text: Path, tmp_path: Path) -> None:
    overlay = tmp_path / "overlay.yaml"
    overlay.write_text("data:\n  max_length: 48\nmodel:\n  encoder:\n    hidden_size: 32\n")
    recipes = read_recipes(
        ["bert", "roberta"],
        overlays=[str(overlay)],
        overrides=[f"data.corpus={text}", "model.encoder.hidden_size=64"],
    )
    for recipe in recipes:
        assert recipe.settings["data.max_length"] == 48
        assert recipe.settings["model.encoder.hidden_size"] == 64
    assert [recipe.data.format for recipe in recipes] == ["sentence-pair", "doc-sentences"]
    assert [recipe.name for recipe in recipes] == ["bert", "roberta"]


def test_files_with_one_name_get_their_folders(text: Path) -> None:
    tokenizer = ("data.tokenizer.min_frequency=1", "data.tokenizer.split_punctuation=false")
    recipes = read(text, "bert", "notebook/bert", overrides=tokenizer)
    assert [recipe.name for recipe in recipes] == ["configs-bert", "notebook-bert"]


def test_one_file_twice_is_refused(text: Path) -> None:
    with pytest.raises(
        UserError, match=r"^--recipes must have different names, got 'configs-bert'"
    ):
        read(text, "bert", "bert")


def test_an_unknown_file_is_named(text: Path) -> None:
    with pytest.raises(
        UserError, match=r"^--recipes must name a file, got 'bret'. Did you mean bert"
    ):
        read(text, "bret")


@pytest.mark.parametrize(
    "setting", ["trainer.max_steps=5", "seed_everything=1", "trainer.devices=2"]
)
def test_what_the_comparison_decides_cannot_be_set(text: Path, setting: str) -> None:
    with pytest.raises(UserError, match="must be left to the comparison, got "):
        read(text, "bert", overrides=(setting,))


def test_what_a_file_sets_and_the_comparison_decides_is_said(
    text: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "own.yaml"
    file.write_text(
        "seed_everything: 0\nckpt_path: nowhere.ckpt\n"
        "trainer: {max_steps: 77, max_time: '00:00:00:01', fast_dev_run: 3, num_nodes: 1}\n"
        "trainer.default_root_dir: here\n"
    )
    caplog.set_level(logging.INFO, logger="lit_roberta.comparison")
    recipes = read_recipes(
        ["bert", str(file)], overlays=[str(file)], overrides=[f"data.corpus={text}"]
    )
    said = caplog.messages
    assert (
        f"{file} sets trainer.max_steps 77, which the comparison decides. Give --budget" in said[2]
    )
    assert [line.partition(" sets ")[2].split(",")[0] for line in said] == [
        "seed_everything 0",
        "ckpt_path nowhere.ckpt",
        "trainer.max_steps 77",
        "trainer.max_time 00:00:00:01",
        "trainer.fast_dev_run 3",
        "trainer.default_root_dir here",
    ]
    # The settings of the run are the comparison's, whatever the file says.
    arguments = (*recipes[0].arguments, "--trainer.max_steps=5", "--ckpt_path=last")
    trainer: Any = _UnstartedCLI(
        arrange([*arguments, f"--trainer.default_root_dir={tmp_path}"])
    ).trainer
    assert trainer.max_steps == 5
    assert not trainer.fast_dev_run
    assert not [each for each in trainer.callbacks if isinstance(each, Timer)]


def test_files_that_decide_nothing_get_no_notice(
    text: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="lit_roberta.comparison")
    read(text, "bert", "bert-10", "roberta")
    assert caplog.messages == []


def test_a_typo_in_a_setting_is_refused(text: Path) -> None:
    with pytest.raises(UserError, match=r"masking\.rat"):
        read(text, "bert", overrides=("data.masking.rat=0.3",))


def test_recipes_with_different_tokens_are_told_apart(text: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("data:\n  tokenizer:\n    min_frequency: 20\n")
    alike = tmp_path / "alike.yaml"
    alike.write_text("data:\n  tokenizer:\n    lowercase: true\n")
    recipes = read(text, "bert", str(other), str(alike))
    first, second, third = (token_identity(recipe.data) for recipe in recipes)
    assert first == third != second
    assert len({recipe.data.prepared.digest for recipe in recipes}) == 1


def test_recipes_with_different_tokens_must_have_words_in_common(
    text: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tmp_path / "few.yaml"
    # The commonest entry is the mark behind each sentence, and no word.
    few.write_text("data:\n  tokenizer:\n    vocab_size: 6\n")
    with pytest.raises(UserError, match="must know some held-out words all of them, got 'none'"):
        read(text, "bert", str(few))
    other = tmp_path / "other.yaml"
    other.write_text("data:\n  tokenizer:\n    min_frequency: 20\n")
    monkeypatch.setattr(prepared, "read_words", lambda folder, expected: None)
    with pytest.raises(UserError, match="must have texts with sampled words, by which they are"):
        read(text, "bert", str(other))


def test_recipes_must_share_text(text: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    toy, smaller = tmp_path / "toy.yaml", write_text(tmp_path, documents=30)
    other.write_text(f"data:\n  corpus: {smaller}\n")
    toy.write_text(f"data:\n  corpus: {text}\n")
    with pytest.raises(UserError, match="must share their text, and other and toy do not"):
        read_recipes([str(other), str(toy)])
