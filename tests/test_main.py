from __future__ import annotations

import importlib
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
