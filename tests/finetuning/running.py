"""Command lines of fine-tuning, one after the other in a process where no shape is checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]

_SCRIPT = """
import contextlib, io, json, sys
from lit_roberta.finetuning.train_cli import main

results = {}
for name, words in json.load(open(sys.argv[1])).items():
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        status = main(words)
    results[name] = [status, said.getvalue()]
json.dump(results, open(sys.argv[2], "w"))
"""


def run_all(folder: Path, commands: Mapping[str, list[str]]) -> dict[str, tuple[int, str]]:
    """Run `lit-roberta train` with each of some arguments.

    Args:
        folder: Where they run.
        commands: The arguments by a name.

    Returns:
        By that name: the exit status, and what was said.
    """
    asked, answer = folder / "asked.json", folder / "answer.json"
    asked.write_text(json.dumps(commands), encoding="utf-8")
    subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(asked), str(answer)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        check=True,
        timeout=900,
    )
    found: dict[str, tuple[int, str]] = json.loads(answer.read_text(encoding="utf-8"))
    return found
