"""`lit-roberta import`, and what the command line of training makes of its checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from lit_roberta.__main__ import main
from lit_roberta.exchange.loading import load_pretrained
from lit_roberta.exchange.names import FAMILIES, Family
from tests.exchange.folders import (
    same_model,
    their_weights,
    tiny_pretrained,
    tiny_tokenizer,
    write_folder,
)
from tests.training.commands import Command


def imported(folder: Path, family: Family = "bert", *, with_head: bool = True) -> Path:
    """Import a model with three rows more than tokens."""
    tokenizer = tiny_tokenizer()
    drawn = tiny_pretrained(family, vocab_size=tokenizer.vocab_size + 3)
    weights = their_weights(drawn)
    if not with_head:
        weights = {
            name: weight for name, weight in weights.items() if name[:2] not in ("cl", "lm")
        }
    source = write_folder(folder / "source", drawn, weights=weights, tokenizer=tokenizer)
    assert main(["import", str(source), str(folder / "it.ckpt")]) == 0
    return folder / "it.ckpt"


@pytest.mark.parametrize("family", FAMILIES)
def test_it_writes_the_model_and_says_what_came(
    family: Family, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = imported(tmp_path, family)
    assert same_model(load_pretrained(str(path)), load_pretrained(str(tmp_path / "source")))
    said = capsys.readouterr().err
    assert "2 layers, hidden 32, 4 heads, feed-forward 64, 24 positions" in said
    heads = "masked LM, next sentence, pooler." if family == "bert" else "masked LM; without next"
    assert f"Heads: {heads}" in said
    assert "3 of 19 rows of the embedding have no token" in said


def test_it_says_which_heads_are_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    imported(tmp_path, with_head=False)
    assert "Heads: pooler; without masked LM, next sentence." in capsys.readouterr().err


def test_what_can_not_be_done_is_one_line_and_nothing_is_left(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_folder(tmp_path / "it", config={"is_decoder": True})
    (tmp_path / "there.ckpt").write_text("precious")
    for words in (
        [str(source), str(tmp_path / "new.ckpt")],
        [str(source), str(tmp_path / "there.ckpt")],
        [str(tmp_path / "nothing" / "here" / "x"), str(tmp_path / "new.ckpt")],
        [str(source)],
        [str(source), "a", "b"],
        [str(source), ""],
        ["", str(tmp_path / "new.ckpt")],
    ):
        assert main(["import", *words]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"it", "there.ckpt"}


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("", "the checkpoint must have a name"),
        ("folder/", "the checkpoint must be a new file, got 'folder/'. Name one in that folder"),
        ("source/", "the checkpoint must be a new file"),
        ("there.ckpt", "the checkpoint must be a new file"),
        ("there.ckpt/x.ckpt", "the folder must take a checkpoint"),
        ("x" * 300 + ".ckpt", "the folder must take a checkpoint"),
        ("start.pt", "the checkpoint must not end in .safetensors, .bin, .json, .pt, got"),
        ("start.bin", "the checkpoint must not end in"),
        ("start.json", "the checkpoint must not end in"),
        ("start.safetensors", "the checkpoint must not end in"),
    ],
)
def test_a_place_that_is_none_is_one_line(
    name: str,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_folder(tmp_path / "source")
    (tmp_path / "there.ckpt").write_text("precious")
    assert main(["import", "source", name]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert said.startswith(line)
    assert {path.name for path in tmp_path.iterdir()} == {"source", "there.ckpt"}


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch, capsys)


QUIET = ("--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false")


@pytest.mark.parametrize("family", FAMILIES)
def test_an_imported_model_can_be_judged_as_any_other(
    family: Family, command: Command, tmp_path: Path
) -> None:
    path = imported(tmp_path, family)
    words = ("--data.corpus=toy", "--data.max_length=24", *QUIET)
    assert command("validate", f"--ckpt_path={path}", *words) == 0
    said = command.messages
    assert "val/masked_lm_loss" in said
    assert ("val/next_sentence_accuracy" in said) == (family == "bert")
    assert f"imported from {tmp_path / 'source'}" in said


def test_it_is_no_run_to_go_on_with(command: Command, tmp_path: Path) -> None:
    path = imported(tmp_path)
    line = command.refuses("fit", f"--ckpt_path={path}", "--data.corpus=toy", *QUIET)
    assert "--model.pretrained" in line
    assert str(tmp_path / "source") in line


def test_robertas_only_segment_makes_no_pairs(command: Command, tmp_path: Path) -> None:
    path = imported(tmp_path, "roberta")
    words = ("--data.corpus=toy", "--data.format=sentence-pair", "--data.max_length=24", *QUIET)
    line = command.refuses("validate", f"--ckpt_path={path}", *words)
    assert line.startswith("model.encoder.type_vocab_size must be 2 or more, got 1")


def test_what_judging_needs_is_asked_for(command: Command, tmp_path: Path) -> None:
    path = imported(tmp_path)
    line = command.refuses("validate", f"--ckpt_path={path}", *QUIET)
    assert line.startswith("data.corpus must name a text")
    words = ("--data.corpus=toy", *QUIET)
    line = command.refuses(
        "validate", f"--ckpt_path={path}", "--model.encoder.hidden_size=8", *words
    )
    assert line.startswith("model.encoder.hidden_size must be the checkpoint's 32")
    checkpoint = torch.load(path, weights_only=True)
    torch.save(checkpoint | {"tokenizer": None}, path)
    line = command.refuses("validate", f"--ckpt_path={path}", *words)
    assert line.startswith("ckpt_path must hold a tokenizer")
    (tmp_path / "other").mkdir()
    path = imported(tmp_path / "other", with_head=False)
    line = command.refuses("validate", f"--ckpt_path={path}", *words)
    assert line.startswith("ckpt_path must hold a masked-LM head")
    assert line.endswith("--model.pretrained.")
