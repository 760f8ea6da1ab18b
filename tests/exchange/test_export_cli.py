"""`lit-roberta export`, from checkpoints that training wrote."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.exchange import export_cli
from lit_roberta.exchange.checkpoint import read_checkpoint
from lit_roberta.exchange.exporting import export as export_model
from tests.exchange.commands import CHECKPOINT, ROOT, SAID, Exporter
from tests.exchange.models import tiny_pretrained
from tests.training.commands import TINY, Command

transformers = pytest.importorskip("transformers", reason="the export's reader is not installed")


def lit_roberta(folder: Path, *words: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "lit_roberta", *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def card_of(folder: Path) -> str:
    return (folder / "README.md").read_text(encoding="utf-8")


def table_of(card: str) -> dict[str, str]:
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", card, flags=re.MULTILINE)
    return dict(rows)


# ---- what is written


def test_it_says_what_was_written_and_what_was_checked(export: Exporter, tmp_path: Path) -> None:
    status, messages = export(CHECKPOINT, tmp_path / "out")
    assert status == 0, messages
    assert f"RobertaForMaskedLM in {tmp_path / 'out'}." in messages
    assert "every weight was found" in messages
    assert "row 1 of embeddings.segment.weight" in messages
    names = {"README.md", "config.json", "model.safetensors", "tokenizer.json"}
    names |= {"tokenizer_config.json", "training_config.yaml"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names


def test_the_card_has_the_figures_of_the_run(export: Exporter, run: Path, tmp_path: Path) -> None:
    assert export(CHECKPOINT, tmp_path / "out")[0] == 0
    checkpoint = torch.load(run / CHECKPOINT, weights_only=True)
    card = card_of(tmp_path / "out")
    table = table_of(card)
    assert checkpoint["conditions"]["text"] in table["corpus"]
    assert table["updates"] == "4 of 4"
    assert table["sequences"] == f"{4 * 64}"
    assert table["tokens"].startswith(f"{checkpoint['num_tokens']:,}")
    said = (run / SAID).read_text(encoding="utf-8")
    (loss,) = re.findall(r"Validation loss ([\d.]+) nats", said)
    assert table["validation"].startswith(f"{loss} nats per masked token")
    assert table["test"] == "not measured"
    assert table["positions"] == "64"
    assert table["machine"].startswith("1 process, ")
    config = (run / "runs/roberta/config.yaml").read_bytes()
    assert (tmp_path / "out" / "training_config.yaml").read_bytes() == config


def test_the_code_of_the_card_runs(
    export: Exporter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert export(CHECKPOINT, tmp_path / "out")[0] == 0
    (code,) = re.findall(r"```python\n(.+?)```", card_of(tmp_path / "out"), flags=re.DOTALL)
    monkeypatch.chdir(tmp_path / "out")
    names: dict[str, Any] = {}
    exec(code, names)
    ids = names["tokenizer"]("The dog [MASK].", return_tensors="pt")
    assert names["model"](**ids).logits.shape[-1] == len(names["tokenizer"])


@pytest.mark.slow
def test_the_command_of_the_card_makes_the_run_again(
    export: Exporter, run: Path, tmp_path: Path
) -> None:
    assert export(CHECKPOINT, tmp_path / "out")[0] == 0
    (command,) = re.findall(r"```\nlit-roberta (.+?)\n```", card_of(tmp_path / "out"))
    lit_roberta(tmp_path / "out", *command.split())
    again = read_checkpoint(tmp_path / "out/reproduced/checkpoints/last.ckpt")
    for name, weight in read_checkpoint(run / CHECKPOINT).weights.items():
        assert torch.equal(again.weights[name], weight), name


def test_what_is_not_known_is_said_to_be_so(export: Exporter, run: Path, tmp_path: Path) -> None:
    checkpoint = torch.load(run / CHECKPOINT, weights_only=True)
    del checkpoint["num_sequences"]  # as before it was stored
    checkpoint["callbacks"] = {}
    torch.save(checkpoint, tmp_path / "moved.ckpt")
    assert export(tmp_path / "moved.ckpt", tmp_path / "out")[0] == 0
    table = table_of(card_of(tmp_path / "out"))
    assert table["sequences"] == "not recorded"
    assert table["validation"] == "not measured"
    assert "was not beside its checkpoint" in card_of(tmp_path / "out")


def test_a_compiled_model_is_the_same_model(export: Exporter, run: Path, tmp_path: Path) -> None:
    checkpoint = torch.load(run / CHECKPOINT, weights_only=True)
    checkpoint["state_dict"] = {
        name.replace("model.", "model._orig_mod.", 1): weight
        for name, weight in checkpoint["state_dict"].items()
    }
    torch.save(checkpoint, tmp_path / "compiled.ckpt")
    assert export(tmp_path / "compiled.ckpt", tmp_path / "compiled")[0] == 0
    assert export(CHECKPOINT, tmp_path / "plain")[0] == 0
    weights = [tmp_path / name / "model.safetensors" for name in ("compiled", "plain")]
    assert weights[0].read_bytes() == weights[1].read_bytes()


def test_an_exported_folder_can_be_exported_to_the_other_family(
    export: Exporter, tmp_path: Path
) -> None:
    assert export(CHECKPOINT, tmp_path / "out")[0] == 0
    status, messages = export(tmp_path / "out", tmp_path / "bert", "--family=bert")
    assert status == 0
    assert "BertForMaskedLM in" in messages
    assert "Not trained here" in card_of(tmp_path / "bert")


def test_positions_that_training_never_saw_are_not_offered(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("fit", "--config=roberta", *TINY, "--trainer.max_steps=1", "--data.max_length=40")
    assert command(*words) == 0, command.messages
    assert export_cli.main([CHECKPOINT, "out"]) == 0
    assert "cuts at 40 tokens" in capsys.readouterr().err
    assert transformers.AutoTokenizer.from_pretrained("out").model_max_length == 40


def test_a_model_that_was_trained_elsewhere_first_keeps_its_length(
    command: Command, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export_model(tiny_pretrained("RobertaForMaskedLM"), tmp_path / "there")
    words = ("fit", "--config=roberta", "--model.pretrained=there", "--data.max_length=16")
    cpu = ("--trainer.accelerator=cpu", "--trainer.enable_progress_bar=false")
    assert command(*words, *cpu, "--trainer.max_steps=1") == 0, command.messages
    assert export_cli.main([CHECKPOINT, "out"]) == 0
    assert "cuts at" not in capsys.readouterr().err
    assert transformers.AutoTokenizer.from_pretrained("out").model_max_length == 24
    table = table_of(card_of(Path("out")))
    assert table["started from"] == "`there`"
    assert " nats per masked token" in table["validation before the first update"]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch, capsys)
