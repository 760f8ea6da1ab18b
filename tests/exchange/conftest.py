"""One run of a few updates, and the command that exports it."""

from __future__ import annotations

import sys
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from lit_roberta.exchange import export_cli
from lit_roberta.training import cli as training_cli
from tests.exchange.commands import SAID, Exporter
from tests.training.commands import TINY


@pytest.fixture(scope="session")
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
