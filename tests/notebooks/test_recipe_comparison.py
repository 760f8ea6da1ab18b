"""The example notebook runs from its first cell to its last."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "recipe_comparison.ipynb"


def cells(kind: str) -> list[str]:
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def test_it_has_the_eight_sections_in_their_order() -> None:
    headings = [line for text in cells("markdown") for line in text.splitlines()]
    sections = [line for line in headings if line.startswith("## ")]
    assert [line.split(".")[0] for line in sections] == [f"## {number}" for number in range(1, 9)]


@pytest.mark.slow
def test_every_cell_runs_in_the_fast_form(tmp_path: Path) -> None:
    script = tmp_path / "notebook.py"
    lines = "\n\n".join(cells("code")).splitlines()
    body = "\n".join(f"    {line}" for line in lines)
    # Other processes import the script as well, and must not run it.
    script.write_text(f'if __name__ == "__main__":\n{body}\n', encoding="utf-8")
    root = str(NOTEBOOK.parents[1])
    done = subprocess.run(
        [sys.executable, str(script)],
        env={**os.environ, "EPOCHS": "1", "MPLBACKEND": "Agg", "PYTHONPATH": root},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "of the training loss" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("frequencies alone: ")
