"""`lit-roberta export`, from checkpoints that training wrote."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import torch

from lit_roberta.exchange import export_cli
from lit_roberta.exchange.checkpoint import read_checkpoint
from lit_roberta.training import cli as training_cli
from tests.training.commands import TINY, Command

transformers = pytest.importorskip("transformers", reason="the export's reader is not installed")

CHECKPOINT = "runs/roberta/checkpoints/last.ckpt"
ROOT = Path(__file__).parents[2]


SAID = "said.txt"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run of a few updates, validated at its end, and what it said."""
    folder = tmp_path_factory.mktemp("run")
    said = StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stderr(said):
        patch.chdir(folder)
        patch.setattr(
            sys, "argv", ["train.py", "fit", "--config=roberta", *TINY, "--trainer.max_steps=4"]
        )
        assert training_cli.main() == 0
    (folder / SAID).write_text(said.getvalue(), encoding="utf-8")
    return folder


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


Exporter = Callable[..., tuple[int, str]]


@pytest.fixture
def export(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Exporter:
    """The command, in this process and in the folder of the run; gives status and messages."""
    monkeypatch.chdir(run)

    def call(*words: str | Path) -> tuple[int, str]:
        capsys.readouterr()
        status = export_cli.main(list(map(str, words)))
        return status, capsys.readouterr().err

    return call


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


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch, capsys)


# ---- what can't be done


def one_line(export: Exporter, *words: str | Path) -> str:
    status, messages = export(*words)
    assert status == 2, messages
    (line,) = messages.splitlines()
    return line


def test_what_can_not_be_done_is_one_line_and_leaves_nothing(
    export: Exporter, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    cut = tmp_path / "cut.ckpt"
    cut.write_bytes(Path(CHECKPOINT).read_bytes()[:5000])
    before = sorted(tmp_path.rglob("*"))
    out = tmp_path / "out"
    assert "be a checkpoint of this package" in one_line(export, cut, out)
    assert "the model must" in one_line(export, tmp_path / "nowhere.ckpt", out)
    assert "be a new or an empty folder" in one_line(export, CHECKPOINT, tmp_path / "file")
    assert "be writable" in one_line(export, CHECKPOINT, tmp_path / "file" / "below")
    assert "be writable" in one_line(export, CHECKPOINT, "/proc/out")
    assert "be a path" in one_line(export, CHECKPOINT, "a\0b")
    assert "family" in one_line(export, CHECKPOINT, out, "--family=gpt")
    assert "folder" in one_line(export, CHECKPOINT)
    assert "Did you mean --family" in one_line(export, CHECKPOINT, out, "--famly=bert")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_place_is_looked_at_before_the_model_is_read(export: Exporter, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    line = one_line(export, tmp_path / "nowhere.ckpt", tmp_path / "file")
    assert "the output must" in line


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_nothing_and_no_hindrance(
    run: Path, tmp_path: Path, number: signal.Signals
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _SLOW_CHECK, CHECKPOINT, str(tmp_path / "out")],
        cwd=run,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(number)
    _, messages = process.communicate(timeout=60)
    left = [path.name for path in tmp_path.iterdir()]
    if number == signal.SIGKILL:
        assert left == [".out.part"]
        assert export_cli.main([str(run / CHECKPOINT), str(tmp_path / "out")]) == 0
        assert [path.name for path in tmp_path.iterdir()] == ["out"]
        return
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143}[number]
    assert "Traceback" not in messages
    assert not left


_SLOW_CHECK = """
import sys, time
from lit_roberta.exchange import export_cli, exporting

def wait(*_):
    print("written", flush=True)
    time.sleep(60)

exporting.check_export = wait
sys.exit(export_cli.main(sys.argv[1:]))
"""
