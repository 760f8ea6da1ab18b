"""Fixtures of everything that is said of runs."""

from __future__ import annotations

from typing import IO, Any

import pytest
from matplotlib.figure import Figure


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Save pictures with nothing in them: drawing takes most of a report's time."""

    def savefig(figure: Figure, place: IO[Any], *, format: str, **settings: object) -> None:
        place.write('<svg viewBox="0 0 1 1"></svg>' if format == "svg" else b"")

    monkeypatch.setattr(Figure, "savefig", savefig)
