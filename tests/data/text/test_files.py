from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
import zstandard
from pyarrow import parquet

from lit_roberta.data.text.decoding import read_lines
from lit_roberta.data.text.files import FileState
from lit_roberta.data.text.reading import ReadingConfig
from lit_roberta.errors import UserError
from tests.data.corpus.on_disk import read

TEXTS = ["The cat sat.\nIt slept.", 'A dog, "Rex", ran.\n\nIt barked.', "\u00c9t\u00e9."]


def _separated(delimiter: str) -> bytes:
    file = io.StringIO(newline="")
    rows = csv.writer(file, delimiter=delimiter)
    rows.writerows([["id", "text"], *enumerate(text.replace("\n", "\r\n") for text in TEXTS)])
    return file.getvalue().encode()


def _parquet() -> bytes:
    file = io.BytesIO()
    table = pyarrow.table({"text": TEXTS, "id": range(len(TEXTS))})
    parquet.write_table(table, file, row_group_size=2)
    return file.getvalue()


KINDS: dict[str, Callable[[], bytes]] = {
    ".jsonl": lambda: "\n".join(json.dumps({"text": text}) for text in TEXTS).encode(),
    ".csv": lambda: _separated(","),
    ".tsv": lambda: _separated("\t"),
    ".parquet": _parquet,
}
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
}
DOCUMENTS = [[line for line in text.split("\n") if line] for text in TEXTS]


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_of_every_kind_are_the_same_documents(tmp_path: Path, kind: str, packed: str) -> None:
    path = tmp_path / f"a{kind.upper()}{packed}"
    path.write_bytes(PACKED[packed](KINDS[kind]()))
    assert read(path).documents == DOCUMENTS


@pytest.mark.parametrize("packed", PACKED)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-32"])
def test_text_of_every_encoding_is_the_same(tmp_path: Path, encoding: str, packed: str) -> None:
    path = tmp_path / f"a.txt{packed}"
    path.write_bytes(PACKED[packed]("caf\u00e9\r\nsecond\rthird".encode(encoding)))
    reading = ReadingConfig(encoding=encoding.removesuffix("-sig"))
    assert list(read_lines(path, reading)) == ["caf\u00e9", "second", "third"]


def test_a_folder_may_hold_all_kinds(tmp_path: Path) -> None:
    for kind, content in KINDS.items():
        for packed, pack in PACKED.items():
            (tmp_path / f"a{kind}{packed}").write_bytes(pack(content()))
    for packed, pack in PACKED.items():
        (tmp_path / f"b.txt{packed}").write_bytes(pack(b"Plain text."))
    corpus = read(tmp_path)
    assert len(set(corpus.sources)) == 15
    assert corpus.documents == 12 * DOCUMENTS + 3 * [["Plain text."]]


@pytest.mark.parametrize("packed", [".gz", ".zst"])
def test_what_was_packed_in_pieces_is_whole(tmp_path: Path, packed: str) -> None:
    lines = [f"line {number} {'x' * 40}" for number in range(20_000)]
    pieces = [PACKED[packed]("".join(f"{line}\n" for line in part).encode()) for part in (
        lines[:9999], [], lines[9999:]
    )]  # fmt: skip
    path = tmp_path / f"a.txt{packed}"
    path.write_bytes(b"".join(pieces))
    assert list(read_lines(path, ReadingConfig())) == lines


def _cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _without_end(data: bytes) -> bytes:
    return data[:-3]


def _damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return (
        data[:middle]
        + bytes(255 - byte for byte in data[middle : middle + 40])
        + data[middle + 40 :]
    )


def _with_a_cut_piece(data: bytes) -> bytes:
    return data + data[:-2]


def _not_packed(data: bytes) -> bytes:
    return b"Just text.\n" * 100


@pytest.mark.parametrize("spoil", [_cut, _without_end, _damaged, _with_a_cut_piece, _not_packed])
@pytest.mark.parametrize("kind", ["a.txt", "a.jsonl", "a.csv", "a.parquet"])
@pytest.mark.parametrize("packed", [".gz", ".zst"])
def test_a_packed_file_that_is_not_whole_is_named(
    tmp_path: Path, packed: str, kind: str, spoil: Callable[[bytes], bytes]
) -> None:
    content = os.urandom(60_000).hex().encode()
    path = tmp_path / f"{kind}{packed}"
    if kind != "a.txt":
        content = KINDS[path.suffixes[0]]() + (b"" if "parquet" in kind else b"\n")
    # A checksum, which the damaged ones need to be known for what they are.
    pack = zstandard.ZstdCompressor(write_checksum=True).compress
    path.write_bytes(spoil(gzip.compress(content) if packed == ".gz" else pack(content)))
    with pytest.raises(UserError) as caught:
        read(path)
    message = str(caught.value)
    assert message.startswith(f"{path} must be a whole {packed} file, got one that is damaged or")
    assert "\n" not in message


def test_an_edit_at_the_same_size_and_time_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    state = FileState.of(path)
    assert state.still_holds()
    before = path.stat()
    path.write_text("two")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_mtime_ns == state.mtime_ns
    assert not state.still_holds()
    path.write_text("one")
    assert state.still_holds()
    path.unlink()
    assert not state.still_holds()


def test_what_is_written_while_it_is_hashed_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_text("one")
    digest = hashlib.file_digest

    def late(*arguments: Any) -> Any:
        found = digest(*arguments)
        path.write_text("two")
        return found

    monkeypatch.setattr(hashlib, "file_digest", late)
    state = FileState.of(path)
    monkeypatch.undo()
    assert not state.still_holds()
