"""Two processes that write to one place at once: one writes all of it, the other says why not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.inference.models import write_model
from tests.inference.pipeline import ROOT, TIMEOUT

pytestmark = pytest.mark.slow

COMMANDS = {
    "export": ["export", "MODEL", "OUTPUT"],
    "export into a folder": ["export", "MODEL", "OUTPUT"],
    "import": ["import", "MODEL", "OUTPUT.ckpt"],
    "encode": ["encode", "MODEL", "--input", "TEXT", "--output", "OUTPUT.npy"],
    "score": ["score", "MODEL", "--input", "TEXT", "--output", "OUTPUT.jsonl"],
}


def start(command: str, folder: Path) -> subprocess.Popen[str]:
    """Start a command that waits for a line before it begins."""
    folder.mkdir(exist_ok=True)
    if command.endswith("into a folder"):
        (folder / "out").mkdir(exist_ok=True)
    places = {"MODEL": "../model.ckpt", "TEXT": "../text"}
    words = [places.get(word, word).replace("OUTPUT", "out") for word in COMMANDS[command]]
    return subprocess.Popen(
        [sys.executable, "-c", _WAITING, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("command", COMMANDS)
def test_of_two_at_once_one_writes_all_and_the_other_is_no_hindrance(
    tmp_path: Path, command: str
) -> None:
    write_model(tmp_path / "model.ckpt")
    (tmp_path / "text").write_text("I love you.\n" * 2000, encoding="utf-8")
    alone, *pair = (start(command, tmp_path / name) for name in ("alone", "both", "both"))
    for process in (alone, *pair):
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    _, said = alone.communicate("go\n", timeout=TIMEOUT)
    assert alone.returncode == 0, said
    for process in pair:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in pair:
        _, said = process.communicate(timeout=TIMEOUT)
        assert process.returncode in (0, 2), said
        if process.returncode:
            (line,) = said.splitlines()
            assert " must be " in line
    assert 0 in [process.returncode for process in pair]
    assert contents(tmp_path / "both") == contents(tmp_path / "alone")


_WAITING = """
import importlib, sys
from lit_roberta.__main__ import _COMMANDS, main

importlib.import_module(_COMMANDS[sys.argv[1]][0])
print("ready", flush=True)
sys.stdin.readline()
sys.exit(main(sys.argv[1:]))
"""
