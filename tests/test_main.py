from __future__ import annotations

import importlib
import subprocess
import sys
from types import SimpleNamespace

import pytest

from lit_roberta.__main__ import _COMMANDS, main
from lit_roberta.training import cli


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("command", ["train", "plan", "compare"])
def test_ctrl_c_while_the_program_is_still_loading_is_no_traceback(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib, "import_module", interrupted)
    assert main([command]) == 130
    assert capsys.readouterr().err == "Interrupted before anything began.\n"


def test_ctrl_c_behind_a_failing_clean_up_is_still_ctrl_c(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def clean_up(*_: object) -> SimpleNamespace:
        try:
            interrupted()
        finally:
            raise RuntimeError("Please call `iter(combined_loader)` first.")

    monkeypatch.setattr(cli, "run", clean_up)
    assert main(["train", "fit"]) == 130
    assert "there is nothing to save" in capsys.readouterr().err


def test_a_fault_of_ours_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(cli, "run", fail)
    with pytest.raises(RuntimeError, match="ours"):
        main(["train", "fit"])


def test_an_unknown_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trian"]) == 2
    assert f"must be one of {', '.join(_COMMANDS)}, got 'trian'" in capsys.readouterr().err


def test_commands_that_use_a_model_wait_for_nothing_that_trains_one() -> None:
    commands = ["inference.fill_mask_cli", "inference.encode_cli", "inference.score_cli"]
    modules = [f"lit_roberta.{name}" for name in (*commands, "finetuning.predict_cli")]
    slow = ("pytorch_lightning", "lightning_fabric", "torchmetrics", "transformers")
    code = f"import sys, {', '.join(modules)}; print(*sys.modules.keys() & {set(slow)})"
    words = [sys.executable, "-c", code]
    found = subprocess.run(words, capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
