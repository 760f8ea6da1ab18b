from __future__ import annotations

import os
import pickle
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from lit_roberta.data import work
from lit_roberta.data.work import ordered_map
from lit_roberta.errors import UserError
from tests.data import jobs


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """All processes that were started; none may be left, not even as a zombie."""
    started: list[subprocess.Popen[bytes]] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, *arguments: object, **settings: object) -> None:
            super().__init__(*arguments, **settings)  # type: ignore[call-overload]
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    yield started
    for process in started:
        assert process.returncode is not None
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


@pytest.mark.parametrize("workers", [0, 1, 3])
def test_results_come_in_the_order_of_items(workers: int) -> None:
    assert list(ordered_map(jobs.double, range(30), workers=workers)) == list(range(0, 60, 2))
    assert list(ordered_map(jobs.double, [], workers=workers)) == []


def test_all_processes_work_and_none_is_this_one() -> None:
    found = set(ordered_map(jobs.process_of, range(20), workers=2))
    assert len(found) == 2
    assert os.getpid() not in found


def test_what_a_library_prints_does_not_mix_with_results(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert list(ordered_map(jobs.talk, [1, 2000, 3], workers=1)) == [1, 2000, 3]
    assert capfd.readouterr().err.count("what a library prints") == 2004


@pytest.mark.parametrize("workers", [1, 2])
def test_few_items_are_in_flight(workers: int) -> None:
    taken = 0

    def items() -> Iterator[bytes]:
        nonlocal taken
        for _ in range(50):
            taken += 1
            yield bytes(1 << 18)  # more than a pipe holds

    for done, _ in enumerate(ordered_map(len, items(), workers=workers), start=1):
        assert taken - done <= 2 * workers


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_an_error_of_the_users_comes_through(workers: int) -> None:
    results = ordered_map(jobs.fail_at_three, range(100), workers=workers)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(UserError, match="three must not be"):
        next(results)


def test_a_fault_of_ours_comes_with_its_place() -> None:
    with pytest.raises(RuntimeError, match=r"(?s)failed:.*jobs\.py.*IndexError"):
        list(ordered_map(jobs.break_at_three, range(100), workers=2))


@pytest.mark.parametrize("job", [jobs.die_at_three, jobs.exit_at_three])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_process_that_dies_is_an_error(job: Callable[[int], int], workers: int) -> None:
    with pytest.raises(RuntimeError, match=r"A process that worked on the text died\."):
        list(ordered_map(job, range(100), workers=workers))


def test_an_error_where_items_come_from_ends_the_processes() -> None:
    def items() -> Iterator[int]:
        yield 1  # the processes are still starting when the next one fails
        raise UserError("no second item")

    for _ in range(5):
        with pytest.raises(UserError, match="no second item"):
            list(ordered_map(jobs.wait, items(), workers=2))


def test_who_stops_early_leaves_no_process(started: list[subprocess.Popen[bytes]]) -> None:
    results = ordered_map(jobs.double, range(1000), workers=2)
    assert next(results) == 0
    assert len(started) == 2
    start = time.monotonic()
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert time.monotonic() - start < 30


def test_modules_of_the_current_folder_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pickle.py").write_text("raise SystemExit('the wrong module')")
    (tmp_path / "numpy.py").write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    assert list(ordered_map(jobs.double, [1], workers=1)) == [2]


def test_a_function_is_sent_once(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[bytes] = []
    send = work._send_bytes

    def note(pipe: IO[bytes], data: bytes) -> None:
        sent.append(data)
        send(pipe, data)

    monkeypatch.setattr(work, "_send_bytes", note)
    list(ordered_map(jobs.double, range(10), workers=1))
    assert sent.count(pickle.dumps(jobs.double)) == 1
    assert len(sent) == 11
