from __future__ import annotations

import pytest

from tests.training.commands import TINY, Command


def test_a_profiler_that_is_asked_for_reports(
    command: Command, caplog: pytest.LogCaptureFixture
) -> None:
    words = ["--trainer.profiler=simple", "--trainer.max_steps=2"]
    assert command("fit", "--config=roberta", *TINY, *words) == 0, command.messages
    assert "PretrainingModule.on_before_optimizer_step" in caplog.text
