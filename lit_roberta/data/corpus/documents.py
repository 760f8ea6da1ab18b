"""Documents on disk: their sentences one after the other, and a table of what is known of each.

No step of reading holds a corpus in memory. Text is written once, in the order of the corpus; a
table with a row for each document says where it starts and what it is. Sentences hold no line end,
so that a newline behind each one is all the structure that text needs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple

import numpy as np
from jaxtyping import Integer, Shaped

from lit_roberta.data.corpus.runs import Run, read_runs
from lit_roberta.data.text.reading import Document
from lit_roberta.data.text.splitting import DIGEST_SIZE, DocumentHash, Piece

ROW = np.dtype(
    [
        ("start", "<i8"),  # bytes
        ("words", "<i8"),
        ("sentences", "<i8"),
        ("file", "<i8"),
        ("content", f"V{DIGEST_SIZE}"),
        ("folded", f"V{DIGEST_SIZE}"),
    ]
)
"""What is known of a document."""

_TEXT, _TABLE = "text", "documents"


class Sizes(NamedTuple):
    """How far documents have been written."""

    text: int
    """Bytes."""
    documents: int


@dataclass(frozen=True)
class Documents:
    """The documents of a corpus, on disk."""

    text: Path
    rows: Shaped[np.ndarray, " documents"]
    """Of type ROW."""
    stops: Integer[np.ndarray, " documents"]
    """Where each document stops, in bytes."""

    @classmethod
    def open(cls, folder: Path) -> Documents:
        """Open what a `DocumentWriter` wrote."""
        text = folder / _TEXT
        rows = _map_rows(folder / _TABLE)
        return cls(text, rows, np.append(rows["start"], text.stat().st_size)[1:])

    def __len__(self) -> int:
        return len(self.rows)

    def runs(self, *, first: int = 0) -> Iterator[Run]:
        """Read runs of some megabyte, from a document on; a longer document comes in parts."""
        return read_runs(self.text, self.rows["start"], self.stops, first=first)

    def __iter__(self) -> Iterator[Document]:
        document: Document = []
        for run in self.runs():
            for number, text in enumerate(run.texts()):
                if document and (number or run.begins):
                    yield document
                    document = []
                document += text.decode().split("\n")[:-1]
        if document:
            yield document

    def lines(self, number: int) -> Iterator[bytes]:
        """Read one document sentence by sentence, each with its newline; it may be a large one."""
        with self.text.open("rb") as file:
            file.seek(int(self.rows["start"][number]))
            left = int(self.stops[number]) - file.tell()
            while left:
                line = file.readline()
                left -= len(line)
                yield line

    def with_rows(self, rows: Shaped[np.ndarray, " documents"]) -> Documents:
        """See the same text as other documents."""
        return Documents(self.text, rows, np.append(rows["start"], self.stops[-1])[1:])


def document_row(
    start: int, words: int, sentences: int, file: int, hashes: DocumentHash
) -> tuple[int, int, int, int, bytes, bytes]:
    """Make the row of a document that has ended."""
    return (start, words, sentences, file, *hashes.digests())


def _map_rows(path: Path) -> Shaped[np.ndarray, " documents"]:
    # An empty file can't be mapped.
    return np.memmap(path, ROW, "r") if path.stat().st_size else np.empty(0, ROW)


class DocumentWriter:
    """Write documents that come in pieces. A document without a sentence is left out.

    Args:
        folder: Where to; it has to exist.
        sizes: Where to go on in what is there; what lies behind is cut off. None: at the start.
    """

    def __init__(self, folder: Path, sizes: Sizes | None = None) -> None:
        sizes = sizes or Sizes(0, 0)
        self._text = _open_at(folder / _TEXT, sizes.text)
        self._table = _open_at(folder / _TABLE, sizes.documents * ROW.itemsize)
        self._start = self._end = sizes.text
        self._documents = sizes.documents
        self._begin()

    def __enter__(self) -> DocumentWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._text.close()
        self._table.close()

    def add(self, piece: Piece) -> None:
        """Go on with the present document."""
        self._text.write(piece.text)
        self._end += len(piece.text)
        self._sentences += piece.sentences
        self._words += piece.words
        self._hash.add(piece)

    def end_document(self, *, file: int) -> None:
        """End the present document.

        Args:
            file: The number of the file that it comes from.
        """
        if self._sentences:
            row = document_row(self._start, self._words, self._sentences, file, self._hash)
            self._table.write(np.array([row], ROW).tobytes())
            self._documents += 1
        self._begin()

    def sizes(self) -> Sizes:
        """Write out what is held back, and say how far documents are written."""
        self._text.flush()
        self._table.flush()
        return Sizes(self._start, self._documents)

    def sync(self) -> None:
        """Wait until all of it is on disk, where a loss of power can't take it back."""
        self.sizes()
        for file in (self._text, self._table):
            os.fsync(file.fileno())

    def _begin(self) -> None:
        self._start = self._end
        self._sentences = self._words = 0
        self._hash = DocumentHash()


def _open_at(path: Path, size: int) -> BinaryIO:
    file = path.open("r+b" if path.exists() else "w+b")
    file.truncate(size)
    file.seek(size)
    return file
