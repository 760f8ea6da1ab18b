"""The real command line on the bundled corpus, at the smallest size."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from lit_roberta.finetuning.train_cli import main

TINY = (
    "--model.encoder.hidden_size=16",
    "--model.encoder.num_hidden_layers=1",
    "--model.encoder.num_attention_heads=2",
    "--model.encoder.intermediate_size=32",
    "--model.encoder.max_position_embeddings=64",
    "--trainer.accelerator=cpu",
    "--trainer.enable_progress_bar=false",
)


class Command:
    """`python train.py ...`, run in this process and in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self.messages = ""

    def __call__(self, *words: str) -> int:
        """Run it; keep what it says."""
        self._monkeypatch.setattr(sys, "argv", ["train.py", *words])
        self._capsys.readouterr()
        try:
            return main()
        finally:
            self.messages = self._capsys.readouterr().err

    def refuses(self, *words: str) -> str:
        """Run what can't be done; give the one line that says so."""
        assert self(*words) == 2
        lines = [line for line in self.messages.splitlines() if line]
        assert "Traceback" not in self.messages
        return lines[-1]
