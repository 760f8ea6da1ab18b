"""A tokenized corpus to disk, as it comes."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from jaxtyping import Int64, Shaped, UInt8

from lit_roberta.data.tokens.encoding import Encoded
from lit_roberta.data.tokens.flattening import filled_sentences
from lit_roberta.data.tokens.store import ARRAYS


class CorpusWriter:
    """Write encoded documents, without sentences that have no token and documents without any.

    Args:
        folder: Where to; it is made.
        sizes: Bytes of each file up to where an earlier writer is gone on with; what lies behind
            is cut off. None: from the start.
    """

    def __init__(self, folder: Path, sizes: Mapping[str, int] | None = None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._files: dict[str, BinaryIO] = {}
        for name in ("tokens", *ARRAYS):
            path = folder / name
            file = path.open("r+b" if path.exists() else "w+b")
            file.truncate(0 if sizes is None else sizes[name])
            file.seek(0, 2)
            self._files[name] = file
        if sizes is None:
            for name in ("sentence_offsets", "document_offsets"):
                self._write(name, np.zeros(1, np.int64))
        self._tokens = self._last("sentence_offsets")
        self._sentences = self._last("document_offsets")
        self._begun = False

    def __enter__(self) -> CorpusWriter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for file in self._files.values():
            file.close()

    def add(
        self,
        encoded: Encoded,
        document_lengths: Int64[np.ndarray, " documents"],
        sources: UInt8[np.ndarray, " documents"],
        *,
        goes_on: bool = False,
    ) -> None:
        """Add documents.

        Args:
            encoded: Their sentences.
            document_lengths: Sentences of each document, empty ones included.
            sources: Which source each comes from.
            goes_on: Whether the first document of the next call is the rest of the last one here.
        """
        filled = filled_sentences(encoded.lengths, document_lengths)
        sentences = encoded.lengths[encoded.lengths > 0]
        stops = np.cumsum(filled)
        ended = filled > 0
        ended[:1] |= self._begun
        self._begun = goes_on and bool(ended[-1])
        if goes_on:
            ended[-1] = False
        self._write("tokens", encoded.tokens)
        self._write("word_starts", encoded.word_starts)
        self._write("sentence_offsets", self._tokens + np.cumsum(sentences))
        self._write("document_offsets", self._sentences + stops[ended])
        self._write("sources", sources[ended])
        self._tokens += int(sentences.sum())
        self._sentences += int(filled.sum())

    def sizes(self) -> dict[str, int]:
        """Write out what is held back, and say how large each file is, in bytes."""
        for file in self._files.values():
            file.flush()
        return {name: file.tell() for name, file in self._files.items()}

    def sync(self) -> None:
        """Wait until all of it is on disk, where a loss of power can't take it back."""
        for file in self._files.values():
            file.flush()
            os.fsync(file.fileno())

    def _write(self, name: str, array: Shaped[np.ndarray, " items"]) -> None:
        dtype: np.dtype[Any] = ARRAYS.get(name, array.dtype)
        self._files[name].write(array.astype(dtype, copy=False).tobytes())

    def _last(self, name: str) -> int:
        file = self._files[name]
        file.flush()
        file.seek(-8, 2)
        return int(np.frombuffer(file.read(8), "<i8")[0])
