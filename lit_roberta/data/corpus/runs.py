"""The text of documents, read some megabyte at a time, however long a document is.

In: where documents start and stop in a file. Out: runs of whole documents, and a document that is
longer than a run in parts, cut behind sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from jaxtyping import Integer

_BLOCK = 1 << 20
"""Bytes that are read at a time."""


class Run(NamedTuple):
    """Documents that follow one another, or a part of one."""

    documents: slice
    starts: list[int]
    """Where each document starts in the text, in bytes."""
    stop: int
    """Where the run stops in the file, in bytes."""
    begins: bool
    """Whether its first document begins here, and not in a run before."""
    ends: bool
    """Whether its last document ends here."""
    text: bytes
    """Sentences, each with its newline."""

    def texts(self, *, behind: bytes = b"") -> Iterator[bytes]:
        """Give the text of each document, or as much of it as there is here.

        Args:
            behind: What is put behind each document that ends.
        """
        bounds = [*self.starts, len(self.text)]
        for number, (start, stop) in enumerate(pairwise(bounds), start=1):
            ended = self.ends or number < len(self.starts)
            yield self.text[start:stop] + behind * ended


def read_runs(
    path: Path,
    starts: Integer[np.ndarray, " documents"],
    stops: Integer[np.ndarray, " documents"],
    *,
    first: int,
) -> Iterator[Run]:
    """Read documents, about a megabyte at a time.

    Args:
        path: The file of their text, one behind the other, none of them empty.
        starts: Where each starts, in bytes.
        stops: Where each stops.
        first: The number of the document to begin with.
    """
    while first < len(starts):
        start = int(starts[first])
        stop = max(first + 1, int(np.searchsorted(stops, start + _BLOCK, side="right")))
        end = int(stops[stop - 1])
        if end - start > _BLOCK:
            yield from _parts(path, first, start, end)
        else:
            with path.open("rb") as file:
                file.seek(start)
                text = file.read(end - start)
            places = (starts[first:stop] - start).tolist()
            yield Run(slice(first, stop), places, end, True, True, text)
        first = stop


def _parts(path: Path, number: int, start: int, stop: int) -> Iterator[Run]:
    """Read a long document."""
    with path.open("rb") as file:
        file.seek(start)
        place = start
        while place < stop:
            text = file.read(min(_BLOCK, stop - place))
            if not text.endswith(b"\n"):
                text += file.readline()
            begins, place = place == start, place + len(text)
            yield Run(slice(number, number + 1), [0], place, begins, place == stop, text)
