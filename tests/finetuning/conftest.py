from __future__ import annotations

from pathlib import Path

import pytest

from tests.inference.models import write_model
from tests.training.commands import Command


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """The command line, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Command(tmp_path, monkeypatch, capsys)


@pytest.fixture
def pretrained(tmp_path: Path) -> Path:
    """The checkpoint of a tiny model that nobody trained."""
    return write_model(tmp_path / "pretrained.ckpt")
