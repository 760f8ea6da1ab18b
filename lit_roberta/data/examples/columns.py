"""Arrays that grow at their ends, in memory or in files: what packing leaves behind.

In: values, by the name of their array. Out: the arrays; those in files are mapped, so that their
pages are the system's to keep or to give back.
"""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

import numpy as np
from jaxtyping import Shaped

from lit_roberta.data.tokens.store import map_array


class Columns:
    """Arrays by name, added to a block at a time.

    Args:
        folder: Where their files are written; it is there already. None: in memory.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kinds: dict[str, np.dtype[Any]] = {}
        self._parts: dict[str, list[np.ndarray]] = {}
        self._files: dict[str, BinaryIO] = {}
        self._open = ExitStack()

    def __enter__(self) -> Columns:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def add(self, name: str, values: Shaped[np.ndarray, " items"]) -> None:
        """Add to the end of an array, all of whose values are of one type."""
        self._kinds.setdefault(name, values.dtype)
        if self._folder is None:
            self._parts.setdefault(name, []).append(values)
            return
        if name not in self._files:
            self._files[name] = self._open.enter_context((self._folder / name).open("wb"))
        self._files[name].write(np.ascontiguousarray(values).data)

    def arrays(self) -> dict[str, Shaped[np.ndarray, " items"]]:
        """Give the arrays as they are now; nothing is added any more."""
        self._open.close()
        if self._folder is not None:
            return map_columns(self._folder, self._kinds)
        names = list(self._parts)
        # One after the other, so that no two of them are there twice.
        return {name: np.concatenate(self._parts.pop(name)) for name in names}


def map_columns(
    folder: Path, kinds: dict[str, np.dtype[Any]]
) -> dict[str, Shaped[np.ndarray, " items"]]:
    """Map arrays that were written to a folder, as plain arrays: a batch indexes them often."""
    return {name: np.asarray(map_array(folder / name, kind)) for name, kind in kinds.items()}
