from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.data.preparation.killing import command, prepare, snapshot

FILES = 12


def write_corpus(folder: Path, *, copies: int = 1) -> str:
    """Write files of documents, about 5 kB each."""
    folder.mkdir(parents=True)
    for number in range(FILES):
        documents = [
            f"The ship {number} left harbour {place} early.\nNobody saw captain {place * number}."
            for place in range(70 * copies)
        ]
        (folder / f"{number:02}.txt").write_text("\n\n".join(documents), encoding="utf-8")
    return str(folder)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_corpus(tmp_path_factory.mktemp("text") / "corpus")


@pytest.fixture(scope="module")
def whole(corpus: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """What an uninterrupted command makes, and how many moments it has."""
    root = tmp_path_factory.mktemp("whole") / "root"
    status, touched = prepare(root, *words(corpus, root))
    assert status == 0
    assert names_in(root) <= {"out", ".out.lock"}
    return snapshot(root / "out"), len(touched)


def words(corpus: str, root: Path, *more: str, workers: int = 0) -> list[str]:
    output = str(root / "out")
    return ["--corpus", corpus, "--output", output, f"--workers={workers}", *more]


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def kill_and_go_on(corpus: str, root: Path, whole: tuple[dict[str, bytes], int], at: int) -> None:
    expected, _ = whole
    status, _ = prepare(root, *words(corpus, root), kill_at=at)
    assert status == -signal.SIGKILL
    if (root / "out").exists():
        assert snapshot(root / "out") == expected
    status, _ = prepare(root, *words(corpus, root))
    assert status == 0
    assert snapshot(root / "out") == expected
    assert names_in(root) <= {"out", ".out.lock"}


@pytest.mark.parametrize("share", [0.4, 0.99])
def test_a_command_that_was_killed_goes_on_to_the_same_bytes(
    corpus: str, whole: tuple[dict[str, bytes], int], share: float, tmp_path: Path
) -> None:
    kill_and_go_on(corpus, tmp_path / "root", whole, int(share * whole[1]))


@pytest.mark.slow
def test_no_moment_leaves_half_a_folder(
    corpus: str, whole: tuple[dict[str, bytes], int], tmp_path: Path
) -> None:
    last = whole[1] - 1
    for at in sorted({*range(0, last, 9), *range(last - 12, last + 1)}):
        kill_and_go_on(corpus, tmp_path / f"root{at}", whole, at)


def test_what_was_read_before_a_kill_is_not_read_again(tmp_path: Path) -> None:
    root = tmp_path / "root"
    corpus = write_corpus(root / "corpus")  # below the root, so that reading it counts
    files = [f"{corpus}/{number:02}.txt" for number in range(FILES)]
    status, moments = prepare(root, *words(corpus, root / "whole"))
    assert status == 0
    times = Counter(moments)
    assert {times[name] for name in files} == {3}  # for its hash, its layout, its text
    place = [number for number, name in enumerate(moments) if name == files[-1]][-1]
    status, _ = prepare(root, *words(corpus, root / "killed"), kill_at=place)
    assert status == -signal.SIGKILL
    status, moments = prepare(root, *words(corpus, root / "killed"))
    assert status == 0
    times = Counter(moments)
    read_again = [name for name in files if times[name] == 3]
    assert files[-1] in read_again
    assert len(read_again) <= 4
    assert snapshot(root / "killed" / "out") == snapshot(root / "whole" / "out")


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """List the processes that work for one, as soon as there are two."""
    for _ in range(1000):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        found = [
            int(child)
            for task in children.parent.parent.iterdir()
            for child in (task / "children").read_text().split()
        ]
        if len(found) == 2:
            return found
        assert process.poll() is None, "it ended before it had workers"
        time.sleep(0.01)
    raise AssertionError("no workers were started")


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads /proc")
@pytest.mark.parametrize("hit", [signal.SIGINT, signal.SIGKILL, signal.SIGTERM])
def test_workers_do_not_outlive_the_command(hit: signal.Signals, tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", copies=60)
    process = subprocess.Popen(
        command(*words(corpus, tmp_path, workers=2)),
        stderr=subprocess.PIPE,
        start_new_session=True,
        # A suite that runs behind a shell's `&` ignores SIGINT, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    workers = workers_of(process)
    os.killpg(process.pid, hit)  # as a terminal and a scheduler do
    _, messages = process.communicate(timeout=60)
    if hit == signal.SIGINT:
        assert process.returncode == 130
        assert messages.decode().splitlines() == [
            "Interrupted. The same command goes on from here."
        ]
    else:
        assert process.returncode == -hit
        assert not messages
    limit = time.monotonic() + 30
    while any(map(is_running, workers)):
        assert time.monotonic() < limit, "workers are left"
        time.sleep(0.02)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_commands_that_are_killed_at_random_come_to_the_same_end(tmp_path: Path) -> None:
    corpus = write_corpus(tmp_path / "corpus", copies=60)
    asked = command(*words(corpus, tmp_path / "whole", workers=0))
    start = time.monotonic()
    subprocess.run(asked, check=True, capture_output=True)
    duration = time.monotonic() - start
    draw = random.Random(0)
    for number in range(20):
        root = tmp_path / f"killed{number % 2}"
        process = subprocess.Popen(
            command(*words(corpus, root, workers=number % 2 * 2)), stderr=subprocess.DEVNULL
        )
        time.sleep(draw.uniform(0, duration))
        process.kill()
        process.wait()
        if (root / "out").exists():
            assert snapshot(root / "out") == snapshot(tmp_path / "whole" / "out")
    for workers in (0, 2):
        root = tmp_path / f"killed{workers // 2}"
        subprocess.run(
            command(*words(corpus, root, workers=workers)), check=True, capture_output=True
        )
        assert snapshot(root / "out") == snapshot(tmp_path / "whole" / "out")
