"""An export that can't be, or that was interrupted: one line, and nothing is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from lit_roberta.errors import UserError
from lit_roberta.exchange import export_cli, exporting
from tests.exchange.commands import CHECKPOINT, ROOT, Exporter
from tests.exchange.models import tiny_pretrained


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
    assert "the output must have a name, got ''" in one_line(export, CHECKPOINT, "")
    assert "the model must be a file or a folder, got ''" in one_line(export, "", out)
    assert "family" in one_line(export, CHECKPOINT, out, "--family=gpt")
    assert "FOLDER must be given." in one_line(export, CHECKPOINT)
    assert "Did you mean --family" in one_line(export, CHECKPOINT, out, "--famly=bert")
    assert sorted(tmp_path.rglob("*")) == before


def test_the_place_is_looked_at_before_the_model_is_read(export: Exporter, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    line = one_line(export, tmp_path / "nowhere.ckpt", tmp_path / "file")
    assert "the output must" in line


@pytest.mark.parametrize("value", [torch.nan, torch.inf])
def test_a_model_that_diverged_is_refused_also_where_nothing_checks_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: float
) -> None:
    monkeypatch.setattr(exporting, "check_export", lambda *_: None)  # as without transformers
    model = tiny_pretrained("RobertaForMaskedLM")
    broken = {name: weight.clone() for name, weight in model.weights.items()}
    broken["masked_lm_head.bias"][3] = value
    with pytest.raises(UserError, match=r"be finite in lm_head\.bias"):
        exporting.export(replace(model, weights=broken), tmp_path / "out")
    assert not list(tmp_path.iterdir())


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
        # A suite that runs behind a shell's `&` ignores SIGINT, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "written\n"
    process.send_signal(number)
    _, messages = process.communicate(timeout=60)
    left = sorted(path.name for path in tmp_path.iterdir())
    if number == signal.SIGKILL:
        assert left == [".out.lock", ".out.part"]
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
