"""The tokenized corpus: arrays of tokens and offsets, and nothing else.

Everything behind this seam (packing, masking, the stream) sees arrays, never strings, so that a
corpus that is larger than memory is a matter of where the arrays lie.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Bool, Int64, Integer, Shaped, UInt8

ARRAYS: dict[str, np.dtype[Any]] = {
    "word_starts": np.dtype(bool),
    "sentence_offsets": np.dtype("<i8"),
    "document_offsets": np.dtype("<i8"),
    "sources": np.dtype(np.uint8),
}
"""The files of a corpus on disk besides `tokens`, which has 16 or 32 bits each."""

_BLOCK = 1 << 20
"""Items of an array that are read at a time."""


@dataclass(frozen=True, kw_only=True)
class TokenizedCorpus:
    """Documents of sentences of tokens, flattened. No special tokens are in it."""

    tokens: Integer[np.ndarray, " tokens"]
    word_starts: Bool[np.ndarray, " tokens"]
    """True at the first piece of each word, by the tokenizer's own words."""
    sentence_offsets: Int64[np.ndarray, " sentence_offsets"]
    """Where each sentence starts, in tokens; the last entry is the number of tokens."""
    document_offsets: Int64[np.ndarray, " document_offsets"]
    """Where each document starts, in sentences; the last entry is the number of sentences."""
    sources: UInt8[np.ndarray, " documents"] | None = None
    """Which source each document comes from; None where there is one."""
    folder: Path | None = None
    """Where the arrays lie on disk; None in memory."""

    @classmethod
    def open(cls, folder: Path, dtype: np.dtype[Any]) -> TokenizedCorpus:
        """Map the arrays of a folder into memory, from where they are read when they are used.

        Args:
            folder: What a `CorpusWriter` wrote.
            dtype: Of the tokens.
        """
        arrays: dict[str, Any] = {
            name: map_array(folder / name, kind)
            for name, kind in (ARRAYS | {"tokens": dtype}).items()
            if (folder / name).exists()
        }
        return cls(**arrays, folder=folder)

    def __reduce__(self) -> str | tuple[Callable[..., TokenizedCorpus], tuple[Any, ...]]:
        # A process that gets a corpus from disk opens it anew: the arrays may be larger than
        # memory.
        if self.folder is None:
            return super().__reduce__()
        return TokenizedCorpus.open, (self.folder, self.tokens.dtype)

    def blocks(self, name: str) -> Iterator[Shaped[np.ndarray, " items"]]:
        """Read an array from its start to its end, some of it at a time.

        On disk it is read and not mapped: pages that are mapped stay in the memory of a process
        until another one needs them, up to the whole array.

        Args:
            name: Of the array.
        """
        array = getattr(self, name)
        for first in range(0, len(array), _BLOCK):
            if self.folder is None:
                yield array[first : first + _BLOCK]
            else:
                count, start = min(_BLOCK, len(array) - first), first * array.itemsize
                yield np.fromfile(self.folder / name, array.dtype, count, offset=start)

    @property
    def num_tokens(self) -> int:
        """Tokens in all, without special ones."""
        return len(self.tokens)

    @property
    def num_sentences(self) -> int:
        """Sentences in all; none is empty."""
        return len(self.sentence_offsets) - 1

    @property
    def num_documents(self) -> int:
        """Documents in all; none is empty."""
        return len(self.document_offsets) - 1

    @property
    def document_token_offsets(self) -> Int64[np.ndarray, " document_offsets"]:
        """Where each document starts, in tokens."""
        return self.sentence_offsets[self.document_offsets]


def map_array(path: Path, dtype: np.dtype[Any]) -> Shaped[np.ndarray, " items"]:
    """Map a file of numbers into memory, to be read only."""
    if not path.stat().st_size:  # which can't be mapped
        return np.empty(0, dtype)
    # Seen as a plain array: numpy's class for maps runs code of its own at each slice.
    return np.asarray(np.memmap(path, dtype, "r"))
