"""`lit-roberta prepare` in a process that counts what it does to files, and can be killed there.

Every file that is opened, renamed or deleted below a folder is a moment at which the disk is in
another state; the process ends itself, as SIGKILL does, right before the one that is asked for.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from lit_roberta.corpora.cli import main
from lit_roberta.data.corpus import runs, writing
from lit_roberta.data.preparation import encoding

_MOMENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir")
_SMALL = (
    (writing, "_BLOCK", 2000),
    (writing, "_SAVED", 10_000),
    (runs, "_BLOCK", 4000),
    (encoding, "_BLOCKS_SAVED", 2),
)


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "lit_roberta", "prepare", *words]


def prepare(root: Path, *words: str, kill_at: int | None = None) -> tuple[int, list[str]]:
    """Prepare in small blocks.

    Args:
        root: What is done to files below it counts.
        words: The arguments of the command.
        kill_at: Where to end; None for not at all.

    Returns:
        The exit status, and the file or folder of each moment, in order.
    """
    log = root.with_suffix(".log")
    asked = json.dumps({"root": str(root), "words": words, "kill_at": kill_at, "log": str(log)})
    process = subprocess.run([sys.executable, "-m", __name__, asked], capture_output=True)
    assert b"Traceback" not in process.stderr, process.stderr.decode()
    return process.returncode, log.read_text(encoding="utf-8").splitlines()


def snapshot(folder: Path) -> dict[str, bytes]:
    """Read all that a folder holds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _prepare_here(asked: dict[str, Any]) -> int:
    left = asked["kill_at"]
    with open(asked["log"], "w", encoding="utf-8") as log:  # noqa: PTH123

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal left
            if event not in _MOMENTS or not str(arguments[0]).startswith(asked["root"]):
                return
            if left == 0:
                log.flush()
                os.kill(os.getpid(), signal.SIGKILL)
            log.write(f"{arguments[0]}\n")
            left = None if left is None else left - 1

        for place, name, value in _SMALL:
            mock.patch.object(place, name, value).start()
        sys.addaudithook(hook)
        status = main(asked["words"])
        asked["root"] = "\0"
        return status


if __name__ == "__main__":
    sys.exit(_prepare_here(json.loads(sys.argv[1])))
