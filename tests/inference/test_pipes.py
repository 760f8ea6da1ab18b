"""Standard input and output, between other programs: lines in, lines of JSON out."""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

from lit_roberta.errors import UserError
from lit_roberta.inference import encode_cli, fill_mask_cli, inputs, score_cli
from lit_roberta.inference.pipes import exit_status_in_pipe, write_line
from tests.inference.models import write_model
from tests.inference.pipeline import TIMEOUT, start


def lines_of(*chunks: bytes) -> io.TextIOWrapper:
    """Stand in for standard input that hands out these pieces."""

    class Pieces(io.BytesIO):
        def __init__(self, pieces: Sequence[bytes]) -> None:
            super().__init__()
            self.pieces = list(pieces)

        def read1(self, size: int | None = -1) -> bytes:
            return self.pieces.pop(0) if self.pieces else b""

    return io.TextIOWrapper(Pieces(chunks))


def test_standard_input_is_cut_into_lines_wherever_its_pieces_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "\ufeffcaf\u00e9\r\n\r\nI love\u2028you\rso\n\nlast"
    expected = ["caf\u00e9", "", "I love\u2028you", "so", "", "last"]
    for size in (1, 2, 3, 7, 100):
        data = text.encode()
        chunks = [data[at : at + size] for at in range(0, len(data), size)]
        monkeypatch.setattr(sys, "stdin", lines_of(*chunks))
        assert [line for window in inputs.read_windows("-") for line in window] == expected


def test_a_long_line_takes_time_by_its_length_however_it_arrives(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """4 MB in small pieces: no time, and some 10 s where each is put to all others."""
    pieces = [b"a" * 512] * 8000
    monkeypatch.setattr(sys, "stdin", lines_of(*pieces, b"\nb"))
    start = time.monotonic()
    (long,), (short,) = inputs.read_windows("-")
    assert time.monotonic() - start < 5
    assert (len(long), short) == (512 * 8000, "b")


@pytest.mark.parametrize(
    ("data", "words"), [(b"a\nb\0", "a NUL character"), (b"a\ncaf\xe9\n", "got byte 0xE9")]
)
def test_standard_input_that_is_no_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, data: bytes, words: str
) -> None:
    monkeypatch.setattr(sys, "stdin", lines_of(data))
    with pytest.raises(UserError, match=words):
        list(inputs.read_windows("-"))


def test_a_closed_input_and_a_full_output_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UserError, match="standard input must be open"):
        list(inputs.read_windows("-"))
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(UserError, match="No space left"):
            write_line("a line")


class Full(io.StringIO):
    """A stream on a disk that is full."""

    def write(self, text: str) -> int:
        raise OSError(28, "No space left on device")


def test_closed_outputs_are_one_line_and_no_failure_of_what_does_not_need_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert exit_status_in_pipe(lambda: None) == 0
    assert exit_status_in_pipe(lambda: write_line("a line")) == 2
    assert capsys.readouterr().err.startswith("standard output must be open, got 'a closed one'")
    monkeypatch.setattr(sys, "stderr", None)
    assert exit_status_in_pipe(lambda: write_line("a line")) == 2
    monkeypatch.setattr(sys, "stderr", Full())
    assert exit_status_in_pipe(lambda: write_line("a line")) == 2


def pipe_of(data: bytes) -> str:
    """Name a pipe, as a shell does for `<(...)`: what is in it comes once."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return f"/dev/fd/{reading}"


def test_a_pipe_with_a_name_is_read_once() -> None:
    source = pipe_of(b"a\nb\n")
    inputs.check_input(source)
    assert inputs.count_texts(source) is None
    assert list(inputs.read_windows(source)) == [["a", "b"]]


@pytest.mark.parametrize("data", [b"a\nb\0\n", b"a\ncaf\xe9\n"])
def test_a_pipe_that_holds_no_text_is_one_line(data: bytes) -> None:
    with pytest.raises(UserError, match="must be utf-8 text without NUL characters"):
        list(inputs.read_windows(pipe_of(data)))


@pytest.mark.parametrize("command", [encode_cli, score_cli, fill_mask_cli])
def test_no_text_at_all_is_said(
    command: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path, source = write_model(tmp_path / "model.ckpt"), tmp_path / "none.txt"
    source.touch()
    monkeypatch.setattr(sys, "stdin", lines_of())
    is_filling = command is fill_mask_cli
    for given in ["-"] if is_filling else ["-", str(source)]:
        words = [given] if is_filling else ["--input", given]
        assert command.main([str(path), *words]) == 0
        name = "standard input" if given == "-" else given
        assert capsys.readouterr() == ("", f"There was no text in {name}.\n")


@pytest.mark.slow
def test_a_line_that_goes_into_a_pipe_comes_out_before_the_next(tmp_path: Path) -> None:
    path = write_model(tmp_path / "model.ckpt")
    process = start("encode", str(path), "--input", "-")
    assert process.stdin is not None
    assert process.stdout is not None
    for text in ("I love you.", "", "tea"):
        process.stdin.write(text.encode() + b"\n")
        process.stdin.flush()
        row = json.loads(process.stdout.readline())
        assert row["text"] == text
        assert len(row["vector"]) == 32
    out, err = process.communicate(timeout=TIMEOUT)
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["encode", "fill-mask"])
def test_a_reader_that_has_enough_ends_the_command_quietly(tmp_path: Path, command: str) -> None:
    path = write_model(tmp_path / "model.ckpt")
    words = ["--input", "-"] if command == "encode" else ["-", "--json"]
    process = start(command, str(path), *words)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"I <mask> you.\n" * 4000)
    process.stdin.close()
    assert json.loads(process.stdout.readline())["text"] == "I <mask> you."
    process.stdout.close()
    assert process.wait(TIMEOUT) == 141
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.slow
def test_a_command_that_is_told_to_end_leaves_nothing(tmp_path: Path) -> None:
    path, output = write_model(tmp_path / "model.ckpt"), tmp_path / "vectors.npy"
    process = start("encode", str(path), "--input", "-", "--output", str(output))
    assert process.stdin is not None
    process.stdin.write(b"I love you.\n")
    process.stdin.flush()
    deadline = time.monotonic() + TIMEOUT
    while not list(tmp_path.glob(".vectors*")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    process.terminate()
    process.communicate(timeout=TIMEOUT)
    assert process.returncode == 143
    assert list(tmp_path.iterdir()) == [path]
